/** What is due of an object's runs: a few at a time, so that others get their turn. Spec: workflows.md §7. */
import type { DueKind } from '../engine/journal.ts';
import { due } from '../engine/machine.ts';
import type { Driver } from './driver.ts';

/** Times that are due which one round takes. */
const STEP = 200;

interface DueRow extends Record<string, SqlStorageValue> {
  readonly run: number;
  readonly path: string;
  readonly kind: DueKind;
}

export class DueTimes {
  readonly #driver: Driver;
  #isRunning = false;

  constructor(driver: Driver) {
    this.#driver = driver;
  }

  /** Takes all that is due, and sees to it that the object is woken for what comes next. */
  async run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      while (await this.#takeSome()) {
        await scheduler.wait(0);
        await this.#driver.computing.turn();
      }
    } finally {
      this.#isRunning = false;
    }
    const [next] = this.#driver.keeper.sql
      .exec<{ at: number | null }>('SELECT min(at) AS at FROM dues')
      .toArray();
    if (next?.at === null || next === undefined) return;
    if (next.at > Date.now()) return this.#driver.arm(next.at);
    await scheduler.wait(0);
    return this.run();
  }

  /** Answers whether there may be more. */
  async #takeSome(): Promise<boolean> {
    const rows = this.#driver.keeper.sql
      .exec<DueRow>(
        'SELECT run, path, kind FROM dues WHERE at <= ? ORDER BY at LIMIT ?',
        Date.now(),
        STEP,
      )
      .toArray();
    for (const row of rows) {
      // What is taken after a wait is looked for anew.
      if (this.#driver.computing.mustPause) return true;
      const taken = this.#take(row);
      if (!(taken instanceof Promise)) continue;
      await taken;
      return true;
    }
    return rows.length === STEP;
  }

  #take({ run, path, kind }: DueRow): void | Promise<void> {
    const acted = this.#driver.act(run, (turn) => {
      turn.journal.undue(path, kind);
      due(turn, path, kind);
      return true;
    });
    const ended = (isKnown: boolean | undefined) => {
      // Of a fault it must not come again and again.
      const sql = 'DELETE FROM dues WHERE run = ? AND path = ? AND kind = ?';
      if (!isKnown) this.#driver.keeper.sql.exec(sql, run, path, kind);
    };
    return acted instanceof Promise ? acted.then(ended) : ended(acted);
  }
}
