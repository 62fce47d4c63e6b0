/** The one function of Node's that the runtime lends to worker/auth/hasher-object.ts; no others exist for the worker. */
declare module 'node:crypto' {
  /** Computes at once, in the isolate's own time; so does the variant with a callback. */
  export function scryptSync(
    password: Uint8Array,
    salt: Uint8Array,
    length: number,
    options: { N: number; r: number; p: number; maxmem: number },
  ): Uint8Array;
}
