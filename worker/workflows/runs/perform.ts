/** One attempt of an action that calls something: through the same place as every call, with the run's rights as they are now. Contract §9. */
import { kindSpec } from '../../../kinds/index.ts';
import { requestIn } from '../../../kinds/passed.ts';
import { ERRORS, GatewayError } from '../../../proto/errors.ts';
import { isJsonObject, type Json, parseJson } from '../../../proto/json.ts';
import { parseInPieces } from '../../../proto/json-pieces.ts';
import { authorize, demand } from '../../access/access.ts';
import { withoutToken } from '../../access/api-keys/identity.ts';
import { policyOn } from '../../access/policy.ts';
import { gather } from '../../calls/gather.ts';
import { requestOn } from '../../calls/request.ts';
import { runTemplate } from '../../calls/template.ts';
import { type Bindings, type Context, openContext } from '../../context.ts';
import type { TemplateRow } from '../../db/templates.ts';
import { onEndpoint } from '../../endpoints/access.ts';
import type { Key } from '../../idempotency/rule.ts';
import { goingOn } from '../../limits/heavy-work.ts';
import { failureOf as gatewayFailureOf, JsonBytes, type Outcome } from '../../outcome.ts';
import { loadReach } from '../../reach/load.ts';
import { onTemplate } from '../../templates/access.ts';
import type { EndpointAction, TemplateAction } from '../definition/tree.ts';
import type { Failure } from '../engine/journal.ts';
import { LARGE_TEXT } from '../engine/ready-values.ts';
import { TEMPLATE_TIMEOUT_MS } from '../engine/start.ts';
import { VALUE_MAX } from '../engine/turn.ts';
import { withRightsOf } from './author.ts';
import type { Pins, RunHead } from './head.ts';
import { asTheMarkTells, keepsKeys } from './marked.ts';
import { withinTime } from './time-limit.ts';

/** Longest that a request may take. Contract §2. */
const TIMEOUT_MAX_MS = 300_000;
/** Bytes of a body that a failure gives. Spec: workflows.md §3, `endpoint`. */
const BODY_TOLD = 4 * 1024;
/** Codes of backends for serialization failures and deadlocks. Sources: PostgreSQL appendix A, MySQL and MongoDB error references. */
const SERIALIZATION = new Set(['40001', '40P01', '1213', '1205', '112', 'WriteConflict']);
const encoder = new TextEncoder();

/** How a call ended. */
export type CallEnd = {
  /** UUIDs of the endpoints that it reached. */
  readonly reached: readonly string[];
} & ({ readonly text: string } | { readonly failure: Failure });

/** A context that never was a request: of whose rights a run has, as they are now. @throws GatewayError FORBIDDEN where its author is no account */
export function contextOf(
  env: Bindings,
  { caller, author, address, chain = 1 }: Pick<RunHead, 'caller' | 'author' | 'address' | 'chain'>,
  run: string,
  signal: AbortSignal,
  waitUntil: (work: Promise<unknown>) => void,
): Context {
  const open = openContext({
    signal,
    env,
    outside: { now: Date.now, fetch: (request) => fetch(request) },
    requestId: run,
    address,
    waitUntil,
  });
  // A new password ends tokens, not the runs that were started by them; nor does a key's rotation.
  const own = { ...open, chain, caller: { ...withoutToken(caller), issuedAt: Date.now() } };
  return withRightsOf(own, author);
}

/**
 * Makes the call of an endpoint's action.
 * @param text the request, as it was decided when the action began
 * @param key of its `idempotencyKey`, for a backend that keeps it
 */
export async function callEndpoint(
  ctx: Context,
  action: EndpointAction,
  text: string,
  key?: Key,
): Promise<CallEnd> {
  const reached: string[] = [];
  try {
    await policyOn(ctx);
    const level = action.operation === 'write' ? 'Write' : 'Read';
    const params = { endpoint: action.endpoint };
    const on = { ...(await authorize(ctx, onEndpoint(level), params)), params };
    const { row } = on.resource;
    reached.push(row.uuid);
    const { keepsText } = kindSpec(row.kind);
    const read = requestIn(row.kind, text);
    const body = withTimeout(read.body, action.timeoutMs);
    const written = keepsText === true || read.isWritten;
    const isMarked = key !== undefined && keepsKeys(action, on.resource);
    // What a claim of a key sends is decided once: the mark has no need of the bytes.
    const bytes = written && body === read.body ? encoder.encode(text) : undefined;
    const outcome = await requestOn(ctx, on, action.operation, body, {
      bytes,
      ...(isMarked && { key }),
    });
    const ended = await endOf(ctx, outcome, action.id);
    if (isMarked && 'failure' in ended) return { failure: asTheMarkTells(ended.failure), reached };
    if ('failure' in ended || row.kind !== 'http') return { ...ended, reached };
    return { ...byStatus(ended.text, await parsedInTurn(ctx, ended.text), action), reached };
  } catch (thrown) {
    return { failure: failureFrom(gatewayFailureOf(thrown), false, action.id), reached };
  }
}

function withTimeout(body: Json, timeoutMs: number | undefined): Json {
  if (timeoutMs === undefined || !isJsonObject(body)) return body;
  return { ...body, timeout_ms: Math.max(1, Math.min(Math.round(timeoutMs), TIMEOUT_MAX_MS)) };
}

/** The value of a text that the run has kept, or keeps; of a large one in pieces, in its organization's turn. */
function parsedInTurn({ caller }: Context, text: string): Json | Promise<Json> {
  if (text.length < LARGE_TEXT) return parseJson(text);
  // What has been done is not lost, and a time that is over is told elsewhere: nothing ends it.
  const { signal } = new AbortController();
  return goingOn({ caller, signal }, parseInPieces(text));
}

/** A status that is not expected is a failure. */
function byStatus(
  text: string,
  reply: Json,
  action: EndpointAction,
): { readonly text: string } | { readonly failure: Failure } {
  if (!isJsonObject(reply) || typeof reply.status !== 'number') return { text };
  const { status, body = null, headers } = reply;
  if (action.expects(status)) return { text };
  const whole = typeof body === 'string' ? body : JSON.stringify(body);
  const retryAfter = isJsonObject(headers ?? null) ? retryAfterOf(headers as Json) : undefined;
  return {
    failure: {
      code: 'UPSTREAM_STATUS',
      message: `The endpoint answered ${status}`,
      action: action.id,
      details: { status, body: whole.slice(0, BODY_TOLD) },
      // A request refused with 4xx had no effect; for other statuses it is unknown.
      ...(action.operation === 'write' && status >= 500 ? { effect: 'possible' as const } : {}),
      ...(retryAfter === undefined ? {} : { retryAfterMs: retryAfter }),
    },
  };
}

function retryAfterOf(headers: Json): number | undefined {
  const value = isJsonObject(headers) ? headers['retry-after'] : undefined;
  const seconds = Number(Array.isArray(value) ? value[0] : value);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
}

/**
 * Runs the template of an action.
 * @param pins versions that templates had when the run began
 * @param sends is called before anything leaves
 */
export function callTemplate(
  ctx: Context,
  action: TemplateAction,
  pins: Pins,
  text: string,
  sends: () => void,
): Promise<CallEnd> {
  const ms = action.timeoutMs ?? TEMPLATE_TIMEOUT_MS;
  return withinTime(ms, (signal) => runIn({ ...ctx, signal }, action, pins, text, sends));
}

async function runIn(
  ctx: Context,
  action: TemplateAction,
  pins: Pins,
  text: string,
  sends: () => void,
): Promise<CallEnd> {
  const reached: string[] = [];
  try {
    await policyOn(ctx);
    const access = onTemplate('Read');
    const { resource } = await authorize(ctx, access, { template: action.template });
    const root = rootOf(resource.row, action, pins);
    reached.push(...(await loadReach(ctx, root, pins.nested)).endpoints.map(({ uuid }) => uuid));
    const outcome = await runTemplate(ctx, resource, {
      version: root.version,
      input: await parsedInTurn(ctx, text),
      written: encoder.encode(text),
      parameters: {},
      parametersAreTexts: false,
      isNested: true,
      pins: pins.nested,
      sends,
    });
    const ended = await endOf(ctx, outcome, action.id);
    if ('text' in ended || !ctx.signal.aborted) return { ...ended, reached };
    return { failure: timedOut(action.id, outcome.written), reached };
  } catch (thrown) {
    return { failure: failureFrom(gatewayFailureOf(thrown), false, action.id), reached };
  }
}

/** The version of a template that an action runs. */
function rootOf(
  { uuid, version }: Pick<TemplateRow, 'uuid' | 'version'>,
  { template }: TemplateAction,
  { templates }: Pins,
) {
  return { uuid, version: templates[template] ?? version, isPinned: true };
}

/** UUIDs of the endpoints that an action's output comes from, or why the run may not have it: its rights are asked as for a call. */
export async function sourcesOf(
  ctx: Context,
  action: EndpointAction | TemplateAction,
  pins: Pins,
): Promise<{ readonly reached: readonly string[] } | { readonly failure: Failure }> {
  try {
    await policyOn(ctx);
    if (action.type === 'endpoint') {
      const level = action.operation === 'write' ? 'Write' : 'Read';
      const params = { endpoint: action.endpoint };
      const found = await authorize(ctx, onEndpoint(level), params);
      demand({ ...found, params }, level);
      return { reached: [found.resource.row.uuid] };
    }
    const params = { template: action.template };
    const { resource } = await authorize(ctx, onTemplate('Read'), params);
    const { id } = resource.row;
    const reach = await loadReach(ctx, rootOf(resource.row, action, pins), pins.nested);
    reach.demandRun({ id, policy: resource.policy }, true);
    return { reached: reach.endpoints.map(({ uuid }) => uuid) };
  } catch (thrown) {
    const error = gatewayFailureOf(thrown);
    if (ERRORS[error.code].status >= 500) throw thrown;
    return { failure: failureFrom(error, false, action.id) };
  }
}

/** Whether a template's run may have changed something: asked of one that was cut off. */
export async function templateWrites(
  ctx: Context,
  action: TemplateAction,
  pins: Pins,
): Promise<boolean> {
  try {
    const { resource } = await onTemplate('Read').find(ctx, { template: action.template });
    const root = rootOf(resource.row, action, pins);
    return (await loadReach(ctx, root, pins.nested)).writes;
  } catch {
    return true;
  }
}

function timedOut(action: string, written: boolean): Failure {
  return written
    ? { code: 'OUTCOME_UNKNOWN', message: 'Its time was over after a change was sent', action }
    : { code: 'TIMED_OUT', message: 'Its time is over', action };
}

async function endOf(
  ctx: Context,
  { result, written }: Outcome,
  action: string,
): Promise<{ readonly text: string } | { readonly failure: Failure }> {
  if (result instanceof GatewayError) return { failure: failureFrom(result, written, action) };
  const text =
    result instanceof JsonBytes ? await gather(ctx, result.bytes) : JSON.stringify(result);
  if (text.length <= VALUE_MAX) return { text };
  const message = 'The result is larger than 32 MiB, the most between actions';
  return { failure: failureFrom(new GatewayError('RESULT_TOO_LARGE', message), written, action) };
}

/** A failure of the gateway's as that of an action. */
function failureFrom(error: GatewayError, written: boolean, action: string): Failure {
  const { code, message, details, retryAfter } = error;
  const isSerialization = details.some(
    (each) => 'source' in each && SERIALIZATION.has(String(each.code)),
  );
  return {
    // The account that the run acts for is gone, or has lost its rights: the run fails in the same way.
    code: code === 'TOKEN_REVOKED' ? 'FORBIDDEN' : code,
    message,
    action,
    ...(details.length > 0 ? { details: [...details] as unknown as Json } : {}), // Details are JSON.
    ...(written ? { effect: 'possible' as const } : {}),
    ...(isSerialization ? { transient: true as const } : {}),
    ...(retryAfter === undefined ? {} : { retryAfterMs: retryAfter * 1000 }),
  };
}
