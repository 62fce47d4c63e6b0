/** Several requests to one endpoint, all or nothing. Contract §6, "Transactions". */
import type { RequestBase } from '../../kinds/kind.ts';
import type { Json } from '../../proto/json.ts';
import { demand } from '../access/access.ts';
import type { Context } from '../context.ts';
import { costly, isLight } from '../limits/heavy-work.ts';
import type { Worked } from '../limits/json-worker.ts';
import { type Outcome, outcomeOf } from '../outcome.ts';
import { backendOf } from './backend/choose.ts';
import { onceMarkOf } from './once.ts';
import { isReadByRelays } from './read-request.ts';
import {
  operationsOf,
  type ReadTransaction,
  type TransactionBody,
  timeoutOf,
} from './read-transaction.ts';
import {
  answerOf,
  exactly,
  formOf,
  type OnEndpoint,
  onceAnswerOf,
  type RequestOptions,
  writtenOf,
} from './request.ts';

/**
 * An array with one result per operation. References to earlier results travel as they are: the
 * driver puts the values in. A fault names its operation, from 0.
 */
export function transactionOn(
  ctx: Context,
  on: OnEndpoint,
  body: TransactionBody,
  options: RequestOptions,
): Promise<Outcome> {
  return outcomeOf(async (known) => {
    const { worked, bytes } = options;
    const { requests, needs, timeoutMs, written } = worked
      ? readElsewhere(on, worked, bytes)
      : await readHere(ctx, on, body, bytes);
    known.demands.push(demand(on, 'Write'));
    for (const level of needs) known.demands.push(demand(on, level));
    const message = { ...formOf(options), requests, written };
    const backend = await backendOf(ctx, on.resource, 'write');
    const mark = await onceMarkOf(ctx, on.resource, options);
    if (mark) return onceAnswerOf(ctx, backend, timeoutMs, known, { ...message, mark });
    return answerOf(ctx, backend, timeoutMs, known, (deadline) =>
      backend.transact(message, deadline),
    );
  });
}

/** A transaction as it is sent. */
interface TransactionCall extends ReadTransaction {
  readonly requests: readonly RequestBase[];
  readonly written: Uint8Array | undefined;
}

async function readHere(
  ctx: Context,
  { resource }: OnEndpoint,
  body: TransactionBody,
  bytes: Uint8Array | undefined,
): Promise<TransactionCall> {
  const { kind } = resource.row;
  const exact = await exactly(ctx, resource, body as Json, bytes); // It came as JSON.
  const { operations } = exact.body as TransactionBody; // Of the same members.
  const parse = () => operationsOf(kind, operations);
  const { requests, needs } = isLight(bytes) ? parse() : await costly(ctx, parse);
  const written = await writtenOf(ctx, kind, exact, bytes, requests);
  return { requests, needs, timeoutMs: body.timeout_ms ?? timeoutOf(requests), written };
}

/** @throws GatewayError what the transaction was refused with */
function readElsewhere(
  { resource }: OnEndpoint,
  worked: Worked,
  bytes: Uint8Array | undefined,
): TransactionCall {
  const made = worked.bytes();
  // As server/json-worker/requests.ts reports it.
  const read = worked.told as unknown as ReadTransaction;
  return { ...read, requests: [], written: isReadByRelays(resource.row.kind) ? bytes : made };
}
