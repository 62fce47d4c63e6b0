/** The functions of Node's that the runtime lends to vault.ts, which seals within a transaction: that takes no waiting. */
declare module 'node:crypto' {
  interface Cipher {
    setAAD(bytes: Uint8Array): Cipher;
    update(bytes: Uint8Array): Uint8Array;
    final(): Uint8Array;
    getAuthTag(): Uint8Array;
  }
  interface Decipher {
    setAAD(bytes: Uint8Array): Decipher;
    setAuthTag(tag: Uint8Array): Decipher;
    update(bytes: Uint8Array): Uint8Array;
    final(): Uint8Array;
  }
  interface Hmac {
    update(text: string): Hmac;
    digest(): Uint8Array;
  }
  export interface KeyObject {
    readonly type: 'secret';
  }
  export function createSecretKey(key: Uint8Array): KeyObject;
  export function createCipheriv(algorithm: 'aes-256-gcm', key: KeyObject, iv: Uint8Array): Cipher;
  export function createDecipheriv(
    algorithm: 'aes-256-gcm',
    key: KeyObject,
    iv: Uint8Array,
  ): Decipher;
  export function createHmac(algorithm: 'sha256', key: KeyObject): Hmac;
}
