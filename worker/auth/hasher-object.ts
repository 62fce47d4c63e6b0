/**
 * The password hasher as an object, for the platform: a thread of its own, apart from those that
 * serve requests. Contract §3, "Passwords".
 */

import { DurableObject } from 'cloudflare:workers';
import { scryptSync } from 'node:crypto';
import { base64url } from 'jose';
import { AT_ONCE, answerDerivation, type Derivation, WAITING_MAX } from '../../proto/derivation.ts';
import { FairQueue } from '../../proto/fair-queue.ts';
import type { Bindings } from '../context.ts';

/**
 * Milliseconds between two hashes, in which new requests enter the queue. The
 * runtime's own clock decides: all overdue timers run before new requests.
 */
const REST_MS = 5;

/** One of as many as hashes are computed at once; each takes its share of those that may wait. */
export class PasswordHasher extends DurableObject<Bindings> {
  readonly #line = new FairQueue({
    atOnce: 1,
    waiting: WAITING_MAX / AT_ONCE,
    rest: () => scheduler.wait(REST_MS),
  });

  override async fetch(request: Request): Promise<Response> {
    const asked = await request.text();
    const { status, key } = await answerDerivation(this.#line, asked, request.signal, derive);
    return new Response(key, { status });
  }
}

async function derive({ password, salt, ln, r, p, length }: Derivation) {
  const N = 2 ** ln;
  // 128·N·r bytes is what the algorithm needs; the default refuses exactly that.
  const options = { N, r, p, maxmem: 256 * N * r };
  return new Uint8Array(
    scryptSync(base64url.decode(password), base64url.decode(salt), length, options),
  );
}
