/** Several requests in one transaction. Contract §6, "Transactions". */
import type { Call } from '../../../proto/driver.ts';
import { type ErrorDetails, GatewayError } from '../../../proto/errors.ts';
import { type Json, parseJson } from '../../../proto/json.ts';
import type { PostgresRequest } from '../../../proto/kinds/postgres.ts';
import { resolveReferences } from '../result-references.ts';
import { checkType, isRead, oneStatement } from './admit.ts';
import { attempt, type Done } from './database.ts';
import { admitted, bound, execute, type RowsRequest, type Scene } from './execute.ts';
import { inTransaction } from './several.ts';

/** Runs all or none; the value is a JSON array of SQL results. @throws GatewayError with `operation` in its details */
export async function runTransaction(
  scene: Scene,
  requests: readonly PostgresRequest[],
): Promise<Done<Buffer>> {
  const operations = requests.map((request, index) =>
    atOperation(index, () => rowsRequest(request)),
  );
  const results: Buffer[] = [];
  let left = scene.call.resultMaxBytes - 2;
  await inTransaction(scene, 'BEGIN', async () => {
    for (const [index, operation] of operations.entries()) {
      const result = await atOperation(index, () => runOperation(scene, operation, results, left));
      left -= result.length + 1;
      results.push(result);
    }
  });
  const pieces = results.flatMap((result, index) => [Buffer.from(index > 0 ? ',' : ''), result]);
  return { value: Buffer.concat([Buffer.from('['), ...pieces, Buffer.from(']')]), traces: 'some' };
}

function rowsRequest(request: PostgresRequest): RowsRequest {
  checkType(request, 'write');
  switch (request.type) {
    case 'simple':
    case 'simple_read_only':
    case 'batch_execute':
    case 'copy_in':
    case 'copy_out': {
      const message = `Requests of type ${request.type} cannot be part of a transaction`;
      throw new GatewayError('BAD_REQUEST', message, { details: [{ path: 'type', message }] });
    }
    default:
      oneStatement(request.query, isRead(request, 'write'), 'transaction');
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
  // A typed parameter stays a pair: only its value can be a reference.
  const params = resolveReferences((operation.params ?? []) as Json, earlier, 'unwrapped');
  const request = { ...operation, params } as RowsRequest; // The same shape with other values.
  const deadline = new OwnDeadline(scene.call, request.timeout_ms);
  const own = { ...scene, call: { ...scene.call, signal: deadline.signal } };
  try {
    return await attempt(scene.connection, 'write', deadline.signal, async () => {
      const read = isRead(request, 'write');
      const parsed = oneStatement(request.query, read, 'transaction');
      if (read) await admitted(own, parsed, true);
      const statement = await bound(own, request);
      // Inside a transaction of its own, a read is kept from writing by the guard alone.
      return await execute(own, { request, parsed, statement, read: false }, budget);
    });
  } finally {
    deadline.end();
  }
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
