/** What a route does with `Idempotency-Key`, and which of its outcomes are kept. Contract: "Retries by the client". */
import { ERROR_MEANINGS } from '../../proto/error-meanings.ts';
import { badRequest, ERRORS, GatewayError } from '../../proto/errors.ts';
import { Accepted, type Outcome, type StreamForm } from '../outcome.ts';

/** How a route that honours the key does so; what is left out has the usual meaning. */
export interface Idempotency<Body> {
  /** It changes nothing: failures of ours are not kept, and a call that was lost runs again. */
  readonly reads?: true;
  /** The operation itself remembers what it answered: it is given the key. */
  readonly own?: true;
  /**
   * Whether the backend of what the call acts on keeps the key itself: then the operation is given
   * it, and nothing holds the call off. Spec: transactions.md §7.
   */
  isKeptBy?(resource: unknown): boolean;
  /** A reply that succeeds carries a secret: only the fact is kept. */
  readonly secret?: true;
  /** Whether the call is one that the key is honoured for; all are when left out. @param resource what it acts on */
  honours?(given: Given, resource: unknown): boolean;
  /** Milliseconds that the call may take; 30,000 when left out. */
  lasts?(body: Body): number;
}

/** What a call brings that decides whether its key is honoured. */
export interface Given {
  readonly forms: readonly StreamForm[];
  /** The value of a header, or of what stands for it. */
  header(name: string): string | undefined;
}

/** `ignored`, or how. */
export type IdempotencyRule<Body> = 'ignored' | Idempotency<Body>;

/** Contract: "1 to 255 visible ASCII characters". Two headers arrive joined by a comma and a space. */
const KEY = /^[\x21-\x7e]{1,255}$/;

/** A key, and what it is for: with another target it is another key. */
export interface Key {
  readonly key: string;
  readonly target: readonly string[];
}

/** The rule with the key, where there is one to honour. */
export interface Keyed<Body> extends Key {
  readonly rule: Idempotency<Body>;
}

/**
 * The key with its rule; `undefined` where the operation does not honour it for this call: a
 * malformed one is refused there too, as the description says about the header.
 * @throws GatewayError BAD_REQUEST when it is not a key
 */
export function keyedBy<Body>(
  { key, target }: Key,
  rule: IdempotencyRule<Body>,
  given: Given,
  resource: unknown,
): Keyed<Body> | undefined {
  if (rule === 'ignored') return undefined;
  if (!KEY.test(key)) {
    const message = 'must be one key of 1 to 255 visible ASCII characters';
    throw badRequest('Idempotency-Key', message);
  }
  return rule.honours && !rule.honours(given, resource) ? undefined : { key, target, rule };
}

/**
 * Whether the key is free again: the call was refused for its caller or its rate, or failed on
 * our side, and provably changed nothing.
 */
export function isForgotten({ reads }: Idempotency<never>, { result, written }: Outcome): boolean {
  if (!(result instanceof GatewayError) || (written && !reads)) return false;
  const { status } = ERRORS[result.code];
  if (status === 401 || status === 403 || status === 429) return true;
  return status >= 500 && (reads === true || changedNothing(result));
}

/** By the table that callers are told it by. */
function changedNothing({ code, details }: GatewayError): boolean {
  const { effect = 'none' } = ERROR_MEANINGS[code];
  const isApplied = details.some((each) => 'applied' in each && each.applied === true);
  return effect === 'none' && !isApplied;
}

/** Whether the result carries what may not lie anywhere. */
export function isSecret({ secret }: Idempotency<never>, { result }: Outcome): boolean {
  return secret === true && !(result instanceof GatewayError);
}

/** The status that an outcome is told with. */
export function statusOf({ result }: Outcome): number {
  if (result instanceof GatewayError) return ERRORS[result.code].status;
  return result instanceof Accepted ? 202 : 200;
}
