/** One attempt of an action that calls something: through the same place as every call, with the run's rights as they are now. Contract §9. */
import { kindSpec } from '../../../kinds/index.ts';
import { requestIn } from '../../../kinds/passed.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { isJsonObject, type Json, parseJson } from '../../../proto/json.ts';
import { parseInPieces } from '../../../proto/json-pieces.ts';
import { authorize } from '../../access/access.ts';
import { policyOn } from '../../access/policy.ts';
import { gather } from '../../calls/gather.ts';
import { requestOn } from '../../calls/request.ts';
import { runTemplate, type TemplateCall } from '../../calls/template.ts';
import { inWordsOf, OF_ACTION } from '../../calls/write-advice.ts';
import type { Context } from '../../context.ts';
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
import { failureFrom } from './call-failure.ts';
import type { RunContexts } from './contexts.ts';
import type { Pins } from './head.ts';
import { asTheMarkTells, keepsKeys } from './marked.ts';
import { boundByRetrier, demandOfRetrier } from './retrier.ts';
import { demandSources, rootOf } from './sources.ts';
import { withinTime } from './time-limit.ts';

/** Longest that a request may take. Contract §2. */
const TIMEOUT_MAX_MS = 300_000;
/** Bytes of a body that a failure gives. Spec: workflows.md §3, `endpoint`. */
const BODY_TOLD = 4 * 1024;
const encoder = new TextEncoder();

/** How a call ended. */
export type CallEnd = {
  /** UUIDs of the endpoints that it reached. */
  readonly reached: readonly string[];
} & ({ readonly text: string } | { readonly failure: Failure });

/**
 * Makes the call of an endpoint's action.
 * @param text the request, as it was decided when the action began
 * @param key of its `idempotencyKey`, for a backend that keeps it
 */
export async function callEndpoint(
  { own: ctx, retrier }: RunContexts,
  action: EndpointAction,
  text: string,
  key?: Key,
): Promise<CallEnd> {
  const reached: string[] = [];
  try {
    await policyOn(ctx);
    const level = action.operation === 'write' ? 'Write' : 'Read';
    const params = { endpoint: action.endpoint };
    const held = await authorize(ctx, onEndpoint(level), params);
    const on = { ...(await boundByRetrier(retrier, held, level)), params };
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
    const { written: wrote } = outcome;
    const told = { result: inWordsOf(OF_ACTION, outcome.result), written: wrote };
    const ended = await endOf(ctx, told, action.id);
    if (isMarked && 'failure' in ended) return { failure: asTheMarkTells(ended.failure), reached };
    if ('failure' in ended || row.kind !== 'http') return { ...ended, reached };
    return { ...byStatus(ended.text, await parsedInTurn(ctx, ended.text), action), reached };
  } catch (thrown) {
    const error = gatewayFailureOf(inWordsOf(OF_ACTION, thrown));
    return { failure: failureFrom(error, false, action.id), reached };
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

/** What a template that runs asks of its run. */
type TemplateHooks = Required<Pick<TemplateCall, 'sends' | 'turn'>>;

/**
 * Runs the template of an action.
 * @param pins versions that templates had when the run began
 * @param hooks `sends` is called before anything leaves
 */
export function callTemplate(
  { own, retrier }: RunContexts,
  action: TemplateAction,
  pins: Pins,
  text: string,
  hooks: TemplateHooks,
): Promise<CallEnd> {
  const ms = action.timeoutMs ?? TEMPLATE_TIMEOUT_MS;
  return withinTime(ms, (signal) => {
    const contexts = { own: { ...own, signal }, retrier: retrier && { ...retrier, signal } };
    return runIn(contexts, action, pins, text, hooks);
  });
}

async function runIn(
  { own: ctx, retrier }: RunContexts,
  action: TemplateAction,
  pins: Pins,
  text: string,
  hooks: TemplateHooks,
): Promise<CallEnd> {
  const reached: string[] = [];
  try {
    await policyOn(ctx);
    const access = onTemplate('Read');
    const { resource } = await authorize(ctx, access, { template: action.template });
    const root = rootOf(resource.row, action, pins);
    reached.push(...(await loadReach(ctx, root, pins.nested)).endpoints.map(({ uuid }) => uuid));
    await demandOfRetrier(retrier, (theirs) => demandSources(theirs, action, pins));
    const outcome = await runTemplate(ctx, resource, {
      version: root.version,
      input: await parsedInTurn(ctx, text),
      written: encoder.encode(text),
      parameters: {},
      parametersAreTexts: false,
      isNested: true,
      pins: pins.nested,
      ...hooks,
    });
    const ended = await endOf(ctx, outcome, action.id);
    if ('text' in ended || !ctx.signal.aborted) return { ...ended, reached };
    return { failure: timedOut(action.id, outcome.written), reached };
  } catch (thrown) {
    return { failure: failureFrom(gatewayFailureOf(thrown), false, action.id), reached };
  }
}

function timedOut(action: string, written: boolean): Failure {
  return written
    ? { code: 'OUTCOME_UNKNOWN', message: 'Its time was over after a change was sent', action }
    : { code: 'TIMED_OUT', message: 'Its time is over', action };
}

async function endOf(
  ctx: Context,
  { result, written }: Pick<Outcome, 'result' | 'written'>,
  action: string,
): Promise<{ readonly text: string } | { readonly failure: Failure }> {
  if (result instanceof GatewayError) return { failure: failureFrom(result, written, action) };
  const text =
    result instanceof JsonBytes ? await gather(ctx, result.bytes) : JSON.stringify(result);
  if (text.length <= VALUE_MAX) return { text };
  const message = 'The result is larger than 32 MiB, the most between actions';
  return { failure: failureFrom(new GatewayError('RESULT_TOO_LARGE', message), written, action) };
}
