/** Callbacks of runs, beside the API: their URL is what lets them in. Spec: workflows.md §3 `wait`, §5. */
import * as z from 'zod';
import { JsonValue } from '../../../kinds/members.ts';
import { GatewayError } from '../../../proto/errors.ts';
import type { Json } from '../../../proto/json.ts';
import { type AnyRoute, publicRoute } from '../../route.ts';
import { SAMPLE } from '../../shapes/sample.ts';
import { BODY_MAX, callBack } from './call-back.ts';

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

/** The error's own words; there is nobody to look up a request for. */
function errorBody({ code, message }: GatewayError): Json {
  return { error: message, message, code };
}

export const hookRoutes: AnyRoute[] = [
  publicRoute<CallbackPath, Record<string, never>, Request>({
    method: 'POST',
    path: '/hooks/:org/-/:token',
    facade: {
      action: 'workflow.callback',
      errorBody,
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
];
