/** Rows as lines of NDJSON: collected while they arrive, handed on as fast as they are taken. Contract §6, "Large results". */

const PIECE_LENGTH = 65_536;
/** Pieces that wait to be taken before the source is held back. */
const WAITING_MAX = 4;

/** Where rows come from, such as a socket. */
export interface Source {
  pause(): unknown;
  resume(): unknown;
}

/** The line that gives columns ahead of rows. @param columnsJson `[{"name", "type"}, …]` */
export function columnsLine(columnsJson: string): string {
  return `{"columns":${columnsJson}}\n`;
}

/** Collects lines into pieces, and pauses the source while the reader is slower. */
export class Lines<Row> {
  rowCount = 0;
  /** One row as JSON text; set before the first arrives. */
  write: ((row: Row) => string) | undefined;
  /** What the first piece holds: a line with the columns, or nothing. */
  head = '';
  readonly #source: Source;
  readonly #pieces: Buffer[] = [];
  #text = '';
  #wake: (() => void) | undefined;
  #makeRoom: (() => void) | undefined;
  #ended = false;
  #abandoned = false;

  constructor(source: Source) {
    this.#source = source;
  }

  row(row: Row): void {
    this.rowCount += 1;
    if (this.#abandoned) return;
    // A waiting reader gets all rows that the socket has just brought.
    if (this.#text === '' && this.#wake) queueMicrotask(() => this.#cut());
    this.#text += `${this.write?.(row)}\n`;
    if (this.#text.length >= PIECE_LENGTH) this.#cut();
  }

  /** A piece by itself, which is a line or a part of a very long one: all others are whole lines. */
  protected piece(piece: Buffer): void {
    if (this.#abandoned) return;
    this.#cut();
    this.#push(piece);
  }

  /** Whether so much waits to be taken that who writes pieces waits, too. */
  get isFull(): boolean {
    return !this.#abandoned && this.#pieces.length >= WAITING_MAX;
  }

  /** Settles when more may be written, or nobody reads any more. */
  async room(): Promise<void> {
    if (!this.isFull) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#makeRoom = resolve;
    await promise;
  }

  /** Drops what still comes, so that the server comes to read the request to stop. */
  abandon(): void {
    this.#abandoned = true;
    this.#pieces.length = 0;
    this.#source.resume();
    this.#makeRoom?.();
  }

  /** The last piece, whatever its size; none comes after. */
  end(): void {
    this.#cut();
    this.#ended = true;
    this.#wake?.();
  }

  /** The next piece; undefined after the last. */
  async next(): Promise<Buffer | undefined> {
    // What came meanwhile is handed over as it is.
    if (this.#pieces.length === 0) this.#cut();
    while (this.#pieces.length === 0 && !this.#ended) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
      this.#wake = undefined;
    }
    const piece = this.#pieces.shift();
    if (this.#pieces.length < WAITING_MAX) {
      this.#source.resume();
      this.#makeRoom?.();
    }
    return piece;
  }

  #cut(): void {
    if (this.#text === '') return;
    const piece = Buffer.from(this.#text);
    this.#text = '';
    this.#push(piece);
  }

  #push(piece: Buffer): void {
    this.#pieces.push(piece);
    if (this.#pieces.length >= WAITING_MAX) this.#source.pause();
    this.#wake?.();
  }
}

type Filled = Pick<Lines<never>, 'head' | 'next' | 'end' | 'abandon'>;

/** Work that fills lines, and how it ended. */
export class Filling {
  /** Settles when the work has, and never rejects. */
  readonly ended: Promise<void>;
  readonly #lines: Filled;
  #outcome: 'running' | 'ended' | { readonly error: unknown } = 'running';

  constructor(lines: Filled, work: Promise<void>) {
    this.#lines = lines;
    this.ended = work.then(
      () => {
        this.#outcome = 'ended';
      },
      (error: unknown) => {
        this.#outcome = { error };
      },
    );
    void this.ended.then(() => lines.end());
  }

  /** Throws what the work failed with, if it has. */
  throwFailure(): void {
    if (typeof this.#outcome === 'object') throw this.#outcome.error;
  }

  /** The head, which may be empty, then the lines; a reader that leaves before their end stops the work by `interrupt`. */
  async *pieces(interrupt: () => void): AsyncGenerator<Uint8Array> {
    const lines = this.#lines;
    try {
      yield Buffer.from(lines.head);
      for (let piece = await lines.next(); piece; piece = await lines.next()) yield piece;
      await this.ended;
      this.throwFailure();
    } finally {
      if (this.#outcome === 'running') {
        interrupt();
        lines.abandon();
        await this.ended;
      }
    }
  }
}
