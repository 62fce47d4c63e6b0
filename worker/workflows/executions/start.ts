/** Starts a run for a caller. Spec: workflows.md §6, `POST /workflows/{w}`. */
import { GatewayError } from '../../../proto/errors.ts';
import { isJsonObject, type Json } from '../../../proto/json.ts';
import { textInPieces } from '../../../proto/json-bytes.ts';
import { CHAIN_HEADER, chainOf } from '../../calls/chain.ts';
import type { Context } from '../../context.ts';
import { keyedBy } from '../../idempotency/rule.ts';
import { dividedInTurn, mayGoOn } from '../../limits/heavy-work.ts';
import { admitCall } from '../../limits/starts.ts';
import { Outcome } from '../../outcome.ts';
import type { Reply } from '../../route.ts';
import { digestOf } from '../../secrets/digest.ts';
import { versionNotFound, type Workflow } from '../access.ts';
import { withRightsOf } from '../runs/author.ts';
import { readyDefinition } from '../runs/definitions.ts';
import { digestNow } from '../runs/digest.ts';
import type { Order, WorkflowVersion } from '../runs/head.ts';
import { uuidOf } from '../runs/names.ts';
import type { Started } from '../runs/object.ts';
import { LARGE, paused, pinned, textOfOrder } from '../runs/order.ts';
import { runsObject } from '../runs/reachable.ts';
import { recordStart } from '../runs/record-start.ts';
import { CHAIN_MAX } from '../triggers/start.ts';
import { TOO_DEEP, tooDeep } from '../triggers/too-deep.ts';
import { authorFor } from './author.ts';
import { demandNamed } from './rights.ts';
import type { StartQuery } from './schema.ts';
import { ownerOf, recordFor, type Shown, standing } from './show.ts';

/** What a start is asked for. */
interface StartRequest {
  readonly query: StartQuery;
  readonly input: Json;
  readonly bytes: Uint8Array | undefined;
  header(name: string): string | undefined;
}

/**
 * Answers at once, or the record of a run that has ended in time.
 * @throws GatewayError BAD_REQUEST with every path, FORBIDDEN, WORKFLOW_PAUSED, WORKFLOW_NOT_FOUND,
 * IDEMPOTENCY_KEY_REUSED, QUOTA_EXCEEDED, SERVICE_UNAVAILABLE
 */
export async function startWorkflow(
  ctx: Context,
  workflow: Workflow,
  { query, input, bytes, header }: StartRequest,
): Promise<Reply> {
  const { row, policy } = workflow;
  if (!isJsonObject(input)) throw noObject();
  if (row.status === 'paused') throw paused(row.id);
  const version = { uuid: row.uuid, id: row.id, version: query.version ?? row.version };
  const author = await authorFor(ctx, workflow, version);
  const own = withRightsOf(ctx, author);
  await demandNamed(own, version);
  const chain = 1 + (await chainOf(ctx.settings, header(CHAIN_HEADER) ?? null));
  if (chain > CHAIN_MAX) throw await refusedAsTooDeep(ctx, workflow, version, chain);
  const named = await nameOf(ctx, row.uuid, header('Idempotency-Key'), bytes);
  const order: Order = {
    ...ownerOf(ctx, policy),
    id: named?.id ?? crypto.randomUUID(),
    input: await dividedInTurn(ctx, bytes?.byteLength ?? 0, textInPieces(input)),
    workflow: version,
    caller: ctx.caller,
    ...(author ? { author } : {}),
    startedBy: policy.username,
    trigger: { type: 'api', id: ctx.requestId },
    depth: 1,
    ...(chain > 1 ? { chain } : {}),
    ...(await pinned(own, version)),
    requestId: ctx.requestId,
    address: ctx.address,
    ...(named ? { body: named.body } : {}),
  };
  const isAwaited = query.synchronous === undefined ? undefined : query.synchronous === 'true';
  const text = textOfOrder(order);
  if (text === undefined) throw invalid([{ path: 'body', message: LARGE }]);
  await mayGoOn(ctx, false);
  const object = runsObject(ctx.env, order.orgUuid, order.id);
  const start = async () => object.start(ownerOf(ctx, policy), text, isAwaited);
  const started = await ((isAwaited ?? awaits(version)) ? start() : admitCall(ctx, start));
  return replyTo(ctx, workflow, order, started);
}

/** Whether its callers wait for the end of a run unless they say otherwise; not of a version that this isolate has not started yet. */
function awaits(version: WorkflowVersion): boolean {
  const triggers = readyDefinition(version)?.triggers ?? [];
  return triggers.some((each) => each.type === 'api' && each.synchronous);
}

/** A start by a run of ours that too many have led to: told as that of a trigger. */
async function refusedAsTooDeep(
  ctx: Context,
  { policy }: Workflow,
  version: WorkflowVersion,
  chain: number,
): Promise<GatewayError> {
  const deep = { workflow: version, receipt: ctx.requestId, chain };
  await ctx.env.ORGANIZATION_EVENTS.getByName(ctx.caller.orgUuid).append(ownerOf(ctx, policy), [
    tooDeep(deep),
  ]);
  return new GatewayError('BAD_REQUEST', TOO_DEEP.message);
}

async function replyTo(
  ctx: Context,
  workflow: Workflow,
  order: Order,
  started: Started,
): Promise<Reply> {
  const { row } = workflow;
  if (started.is === 'invalid') throw invalid(started.faults);
  if (started.is === 'no-version') throw versionNotFound(row.id, order.workflow.version);
  if (started.is === 'no-room') {
    throw new GatewayError('QUOTA_EXCEEDED', "The organization's storage is used up");
  }
  const accepted = standing(ctx, row.id, started);
  if (started.is === 'known') {
    if (!started.sameBody) throw reused();
    return new Outcome(accepted, {}, started.requestId);
  }
  recordStart(ctx, order);
  const { record } = started;
  return record === undefined ? accepted : recordFor(ctx, workflow, JSON.parse(record) as Shown); // As the object wrote it.
}

/** A key names the run: a repeat with it finds the run. */
async function nameOf(
  ctx: Context,
  workflow: string,
  key: string | undefined,
  bytes: Uint8Array | undefined,
) {
  if (key === undefined) return undefined;
  keyedBy({ key, target: [] }, {}, { forms: [], header: () => undefined }, undefined);
  const { orgUuid, userUuid } = ctx.caller;
  const digest = digestNow(JSON.stringify([orgUuid, userUuid, workflow, key]));
  const pairs = digest.match(/../g) ?? [];
  const id = uuidOf(Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16)));
  return { id, body: await digestOf(bytes ?? new Uint8Array()) };
}

/** Every fault of an input. */
export function invalid(
  faults: readonly { readonly path: string; readonly message: string }[],
): GatewayError {
  const told = faults.map(({ path, message }) => `${path}: ${message}`).join('; ');
  const details = faults.map(({ path, message }) => ({ path, message }));
  return new GatewayError('BAD_REQUEST', told, { details });
}

function noObject(): GatewayError {
  return invalid([{ path: 'body', message: 'must be an object: the input of the run' }]);
}

function reused(): GatewayError {
  const message = 'Idempotency-Key: was sent before with another body, take a new one';
  return new GatewayError('IDEMPOTENCY_KEY_REUSED', message);
}
