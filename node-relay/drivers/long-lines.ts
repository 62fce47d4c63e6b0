/** Rows as lines while they arrive, of which long ones are written in pieces. Contract §6, "Large results". */
import type { Call } from '../../proto/driver.ts';
import type { LongWriter } from '../../proto/long-text.ts';
import type { Pieces } from '../../proto/work/pieces.ts';
import { Lines, type Source } from './lines.ts';
import { LongRows, sharedSource, writeLine } from './long-rows.ts';

/** Lines in the order of their rows. */
export class LongLines<Row, Long extends object> extends Lines<Row> {
  readonly #long: LongRows<Long>;

  /** @param writerOf what writes a row that was added as a long one, or behind it */
  constructor(source: Source, call: Call, writerOf: (row: Long) => LongWriter) {
    const shared = sharedSource(source);
    super(shared());
    const write = (row: Long): Pieces<void> =>
      writeLine(writerOf(row), (piece) => this.piece(piece));
    this.#long = new LongRows(shared(), call, write, this);
  }

  /** Whether rows that come now are added as long ones, however short. */
  protected get isWriting(): boolean {
    return this.#long.isWriting;
  }

  protected addLong(row: Long): void {
    this.rowCount += 1;
    this.#long.add(row);
  }

  override abandon(): void {
    this.#long.abandon();
    super.abandon();
  }

  /**
   * What was asked for, once the rows that came of it are lines: those that came before a failure are told before it, too.
   * @param undo what follows where the rows could not be written
   */
  async after<Answer>(
    answered: Promise<Answer>,
    undo: () => Promise<void> = async () => {},
  ): Promise<Answer> {
    const [answer] = await Promise.allSettled([answered]);
    try {
      await this.#long.written();
    } catch (error) {
      if (answer.status === 'rejected') throw answer.reason;
      await undo();
      throw error;
    }
    if (answer.status === 'rejected') throw answer.reason;
    return answer.value;
  }
}
