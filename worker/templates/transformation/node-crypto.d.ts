/** The function of Node's that the runtime lends to transformers/encode.ts, which hashes at once. */
declare module 'node:crypto' {
  interface Hash {
    update(bytes: Uint8Array): Hash;
    digest(encoding: 'hex'): string;
  }
  export function createHash(algorithm: string): Hash;
}
