/** What a route does with `Idempotency-Key`, and which of its outcomes are kept. Contract: "Retries by the client". */
import { ERROR_MEANINGS } from '../../proto/error-meanings.ts';
import { ERRORS, GatewayError } from '../../proto/errors.ts';

/** How a route that honours the key does so; what is left out has the usual meaning. */
export interface Idempotency<Body> {
  /** It changes nothing: failures of ours are not kept, and a call that was lost runs again. */
  readonly reads?: true;
  /** A reply that succeeds carries a secret: only the fact is kept. */
  readonly secret?: true;
  /** Whether the call is one that the key is honoured for; all are when left out. */
  honours?(request: Request): boolean;
  /** Milliseconds that the call may take; 30,000 when left out. */
  lasts?(body: Body): number;
}

/** `ignored`, or how. */
export type IdempotencyRule<Body> = 'ignored' | Idempotency<Body>;

/** Contract: "1 to 255 visible ASCII characters". Two headers arrive joined by a comma and a space. */
const KEY = /^[\x21-\x7e]{1,255}$/;

/** The rule with the key, where there is one to honour. */
export interface Keyed<Body> {
  readonly key: string;
  readonly rule: Idempotency<Body>;
}

/**
 * The key that the request is to be known by; `undefined` when it has none, or the operation does
 * not honour it for this request: a malformed one is refused there too, as the description says of
 * the header. Beyond POST and PATCH it is ignored: those methods are idempotent. Spec silent.
 * @throws GatewayError BAD_REQUEST when it is none
 */
export function keyOf<Body>(
  request: Request,
  rule: IdempotencyRule<Body>,
): Keyed<Body> | undefined {
  const key = request.headers.get('Idempotency-Key');
  if (key === null || rule === 'ignored') return undefined;
  if (request.method !== 'POST' && request.method !== 'PATCH') return undefined;
  if (!KEY.test(key)) {
    const message = 'must be one key of 1 to 255 visible ASCII characters';
    throw new GatewayError('BAD_REQUEST', `Idempotency-Key: ${message}`, {
      details: [{ path: 'Idempotency-Key', message }],
    });
  }
  return rule.honours && !rule.honours(request) ? undefined : { key, rule };
}

/** What is known of a call that has ended. */
export interface Ended {
  readonly status: number;
  /** What it was refused with. */
  readonly failure: GatewayError | undefined;
  /** Something that it sent to a backend took effect there. */
  readonly written: boolean;
}

/**
 * Whether the key is free again: the call was refused for who sent it or how often, or failed on
 * our side, and provably changed nothing.
 */
export function isForgotten({ reads }: Idempotency<never>, ended: Ended): boolean {
  const { status, failure, written } = ended;
  if (written && !reads) return false;
  if (status === 401 || status === 403 || status === 429) return true;
  if (status < 500) return false;
  return reads === true || (failure !== undefined && changedNothing(failure));
}

/** By the table that callers are told it by. */
function changedNothing({ code, details }: GatewayError): boolean {
  const { effect = 'none' } = ERROR_MEANINGS[code];
  const isApplied = details.some((each) => 'applied' in each && each.applied === true);
  return effect === 'none' && !isApplied;
}

/** Whether the reply carries what may not lie anywhere. */
export function isSecret({ secret }: Idempotency<never>, status: number): boolean {
  return secret === true && status < ERRORS.BAD_REQUEST.status;
}
