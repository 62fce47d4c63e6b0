/** Long work in pieces: its runner decides after each whether other work comes first. */

/** Yields after each piece, which takes about a millisecond at most where the runtime lets it. */
export type Pieces<Result> = Generator<void, Result, void>;

/** All pieces, one after another. */
export function whole<Result>(pieces: Pieces<Result>): Result {
  for (;;) {
    const piece = pieces.next();
    if (piece.done) return piece.value;
  }
}

/** Work that cannot be divided, as one piece. */
// biome-ignore lint/correctness/useYield: it has nothing to give way at.
export function* undivided<Result>(work: () => Result): Pieces<Result> {
  return work();
}

/** Counts what was done, to tell when it is time to give way. */
export class Pace {
  readonly #perPiece: number;
  #done = 0;

  /** @param perPiece what one piece may cost, in units of the caller's */
  constructor(perPiece: number) {
    this.#perPiece = perPiece;
  }

  /** Counts so much more, where work cannot give way. */
  add(cost: number): void {
    this.#done += cost;
  }

  /** Counts so much more; whether the piece is done. */
  isOver(cost: number): boolean {
    this.#done += cost;
    if (this.#done < this.#perPiece) return false;
    this.#done = 0;
    return true;
  }
}
