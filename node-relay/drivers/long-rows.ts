/** Rows that take long to write: each in pieces, by turns with what others ask for, while the source of rows is held back. */
import type { Call } from '../../proto/driver.ts';
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

/** Bytes of a long row, as a line. */
export function* lineOf(row: Pieces<readonly string[]>): Pieces<Buffer> {
  const bytes: Buffer[] = [];
  for (const text of yield* row) {
    bytes.push(Buffer.from(text));
    yield;
  }
  return Buffer.concat([...bytes, Buffer.from('\n')]);
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

/** The rows that wait behind one that takes long, in their order; no more come than the source has brought already. */
export class LongRows<Row extends object> {
  readonly #source: Source;
  readonly #call: Pick<Call, 'inTurn' | 'signal'>;
  readonly #write: (row: Row) => Pieces<void>;
  #rows: (Row | undefined)[] = [];
  #writing: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;
  #abandoned = false;

  constructor(
    source: Source,
    call: Pick<Call, 'inTurn' | 'signal'>,
    write: (row: Row) => Pieces<void>,
  ) {
    this.#source = source;
    this.#call = call;
    this.#write = write;
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
      while (this.#rows.length > 0) await inTurn(this.#all());
    } catch (error) {
      this.#failure = { error };
    } finally {
      signal.removeEventListener('abort', this.abandon);
      this.#writing = undefined;
      this.#rows = [];
      if (!this.#abandoned) this.#source.resume();
    }
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
