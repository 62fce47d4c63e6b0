/** Seals what clients carry for a driver from one call to the next, under the node's own key. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM under a key that is derived from the node's private one: each process of a node opens what another sealed. */
export class Seals {
  readonly #key: Buffer;

  constructor(nodeKey: { readonly d: string }) {
    const secret = Buffer.from(nodeKey.d, 'base64url');
    this.#key = Buffer.from(hkdfSync('sha256', secret, '', 'causeway: seals', KEY_BYTES));
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
    const decipher = createDecipheriv('aes-256-gcm', this.#key, sealed.subarray(0, IV_BYTES));
    decipher.setAAD(Buffer.from(bound));
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    try {
      const clear = decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES));
      return Buffer.concat([clear, decipher.final()]);
    } catch {
      return undefined;
    }
  }
}
