/** Rows that take long to write: each in pieces, by turns with what others ask for, while the source of rows is held back. */
import type { Call } from '../../proto/driver.ts';
import { LongText, type LongWriter } from '../../proto/long-text.ts';
import { type Pieces, whole } from '../../proto/work/pieces.ts';
import type { Source } from './lines.ts';

/** A source that several hold back, each by what this answers: it goes on when none of them does. */
export function sharedSource(source: Source): () => Source {
  const holding = new Set<Source>();
  return () => {
    const own: Source = {
      pause() {
        holding.add(own);
        source.pause();
      },
      resume() {
        holding.delete(own);
        if (holding.size === 0) source.resume();
      },
    };
    return own;
  };
}

/** Bytes of a line up to which it is one piece. A message of a stream holds no more than 64 MiB, and is copied in one go. */
const LINE_AT_ONCE_BYTES = 2 * 1024 * 1024;
/** Bytes of the pieces of a longer one, about. */
const LINE_PIECE_BYTES = 256 * 1024;

/** Writes a long row as a line. @param take is given it as a whole, or in pieces of a very long one */
export function* writeLine(write: LongWriter, take: (piece: Buffer) => void): Pieces<void> {
  let most = LINE_AT_ONCE_BYTES;
  let length = 0;
  let texts: Buffer[] = [];
  const cut = () => {
    take(Buffer.concat(texts));
    texts = [];
    length = 0;
    most = LINE_PIECE_BYTES;
  };
  const out = new LongText(undefined, (text) => {
    const bytes = Buffer.from(text);
    texts.push(bytes);
    length += bytes.length;
    if (length >= most) cut();
  });
  yield* write(out);
  out.add('\n');
  out.end();
  if (length > 0) cut();
}

/** The same, all of it. */
export function* lineOf(write: LongWriter): Pieces<readonly Buffer[]> {
  const pieces: Buffer[] = [];
  yield* writeLine(write, (piece) => pieces.push(piece));
  return pieces;
}

/** Does what results make long in its turn, until the call ends. @throws why the signal aborts, and what the work throws */
export async function inTurnOf<Result>(
  { inTurn = inOne, signal }: Pick<Call, 'inTurn' | 'signal'>,
  pieces: Pieces<Result>,
): Promise<Result> {
  return inTurn(untilAborted(pieces, signal));
}

function* untilAborted<Result>(pieces: Pieces<Result>, signal: AbortSignal): Pieces<Result> {
  for (;;) {
    signal.throwIfAborted();
    const piece = pieces.next();
    if (piece.done) return piece.value;
    yield;
  }
}

/** Where what is written goes: the writer waits while it is full. */
interface Room {
  readonly isFull: boolean;
  room(): Promise<void>;
}

const ENDLESS: Room = { isFull: false, room: async () => {} };

/** The rows that wait behind one that takes long, in their order; no more come than the source has brought already. */
export class LongRows<Row extends object> {
  readonly #source: Source;
  readonly #call: Pick<Call, 'inTurn' | 'signal'>;
  readonly #write: (row: Row) => Pieces<void>;
  readonly #room: Room;
  #rows: (Row | undefined)[] = [];
  #writing: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;
  #abandoned = false;

  constructor(
    source: Source,
    call: Pick<Call, 'inTurn' | 'signal'>,
    write: (row: Row) => Pieces<void>,
    room = ENDLESS,
  ) {
    this.#source = source;
    this.#call = call;
    this.#write = write;
    this.#room = room;
  }

  /** Whether rows that come now have to wait. */
  get isWriting(): boolean {
    return this.#writing !== undefined;
  }

  add(row: Row): void {
    if (this.#abandoned) return;
    this.#rows.push(row);
    this.#writing ??= this.#begin();
  }

  /** Settles when no row waits; undefined where none does. @throws what a row failed with, or why the signal aborts */
  written(): Promise<void> | undefined {
    if (this.#failure) throw this.#failure.error;
    return this.#writing?.then(() => {
      this.#call.signal.throwIfAborted();
      return this.written();
    });
  }

  /** Drops what waits, so that the server comes to read the request to stop. */
  readonly abandon = (): void => {
    if (this.#abandoned) return;
    this.#abandoned = true;
    this.#rows = [];
    if (this.isWriting) this.#source.resume();
  };

  async #begin(): Promise<void> {
    const { signal, inTurn = inOne } = this.#call;
    this.#source.pause();
    signal.addEventListener('abort', this.abandon, { once: true });
    try {
      while (this.#rows.length > 0) {
        const all = this.#all();
        while (!(await inTurn(this.#some(all)))) await this.#room.room();
      }
    } catch (error) {
      this.#failure = { error };
    } finally {
      signal.removeEventListener('abort', this.abandon);
      this.#writing = undefined;
      this.#rows = [];
      if (!this.#abandoned) this.#source.resume();
    }
  }

  /** Goes on as long as there is room; whether all is done. */
  *#some(all: Pieces<void>): Pieces<boolean> {
    while (!all.next().done) {
      if (this.#room.isFull) return false;
      yield;
    }
    return true;
  }

  *#all(): Pieces<void> {
    for (let at = 0; at < this.#rows.length; at += 1) {
      const row = this.#rows[at];
      this.#rows[at] = undefined;
      if (row === undefined) continue;
      for (const pieces = this.#write(row); !pieces.next().done; ) {
        if (this.#abandoned) return;
        yield;
      }
    }
    this.#rows = [];
  }
}

async function inOne<Result>(pieces: Pieces<Result>): Promise<Result> {
  return whole(pieces);
}
