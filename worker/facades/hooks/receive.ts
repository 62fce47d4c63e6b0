/** Takes in deliveries to webhooks. Spec: workflows.md §5, `webhook`. */
import { GatewayError } from '../../../proto/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../proto/json.ts';
import type { Context, PublicContext } from '../../context.ts';
import { countDelivery, countUnsigned } from '../../limits/hooks.ts';
import { admitStart } from '../../limits/starts.ts';
import { failureOf } from '../../outcome.ts';
import type { Asking, Reply } from '../../route.ts';
import { unseal } from '../../secrets/seal.ts';
import { purposeOf } from '../../workflows/definition/secrets.ts';
import type { WebhookTrigger } from '../../workflows/definition/trigger-tree.ts';
import { headersOf, queryOf, readDelivery } from './delivery.ts';
import type { Hook, HookName } from './find.ts';
import { claimed, type DeliveryRoot, deliveryName } from './names.ts';
import { noteDelivery } from './notes.ts';
import { signatureHeader } from './schemes.ts';
import { faultOfSignature } from './signature.ts';
import { again, started } from './started.ts';

/** Seconds after which a paused workflow may be tried again. Spec silent. */
const PAUSED_RETRY_S = 60;

/** A webhook. */
type Webhook = Hook<WebhookTrigger>;

/** A delivery as it came. */
export interface Delivered {
  readonly request: Request;
  readonly bytes: Uint8Array | undefined;
  readonly params: HookName;
}

/**
 * Refuses a delivery without a signature before its body is read.
 * @throws GatewayError DELIVERY_SIGNATURE_INVALID, RATE_LIMITED
 */
export async function demandSigned(
  ctx: PublicContext,
  hook: Webhook,
  { header }: Pick<Asking, 'header'>,
): Promise<void> {
  const name = signatureHeader(hook.trigger.authentication);
  if (header(name)) return;
  throw await unsigned(ctx, hook, `${name} is required: the delivery must be signed`);
}

/**
 * Starts a run for a delivery, once for its name.
 * @throws GatewayError DELIVERY_SIGNATURE_INVALID, RATE_LIMITED, BAD_REQUEST, UNSUPPORTED_MEDIA_TYPE, SERVICE_UNAVAILABLE
 * while the workflow is paused or too many wait, NOT_FOUND, QUOTA_EXCEEDED
 */
export async function receive(
  ctx: PublicContext & Pick<Context, 'place'>,
  hook: Webhook,
  delivered: Delivered,
): Promise<Reply> {
  await demandSignature(ctx, hook, delivered);
  countDelivery(ctx, hook.owner.orgUuid);
  const of = { workflow: hook.workflow.uuid, index: hook.trigger.index, isTrusted: true };
  try {
    const { request, bytes } = delivered;
    const body = await readDelivery(ctx, request.headers.get('Content-Type'), bytes);
    const challenge = challengeIn(hook, body);
    if (challenge !== undefined) return challenge;
    if (hook.isPaused) throw paused(hook);
    const root = { body, headers: headersOf(request), query: queryOf(request) };
    const came = { root, request, path: delivered.params.path };
    const { run, reply, digest } = await admitStart(ctx, hook.owner.orgUuid, () =>
      startOnce(ctx, hook, came),
    );
    if (run !== undefined) noteDelivery(ctx, hook.owner, { ...of, ...digest, at: ctx.now(), run });
    return reply;
  } catch (thrown) {
    const { code, message } = failureOf(thrown);
    const error = { code, message };
    if (!hook.isPaused) noteDelivery(ctx, hook.owner, { ...of, at: ctx.now(), error });
    throw thrown;
  }
}

/** Starts the run of a delivery that was not there before. `run` is left out for a repeat. */
async function startOnce(
  ctx: PublicContext,
  hook: Webhook,
  {
    root,
    request,
    path,
  }: { readonly root: DeliveryRoot; readonly request: Request; readonly path: string },
): Promise<{
  readonly reply: Reply;
  readonly run?: string;
  readonly digest?: { readonly digest: string };
}> {
  const name = await deliveryName(ctx, hook.trigger, root);
  const claim = await claimed(ctx, hook, name);
  if (claim?.run !== undefined) return { reply: again(claim.run) };
  const told: JsonObject = { path, ...(name === undefined ? {} : { id: name }) };
  const begun = await started(ctx, hook, {
    id: claim?.receipt ?? crypto.randomUUID(),
    ...(name === undefined ? {} : { name }),
    ...{ root, request, told: { delivery: told } },
  });
  return { ...begun, ...(claim ? { digest: { digest: claim.digest } } : {}) };
}

/** Verifies before anything of the body is read. */
async function demandSignature(
  ctx: PublicContext,
  hook: Webhook,
  { request, bytes = new Uint8Array() }: Delivered,
): Promise<void> {
  const { settings } = ctx;
  const { orgUuid, sealedDataKey } = hook.owner;
  const purpose = purposeOf(hook.workflow.uuid);
  const { authentication } = hook.trigger;
  const secrets = await Promise.all(
    authentication.secrets.map((sealed) =>
      unseal({ settings, orgUuid, sealedDataKey, purpose }, sealed),
    ),
  );
  const header = (name: string) => request.headers.get(name);
  const signed = { header, bytes, now: ctx.now() };
  const fault = await faultOfSignature({ ...authentication, secrets }, signed);
  if (fault !== undefined) throw await unsigned(ctx, hook, fault);
}

/** The refusal of a delivery that proves nothing. */
async function unsigned(ctx: PublicContext, hook: Webhook, fault: string): Promise<GatewayError> {
  await countUnsigned(ctx);
  const refusal = new GatewayError('DELIVERY_SIGNATURE_INVALID', fault);
  const { uuid: workflow } = hook.workflow;
  const { index } = hook.trigger;
  const error = { code: refusal.code, message: fault };
  noteDelivery(ctx, hook.owner, { workflow, index, at: ctx.now(), error, isTrusted: false });
  return refusal;
}

/** Slack asks once whether an address is its own's, and has its question sent back. */
function challengeIn({ trigger }: Webhook, body: Json): JsonObject | undefined {
  if (trigger.authentication.scheme !== 'slack' || !isJsonObject(body)) return undefined;
  const { type, challenge } = body;
  if (type !== 'url_verification' || typeof challenge !== 'string') return undefined;
  return { challenge };
}

function paused({ workflow }: Webhook): GatewayError {
  const message = `Workflow ${workflow.id} is paused`;
  return new GatewayError('SERVICE_UNAVAILABLE', message, { retryAfter: PAUSED_RETRY_S });
}
