/** Pieces of a driver that are asked for one at a time. */

/**
 * The pieces; when the signal aborts between two reads, their source is ended, so that
 * it frees what it holds.
 */
export async function* untilAborted<Piece>(
  pieces: AsyncIterable<Piece>,
  signal: AbortSignal,
): AsyncGenerator<Piece> {
  const source = pieces[Symbol.asyncIterator]();
  const end = (): void => void Promise.resolve(source.return?.()).catch(() => {});
  signal.addEventListener('abort', end);
  try {
    for (;;) {
      const next = await source.next();
      if (next.done) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', end);
    await source.return?.();
  }
}
