/** Bodies that were looked through while they were read: nothing in them is written otherwise than JavaScript writes it. */
const plain = new WeakSet<Uint8Array>();

/** Remembers it of a body's bytes, for as long as these are there. */
export function notePlain(bytes: Uint8Array): void {
  plain.add(bytes);
}

/** Whether it is known of a body, so that nobody need look again. */
export function isKnownPlain(bytes: Uint8Array): boolean {
  return plain.has(bytes);
}
