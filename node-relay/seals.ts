/** Seals what clients carry for a driver from one call to the next, under the node's own key. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** A node's private key; the key of the seals is derived from it. */
interface SealingKey {
  readonly d: string;
}

/**
 * AES-256-GCM under a key that is derived from the node's private one: each process of a node opens
 * what another sealed. The current key seals; those before it still open.
 */
export class Seals {
  #key: Buffer;
  #keys: readonly Buffer[];

  constructor(nodeKeys: readonly [SealingKey, ...SealingKey[]]) {
    [this.#key, ...this.#keys] = derived(nodeKeys);
  }

  /** Uses these keys from now on, the current one first. */
  use(nodeKeys: readonly [SealingKey, ...SealingKey[]]): void {
    [this.#key, ...this.#keys] = derived(nodeKeys);
  }

  /** @param bound what it belongs to; elsewhere it does not open */
  seal(clear: Uint8Array, bound: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key, iv);
    cipher.setAAD(Buffer.from(bound));
    const sealed = [iv, cipher.update(clear), cipher.final(), cipher.getAuthTag()];
    return Buffer.concat(sealed).toString('base64url');
  }

  /** What `seal` was given; undefined where it was not sealed here, or for something else. */
  unseal(text: string, bound: string): Buffer | undefined {
    const sealed = Buffer.from(text, 'base64url');
    if (sealed.length < IV_BYTES + TAG_BYTES) return undefined;
    for (const key of [this.#key, ...this.#keys]) {
      const clear = opened(key, sealed, bound);
      if (clear !== undefined) return clear;
    }
    return undefined;
  }
}

function derived([current, ...before]: readonly [SealingKey, ...SealingKey[]]): [
  Buffer,
  ...Buffer[],
] {
  return [keyOf(current), ...before.map(keyOf)];
}

function keyOf({ d }: SealingKey): Buffer {
  const secret = Buffer.from(d, 'base64url');
  return Buffer.from(hkdfSync('sha256', secret, '', 'causeway: seals', KEY_BYTES));
}

function opened(key: Buffer, sealed: Buffer, bound: string): Buffer | undefined {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, IV_BYTES));
  decipher.setAAD(Buffer.from(bound));
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  try {
    const clear = decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES));
    return Buffer.concat([clear, decipher.final()]);
  } catch {
    return undefined;
  }
}
