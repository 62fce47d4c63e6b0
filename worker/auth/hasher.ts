/**
 * Where passwords are hashed: never on the thread that serves requests. Next to a self-hosted
 * gateway that is a process of its own, which the binding `PASSWORD_HASHER` reaches; on the
 * platform it is one of four objects, by the caller's address.
 */
import { base64url } from 'jose';
import type { Derivation } from '../../proto/derivation.ts';
import { GatewayError } from '../../proto/errors.ts';
import type { PublicContext } from '../context.ts';
import { startDeadline } from '../drivers/deadline.ts';
import { subscriberOf } from '../limits/rate.ts';

/** All that a hash needs of a request. */
export type Asking = Pick<PublicContext, 'env' | 'address' | 'signal' | 'now'>;

/** Cost as a power of two, block size, parallelism. */
export interface Parameters {
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

/** Seconds until most of a full line has gone. */
const RETRY_AFTER_S = 5;
/** Milliseconds that a hash may take with its waiting, as a backend by default may. */
const WAIT_MAX_MS = 30_000;
/** Tries to reach a hasher, and milliseconds between them: one that died is back within a second. */
const TRIES = 30;
const TRY_AGAIN_MS = 100;
/** Objects on the platform. */
const OBJECTS = 4;

/**
 * The key that scrypt makes. A client that goes away, where the runtime gives, takes its question
 * out of the line; so does the end of its time.
 * @throws GatewayError SERVICE_UNAVAILABLE when too many wait, or the hasher cannot be reached
 */
export async function derive(
  ctx: Asking,
  password: Uint8Array,
  salt: Uint8Array,
  { length, ...parameters }: Parameters & { readonly length: number },
): Promise<Uint8Array> {
  const who = subscriberOf(ctx.address);
  const asked: Derivation = {
    who,
    password: base64url.encode(password),
    salt: base64url.encode(salt),
    ...parameters,
    length,
  };
  const deadline = startDeadline(ctx, WAIT_MAX_MS, true);
  try {
    const response = await reach(ctx, who, deadline.signal, JSON.stringify(asked));
    return await keyOf(response);
  } finally {
    deadline.end();
  }
}

async function keyOf(response: Response): Promise<Uint8Array> {
  if (response.status === 200) return new Uint8Array(await response.arrayBuffer());
  await response.body?.cancel();
  if (response.status !== 503) throw new Error(`The hasher answered ${response.status}`);
  throw new GatewayError('SERVICE_UNAVAILABLE', 'Too many passwords wait to be checked', {
    retryAfter: RETRY_AFTER_S,
  });
}

/** Asked twice, it answers the same. */
async function reach(
  ctx: Asking,
  who: string,
  signal: AbortSignal,
  body: string,
): Promise<Response> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await hasherOf(ctx, who).fetch('http://hasher.invalid/', {
        method: 'POST',
        body,
        signal,
      });
    } catch (cause) {
      if (signal.aborted || tried === TRIES) {
        throw new GatewayError('SERVICE_UNAVAILABLE', 'Passwords cannot be checked just now', {
          cause,
          retryAfter: RETRY_AFTER_S,
        });
      }
      await scheduler.wait(TRY_AGAIN_MS);
    }
  }
}

/** One address has one object, so that it cannot fill them all. */
function hasherOf({ env }: Asking, who: string): Pick<Fetcher, 'fetch'> {
  if (env.PASSWORD_HASHER) return env.PASSWORD_HASHER;
  let sum = 0;
  for (const character of who) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 65_521;
  return env.PASSWORD_HASHERS.getByName(`hasher:${sum % OBJECTS}`);
}
