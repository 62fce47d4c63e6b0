/** Several requests in one transaction, each told what those before it answered. Contract §6, "Transactions". */
import { checkType, isRead, oneStatement } from '../../../../kinds/mysql/dialect/admit.ts';
import { hasNames, type RowsRequest } from '../../../../kinds/mysql/dialect/parameters.ts';
import type { MysqlRequest } from '../../../../kinds/mysql/index.ts';
import { type EarlierResult, resolveReferences } from '../../../../kinds/result-references.ts';
import { checkEach, runEach } from '../../../../kinds/transaction.ts';
import type { Call } from '../../../../proto/driver.ts';
import { badRequest } from '../../../../proto/errors.ts';
import type { Json } from '../../../../proto/json.ts';
import { listBytes } from '../sql/reply.ts';
import type { Database } from './database.ts';
import { inTransaction, ready, run } from './execute.ts';
import { toldFailure } from './failures.ts';

/** Runs all or none; the value is a JSON array of SQL results. @throws GatewayError with `operation` in its details */
export async function runTransaction(
  database: Database,
  requests: readonly MysqlRequest[],
  call: Call,
): Promise<Uint8Array> {
  const operations = checkEach(requests, rowsRequest);
  const line = database.line(call);
  const results = await inTransaction(line, call, 'write', () =>
    runEach(call, operations, async (operation, turn) => {
      const params = paramsWith(operation.params ?? [], turn.earlier);
      const request = { ...operation, params } as RowsRequest; // The same shape with other values.
      turn.call.signal.throwIfAborted();
      const statement = await ready(
        database,
        request,
        isRead(request, 'write'),
        'transaction',
        turn.call,
      );
      try {
        return await within(turn.call.signal, run(line, statement, turn.call, turn.budget));
      } catch (error) {
        throw toldFailure(error, 'read');
      }
    }),
  );
  return listBytes('[', results, ']');
}

/** The line keeps the whole transaction's time; an operation may have less. */
function within<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', stop));
}

function rowsRequest(request: MysqlRequest): RowsRequest {
  checkType(request, 'write');
  switch (request.type) {
    case 'simple':
    case 'simple_read_only':
    case 'batch_execute': {
      const message = `Requests of type ${request.type} cannot be part of a transaction`;
      throw badRequest('type', message, message);
    }
    default:
      oneStatement(request.query, hasNames(request), 'transaction');
      return request;
  }
}

/** A name among the parameters is no operator, even when it is the only one. */
function paramsWith(params: NonNullable<RowsRequest['params']>, earlier: EarlierResult): Json {
  const resolved = (value: Json) => resolveReferences(value, earlier, 'unwrapped');
  if (Array.isArray(params)) return params.map(resolved);
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, resolved(value)]));
}
