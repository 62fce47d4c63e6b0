/** The operations of one transaction: one after another, each told what those before it answered. */
import type { Call } from '../proto/driver.ts';
import { type ErrorDetails, GatewayError } from '../proto/errors.ts';
import type { Json } from '../proto/json.ts';
import { Pointed } from './pointed.ts';
import { type PointTo, pointIn } from './result-references.ts';

const decoder = new TextDecoder();

/** What one operation runs within. */
export interface OperationContext {
  /** The transaction's call, with the operation's own deadline too. Contract §1, "Deadline". */
  readonly call: Call;
  /** Where references point. */
  readonly point: PointTo;
  /** Bytes that its result may have. */
  readonly budget: number;
}

/** Where operations are in a transaction that has others too. */
interface Places {
  /** The place of an operation by its index among these. */
  placeOf(index: number): number;
  /** The result of an operation that is none of these, by its place. */
  earlier(place: number): Json | undefined;
}

/** Of a transaction that has no others. */
const ALONE: Places = { placeOf: (index) => index, earlier: () => undefined };

/** Every operation as `check` answers it, before the first runs. @throws GatewayError with `operation` in its details */
export function checkEach<Request, Operation>(
  requests: readonly Request[],
  check: (request: Request) => Operation,
  { placeOf }: Pick<Places, 'placeOf'> = ALONE,
): Operation[] {
  return requests.map((request, index) => atOperation(placeOf(index), () => check(request)));
}

/**
 * Runs operations and answers their results as JSON text, together within the call's
 * `resultMaxBytes` as a list. Contract §6, "Transactions".
 * @throws GatewayError with `operation` in its details
 */
export async function runEach<
  Operation extends { readonly timeout_ms?: number | undefined },
  Bytes extends Uint8Array,
>(
  call: Call,
  operations: readonly Operation[],
  run: (operation: Operation, turn: OperationContext) => Promise<Bytes>,
  places: Places = ALONE,
): Promise<Bytes[]> {
  const results: Bytes[] = [];
  const pointed = await Pointed.by(operations, call.inTurn);
  const point = pointed.at(pointIn((place) => places.earlier(place)));
  let budget = call.resultMaxBytes - 2;
  for (const [index, operation] of operations.entries()) {
    const deadline = new OwnDeadline(call, operation.timeout_ms);
    const turn = { call: { ...call, signal: deadline.signal }, point, budget };
    try {
      const place = places.placeOf(index);
      const result = await atOperation(place, () => run(operation, turn));
      budget -= result.length + 1;
      results.push(result);
      await pointed.take(place, () => decoder.decode(result));
    } finally {
      deadline.end();
    }
  }
  return results;
}

/** A signal that aborts with the call's, or after the time that the operation is given. */
class OwnDeadline {
  readonly signal: AbortSignal;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;

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
    if (this.#timer !== undefined) clearTimeout(this.#timer);
  }
}

/** Names the operation in the details of its failure, which is a GatewayError. */
export function atOperation<Value>(operation: number, work: () => Value): Value {
  const named = (error: unknown): never => {
    if (!(error instanceof GatewayError)) throw error;
    throw new GatewayError(error.code, error.message, {
      cause: error,
      details: withOperation(error.details, operation),
      ...(error.retryAfter === undefined ? {} : { retryAfter: error.retryAfter }),
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
