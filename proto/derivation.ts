/** What the gateway asks of its password hasher, over HTTP: one key by scrypt, RFC 7914. */
import * as z from 'zod';
import { type FairQueue, QueueFull } from './fair-queue.ts';

/** Contract §3, "Passwords": four hashes at a time, and at most 64 that wait. */
export const AT_ONCE = 4;
export const WAITING_MAX = 64;

/** Far more than is asked for: a mistake must not take all memory. */
export const Derivation = z.strictObject({
  /** Whose turn it takes: an address. */
  who: z.string(),
  /** Both in base64url. */
  password: z.base64url(),
  salt: z.base64url(),
  /** Cost as a power of two, block size, parallelism. */
  ln: z.int().min(1).max(20),
  r: z.int().min(1).max(32),
  p: z.int().min(1).max(32),
  /** Bytes of the key. */
  length: z.int().min(1).max(128),
});
export type Derivation = z.infer<typeof Derivation>;

/** What is answered: the key's bytes with 200; 503 where too many wait. */
interface Derived {
  readonly status: 200 | 400 | 503;
  readonly key?: Uint8Array<ArrayBuffer>;
}

/**
 * Answers one question when its turn has come.
 * @param signal aborts when the caller has gone
 * @throws the reason of `signal`, and what `derive` throws
 */
export async function answerDerivation(
  line: FairQueue,
  asked: string,
  signal: AbortSignal,
  derive: (asked: Derivation) => Promise<Uint8Array<ArrayBuffer>>,
): Promise<Derived> {
  const parsed = Derivation.safeParse(jsonOf(asked));
  if (!parsed.success) return { status: 400 };
  try {
    return {
      status: 200,
      key: await line.do(parsed.data.who, signal, () => derive(parsed.data)),
    };
  } catch (thrown) {
    if (thrown instanceof QueueFull) return { status: 503 };
    throw thrown;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
