/** Streams of the runtime's own, read in fewer and larger parts. */

/** Bytes that are asked for at once: a relay's piece of 64 KiB and what is around it are one part. */
const PART_BYTES = 80 * 1024;

/**
 * The stream, in parts as large as have arrived, up to 80 KiB: by itself the runtime hands over
 * 4 KiB at a time, and each costs a turn of the thread. A stream that does not come from the
 * runtime stays as it is.
 */
export function inLargeParts(stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = bytesReaderOf(stream);
  if (reader === undefined) return stream;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read(new Uint8Array(PART_BYTES));
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** Only streams of bytes have one, and of a stream nothing says whether it is one. */
function bytesReaderOf(stream: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | undefined {
  try {
    return stream.getReader({ mode: 'byob' });
  } catch {
    return undefined;
  }
}
