/** A relay's stream of pieces as a body: pulled as the client reads, one piece in memory. */

/** A message of a server stream of ours. */
interface Piece {
  readonly chunk: Uint8Array;
}

/** A stream whose first message has arrived: failures before it are the call's own. */
export interface Opened {
  readonly first: Uint8Array;
  readonly rest: AsyncIterator<Piece>;
}

/** Waits for the first message of a server stream. */
export async function open(messages: AsyncIterable<Piece>): Promise<Opened> {
  const rest = messages[Symbol.asyncIterator]();
  const first = await rest.next();
  return { first: first.done ? new Uint8Array() : first.value.chunk, rest };
}

/** Waits for the first piece that holds something, or the end. @throws whatever the stream fails with before it */
export async function begun({ first, rest }: Opened): Promise<Opened> {
  let piece = first;
  while (piece.byteLength === 0) {
    const message = await rest.next();
    if (message.done) break;
    piece = message.value.chunk;
  }
  return { first: piece, rest };
}

/** What goes on besides a body. */
interface PieceHooks extends Endings {
  /** Told of the bytes of each piece: the next one waits for it. */
  passed(bytes: number): Promise<void>;
}

/** How a body ends; one of these is called, once. */
interface Endings {
  ended(): void;
  /** The client has gone. */
  cancelled(): void;
  /** The bytes that tell the client; or what it breaks off with, for who keeps it as a whole. @param last byte that it has got */
  failed(thrown: unknown, last: number | undefined): Uint8Array | Error;
}

/** The pieces as a body. */
export function bodyOf({ first, rest }: Opened, beside: PieceHooks): ReadableStream<Uint8Array> {
  let held: Uint8Array | undefined = first;
  let lastByte: number | undefined;

  /** The next piece that is not empty; `undefined` at the end. */
  async function next(): Promise<Uint8Array | undefined> {
    for (;;) {
      const piece = held;
      held = undefined;
      if (piece && piece.byteLength > 0) return piece;
      const message = await rest.next();
      if (message.done) return undefined;
      held = message.value.chunk;
    }
  }

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const piece = await next();
          if (piece) {
            lastByte = piece.at(-1);
            controller.enqueue(piece);
            // What is enqueued is sent meanwhile.
            return await beside.passed(piece.byteLength);
          }
          beside.ended();
        } catch (thrown) {
          const last = beside.failed(thrown, lastByte);
          if (last instanceof Error) return controller.error(last);
          controller.enqueue(last);
        }
        controller.close();
      },
      cancel() {
        beside.cancelled();
      },
    },
    { highWaterMark: 0 },
  );
}
