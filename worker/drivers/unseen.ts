/** Bodies that the runtime passes on by itself where nothing has to look at them: each piece that is looked at costs a turn of the thread. */

const bodies = new WeakMap<ReadableStream<Uint8Array>, ReadableStream<Uint8Array>>();

/** Notes that a stream only hands over what the body of a reply holds. */
export function noteUnseen(
  stream: ReadableStream<Uint8Array>,
  body: ReadableStream<Uint8Array>,
): void {
  bodies.set(stream, body);
}

/** The body behind a stream that nobody has read or will; the stream itself where there is none. */
export function unseen(stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  return bodies.get(stream) ?? stream;
}
