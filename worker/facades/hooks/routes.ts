/** What comes next to the API without a token: callbacks of runs, deliveries to webhooks, starts by anyone. Spec: workflows.md §3 `wait`, §5. */
import * as z from 'zod';
import { JsonValue } from '../../../kinds/members.ts';
import { errorBody, GatewayError } from '../../../proto/errors.ts';
import type { Json } from '../../../proto/json.ts';
import type { PublicContext } from '../../context.ts';
import { countStart } from '../../limits/hooks.ts';
import { type AnyRoute, publicRoute } from '../../route.ts';
import { SAMPLE } from '../../shapes/sample.ts';
import { beginRun } from './begin.ts';
import { BODY_MAX, callBack } from './call-back.ts';
import { findHook } from './find.ts';
import { demandSigned, receive } from './receive.ts';
import { AnyBody, HookEnded, HookPath, HookTaken } from './schema.ts';

const CallbackPath = z.object({
  org: z
    .string()
    .min(1)
    .meta({ description: 'The organization’s id or UUID', examples: [SAMPLE.orgId] }),
  token: z
    .string()
    .min(1)
    .meta({ description: 'As the `url` of the wait ends', examples: ['p8N5zUwvQWyE1p3i5fGg'] }),
});
type CallbackPath = z.infer<typeof CallbackPath>;

/** As of the API. */
function errorBodyOf(failure: GatewayError, requestId: string): Json {
  return errorBody(failure, requestId) as unknown as Json; // Errors are JSON.
}

/** A webhook and a workflow that anyone may start share their paths: which it is, the path says. */
async function hookAt(ctx: PublicContext, { org, path }: HookPath) {
  const hook = await findHook(ctx, { org, path });
  const { trigger } = hook;
  return trigger.type === 'webhook'
    ? { webhook: { ...hook, trigger } }
    : { start: { ...hook, trigger } };
}

export const hookRoutes: AnyRoute[] = [
  publicRoute<CallbackPath, Record<string, never>, Request>({
    method: 'POST',
    path: '/hooks/:org/-/:token',
    facade: {
      action: 'workflow.callback',
      errorBody: errorBodyOf,
      bodies: {
        'application/json': JsonValue.meta({
          description: 'The output of the wait, up to 256 KiB',
          examples: [{ paid: true }],
        }),
      },
    },
    summary: 'Call a run back',
    description:
      'The URL is that of `$.actions.<id>.url` of a wait with `mode: callback`; it needs no token, serves once and ends with the wait.',
    tag: 'Workflows',
    errors: ['NOT_FOUND', 'PAYLOAD_TOO_LARGE', 'BAD_REQUEST'],
    access: {
      level: 'Public',
      errors: [],
      find() {
        throw new GatewayError('INTERNAL', 'A callback has no caller to look up');
      },
    },
    changes: 'nothing',
    maxBytes: BODY_MAX,
    params: CallbackPath,
    body: z.custom<Request>(),
    idempotency: 'ignored',
    reply: 'bare',
    result: z
      .object({
        message: z.string().meta({ description: 'What was done', examples: ['The run goes on'] }),
      })
      .meta({ id: 'CalledBack', description: 'The run goes on' }),
    handle: (ctx, { params, bytes }) => callBack(ctx, params.org, params.token, bytes),
  }),
  publicRoute<HookPath, Record<string, never>, Request>({
    method: 'POST',
    path: '/hooks/:org/:path{[\\s\\S]+}',
    facade: {
      action: 'workflow.deliver',
      errorBody: errorBodyOf,
      readsQuery: true,
      bodies: {
        'application/json': AnyBody,
        'application/x-www-form-urlencoded': AnyBody,
        'multipart/form-data': AnyBody,
      },
    },
    summary: 'Deliver to a webhook, or start a workflow that anyone may start',
    description:
      'A delivery is signed by the scheme of the webhook, over the body as it is sent; a repeat of one that its sender names answers 202 with the first run’s id. With `synchronous: true` on the trigger the reply is that of the run’s end, if it ends within 30 seconds.',
    tag: 'Workflows',
    errors: [
      'DELIVERY_SIGNATURE_INVALID',
      'NOT_FOUND',
      'WORKFLOW_PAUSED',
      'QUOTA_EXCEEDED',
      'SERVICE_UNAVAILABLE',
    ],
    access: {
      level: 'Public',
      errors: [],
      find() {
        throw new GatewayError('INTERNAL', 'A delivery has no caller to look up');
      },
    },
    async admit(ctx, { params, header }) {
      const { webhook } = await hookAt(ctx, params as HookPath); // As the path of the route has it.
      await (webhook ? demandSigned(ctx, webhook, { header }) : countStart(ctx));
    },
    changes: 'nothing',
    maxBytes: 'callers',
    params: HookPath,
    body: z.custom<Request>(),
    idempotency: 'ignored',
    reply: 'bare',
    result: HookEnded,
    accepted: HookTaken,
    async handle(ctx, { params, bytes, body: request }) {
      const { webhook, start } = await hookAt(ctx, params);
      const delivered = { request, bytes, params };
      return webhook ? receive(ctx, webhook, delivered) : beginRun(ctx, start, delivered);
    },
  }),
];
