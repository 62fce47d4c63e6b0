/** How a template's run sends its requests: each with the rights of the caller, or of the author of the door that it came through. */
import { type Kind, kindSpec } from '../../kinds/index.ts';
import { requestIn } from '../../kinds/passed.ts';
import { badRequest, GatewayError } from '../../proto/errors.ts';
import { DEPTH_MAX, type Json, type JsonObject } from '../../proto/json.ts';
import { orderedText, unordered } from '../../proto/ordered-json.ts';
import type { Context } from '../context.ts';
import { readJson } from '../drivers/read-json.ts';
import type { Endpoint } from '../endpoints/access.ts';
import { effectiveLevel } from '../levels.ts';
import type { Meter } from '../limits/meter.ts';
import { JsonBytes, type Known, type Outcome, resultOf } from '../outcome.ts';
import type { Reach } from '../reach/reach.ts';
import { parse } from '../shapes/parse.ts';
import type { EndpointCall, Run } from '../templates/compiled.ts';
import { gather, type RunResults } from './gather.ts';
import { TransactionBody } from './read-transaction.ts';
import { withoutStream } from './stream-advice.ts';
import { transactionOn } from './transaction.ts';
import { TransactionsBody } from './transactions/body.ts';
import { requested, TRANSACTION_HEADER } from './transactions/interactive.ts';
import { transactOver } from './transactions/run.ts';
import { inWordsOf, OF_TEMPLATE } from './write-advice.ts';

const encoder = new TextEncoder();

/** What requests of a run are sent by. */
interface Sender {
  readonly reach: Reach;
  readonly call: {
    /** Id of the transaction over many endpoints that they take part in. */
    readonly transaction?: string | undefined;
    /** Of the run, in that transaction. */
    readonly ticket?: string | undefined;
    /** Called before each. */
    sends?(): void;
  };
  readonly known: Known;
  readonly meter: Meter;
  readonly results: RunResults;
}

/**
 * How the templates send that run with the same rights.
 * @param by UUID of the door whose author's rights these are; undefined: those of who runs it
 */
export function sending(
  own: Context,
  sender: Sender,
  by: string | undefined,
): Pick<Run, 'send' | 'transact' | 'within'> {
  const { reach, call, known, meter, results } = sender;
  const sent = (work: (ctx: Context) => Promise<Json>) => {
    call.sends?.();
    const ctx = by === undefined ? own : reach.contextOf(by);
    return meter.pause(() => work(ctx)).catch(asOfRun);
  };
  const within = { known, results, transaction: call.transaction, run: call.ticket };
  return {
    send: (request) =>
      sent((ctx) => send(ctx, reach.endpoint(request.endpoint, by), request, within)),
    transact: (body) => sent((ctx) => transact(ctx, body, within)),
    within: (id) => {
      const uuid = reach.uuidOf(id);
      return reach.isDoor(uuid) ? sending(own, sender, uuid) : undefined;
    },
  };
}

/** What a run's requests add to, and take part in. */
interface RunScope {
  readonly known: Known;
  readonly results: RunResults;
  readonly transaction: string | undefined;
  readonly run: string | undefined;
}

/**
 * The result of a request of the run, with the rights of the context's caller, which were demanded before it.
 * @throws GatewayError what requests to endpoints may end in
 */
async function send(
  ctx: Context,
  resource: Endpoint,
  { operation, request }: EndpointCall,
  within: RunScope,
): Promise<Json> {
  const { transaction, run } = within;
  const demanded = within.known.demands;
  const { row, policy } = resource;
  const params = { endpoint: row.id };
  const on = { resource, held: effectiveLevel(policy), policy, params };
  const { body, bytes } = apart(row.kind, request);
  if (operation !== 'transaction') {
    return resultRead(
      ctx,
      within,
      await requested(ctx, on, operation, body, { bytes, transaction, run, demanded }),
    );
  }
  if (transaction !== undefined) throw withinAnother();
  return resultRead(
    ctx,
    within,
    await transactionOn(ctx, on, TransactionBody.parse(body), { bytes }),
  );
}

/** The result of a transaction of the run over several endpoints. */
async function transact(ctx: Context, body: JsonObject, within: RunScope): Promise<Json> {
  if (within.transaction !== undefined) throw withinAnother();
  const form = { numbersAsStrings: false, canonical: false };
  const outcome = await transactOver(ctx, parse(TransactionsBody, body, 'template'), { form });
  return resultRead(ctx, within, outcome);
}

function withinAnother(): GatewayError {
  const problem = 'is a transaction of its own, and takes no part in another';
  return badRequest(TRANSACTION_HEADER, problem, `The template ${problem}`);
}

async function resultRead(
  ctx: Context,
  { known, results }: RunScope,
  outcome: Outcome,
): Promise<Json> {
  const result = resultOf(known, outcome);
  if (result instanceof GatewayError) throw result;
  const text =
    result instanceof JsonBytes
      ? await gather(ctx, result.bytes, results.count)
      : JSON.stringify(result);
  return readJson(ctx, text, outcome.written, () => tooDeep(outcome.written));
}

/** Rules take values apart level by level; the endpoint itself answers such a value. */
function tooDeep(written: boolean): GatewayError {
  const done = written ? '; what the request wrote is kept' : '';
  const message = `The result of a request nests deeper than ${DEPTH_MAX} levels, which no template reads${done}`;
  return new GatewayError('TEMPLATE_FAILED', message);
}

/** A request as it is looked at, and its text for kinds that read that, where it reports more. */
function apart(kind: Kind, request: JsonObject): { body: Json; bytes: Uint8Array | undefined } {
  const { keepsText, passes } = kindSpec(kind);
  if (keepsText !== true && passes === undefined) return { body: request, bytes: undefined };
  const text = orderedText(request);
  if (keepsText === true) return { body: unordered(request), bytes: encoder.encode(text) };
  const { body, isWritten } = requestIn(kind, text);
  return { body, bytes: isWritten ? encoder.encode(text) : undefined };
}

/** A run has no streaming form for a result that is too large, and no `/write`. @throws what it is given, told without those */
function asOfRun(thrown: unknown): never {
  throw withoutStream(inWordsOf(OF_TEMPLATE, thrown), 'a run has no stream');
}
