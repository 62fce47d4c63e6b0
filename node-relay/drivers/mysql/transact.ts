/** Several requests in one transaction. Contract §6, "Transactions". */
import type { Call } from '../../../proto/driver.ts';
import { type ErrorDetails, GatewayError } from '../../../proto/errors.ts';
import { type Json, parseJson } from '../../../proto/json.ts';
import type { MysqlRequest } from '../../../proto/kinds/mysql.ts';
import { resolveReferences } from '../result-references.ts';
import { checkType, isRead, oneStatement } from './admit.ts';
import { attempt, type Done } from './database.ts';
import { admitted, execute, hasNames, type RowsRequest, type Scene, valuesOf } from './execute.ts';
import { inTransaction } from './run.ts';

/** Runs all or none; the value is a JSON array of SQL results. @throws GatewayError with `operation` in its details */
export async function runTransaction(
  scene: Scene,
  requests: readonly MysqlRequest[],
): Promise<Done<Buffer>> {
  const operations = requests.map((request, index) =>
    atOperation(index, () => rowsRequest(request)),
  );
  const results: Buffer[] = [];
  let left = scene.call.resultMaxBytes - 2;
  await inTransaction(scene, 'START TRANSACTION', async () => {
    for (const [index, operation] of operations.entries()) {
      const result = await atOperation(index, () => runOperation(scene, operation, results, left));
      left -= result.length + 1;
      results.push(result);
    }
  });
  const pieces = results.flatMap((result, index) => [Buffer.from(index > 0 ? ',' : ''), result]);
  return { value: Buffer.concat([Buffer.from('['), ...pieces, Buffer.from(']')]), traces: 'some' };
}

function rowsRequest(request: MysqlRequest): RowsRequest {
  checkType(request, 'write');
  switch (request.type) {
    case 'simple':
    case 'simple_read_only':
    case 'batch_execute': {
      const message = `Requests of type ${request.type} cannot be part of a transaction`;
      throw new GatewayError('BAD_REQUEST', message, { details: [{ path: 'type', message }] });
    }
    default:
      oneStatement(request.query, hasNames(request), 'transaction');
      return request;
  }
}

async function runOperation(
  scene: Scene,
  operation: RowsRequest,
  results: readonly Buffer[],
  budget: number,
): Promise<Buffer> {
  const earlier = (index: number) => {
    const result = results[index];
    return result === undefined ? undefined : parseJson(result.toString());
  };
  const params = paramsWith(operation.params ?? [], earlier);
  const request = { ...operation, params } as RowsRequest; // The same shape with other values.
  const deadline = new OwnDeadline(scene.call, request.timeout_ms);
  const own = { ...scene, call: { ...scene.call, signal: deadline.signal } };
  const { connection } = scene;
  try {
    return await attempt(connection, 'write', deadline.signal, async () => {
      const parsed = oneStatement(request.query, hasNames(request), 'transaction');
      if (isRead(request, 'write')) await admitted(own, parsed, true);
      const values = valuesOf(request, parsed);
      // Inside a transaction of its own, a read is kept from writing by the guard alone.
      const result = await execute(own, { request, parsed, values, read: false }, budget);
      if (!connection.wire.inTransaction) throw endedEarly();
      return result;
    });
  } finally {
    deadline.end();
  }
}

/** A name among the parameters is no operator, even when it is the only one. */
function paramsWith(
  params: NonNullable<RowsRequest['params']>,
  earlier: (index: number) => Json | undefined,
): Json {
  const resolved = (value: Json) => resolveReferences(value, earlier, 'unwrapped');
  if (Array.isArray(params)) return params.map(resolved);
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, resolved(value)]));
}

/** A procedure or trigger has committed: what came before it stands. */
function endedEarly(): GatewayError {
  const message = 'The statement ended the transaction; what came before it may be kept';
  return new GatewayError('REQUEST_FAILED', message, {
    details: [{ source: 'mysql', code: 'transaction_ended', message, applied: true }],
  });
}

/** Contract §1, "Deadline": each operation of a transaction has its own too. */
class OwnDeadline {
  readonly signal: AbortSignal;
  readonly #timer: NodeJS.Timeout | undefined;

  constructor({ signal }: Call, timeoutMs: number | undefined) {
    if (timeoutMs === undefined) {
      this.signal = signal;
      return;
    }
    const controller = new AbortController();
    const reason = new GatewayError('TIMED_OUT', 'The deadline of the operation passed');
    this.#timer = setTimeout(() => controller.abort(reason), timeoutMs);
    this.signal = AbortSignal.any([signal, controller.signal]);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

/** Names the operation in the details of its failure. */
function atOperation<Value>(operation: number, work: () => Value): Value {
  const named = (error: unknown): never => {
    if (!(error instanceof GatewayError)) throw error;
    throw new GatewayError(error.code, error.message, {
      cause: error,
      details: withOperation(error.details, operation),
    });
  };
  try {
    const value = work();
    return value instanceof Promise ? (value.catch(named) as Value) : value;
  } catch (error) {
    return named(error);
  }
}

function withOperation(details: readonly ErrorDetails[], operation: number): ErrorDetails[] {
  if (details.length === 0) return [{ operation }];
  return details.map((detail) => ({ ...detail, operation }));
}
