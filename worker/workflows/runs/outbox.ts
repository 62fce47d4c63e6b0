/** What is to be done outside for runs: each once it is written, in the order of its run, and again until it was done. */
import type { Bindings } from '../../context.ts';
import { loggedFault } from '../../db/fault.ts';
import { log } from '../../log.ts';
import type { Driver } from './driver.ts';
import type { RunEffect } from './head.ts';
import type { RunRow } from './journal.ts';

/** Milliseconds after which what could not be done is tried again: doubled each time. */
const AGAIN = { first: 500, most: 60_000 };

interface OutboxRow extends Record<string, SqlStorageValue> {
  readonly id: number;
  readonly body: string;
  readonly tries: number;
  readonly at: number;
}

/** Does one effect. What it answers is done in one transaction with the effect's end. */
type Deliver = (row: RunRow, effect: RunEffect) => Promise<void>;

export class Outbox {
  readonly #driver: Driver;
  readonly #deliver: Deliver;
  readonly #state: DurableObjectState;
  readonly #busy = new Set<number>();

  constructor(state: DurableObjectState, _env: Bindings, driver: Driver, deliver: Deliver) {
    this.#state = state;
    this.#driver = driver;
    this.#deliver = deliver;
  }

  /** Begins to do what a run has asked for. */
  kick(run: number): void {
    if (this.#busy.has(run)) return;
    this.#busy.add(run);
    this.#state.waitUntil(
      this.#run(run).catch((thrown: unknown) => {
        const object = this.#driver.keeper.name;
        log('error', 'the outbox of a run failed', { object, ...loggedFault(thrown) });
      }),
    );
  }

  /** All that waits and is not under way. */
  kickAll(): void {
    const rows = this.#driver.keeper.sql
      .exec<{ run: number; at: number }>('SELECT DISTINCT run, at FROM outbox')
      .toArray();
    for (const { run, at } of rows) if (isDue(at)) this.kick(run);
  }

  async #run(run: number): Promise<void> {
    try {
      for (let next = this.#next(run); next; next = this.#next(run)) {
        if (!isDue(next.at)) return;
        await this.#driver.computing.turn();
        if (!(await this.#try(run, next))) return;
      }
    } finally {
      this.#busy.delete(run);
    }
  }

  #next(run: number): OutboxRow | undefined {
    return this.#driver.keeper.sql
      .exec<OutboxRow>(
        'SELECT id, body, tries, at FROM outbox WHERE run = ? ORDER BY id LIMIT 1',
        run,
      )
      .toArray()[0];
  }

  async #try(run: number, { id, body, tries }: OutboxRow): Promise<boolean> {
    const { keeper } = this.#driver;
    const row = keeper.at(run);
    try {
      // As the journal wrote it.
      if (row) await this.#deliver(row, JSON.parse(body) as RunEffect);
      keeper.sql.exec('DELETE FROM outbox WHERE id = ?', id);
      return true;
    } catch (thrown) {
      const wait = Math.min(AGAIN.most, AGAIN.first * 2 ** tries);
      const at = Date.now() + wait;
      keeper.sql.exec('UPDATE outbox SET tries = tries + 1, at = ? WHERE id = ?', at, id);
      this.#driver.arm(at);
      log('warn', 'an effect of a run is tried again', {
        run_id: row?.id,
        in_ms: wait,
        ...loggedFault(thrown),
      });
      return false;
    }
  }
}

/** Nothing waits longer than the longest pause: what seems to was tried before the clock was put back. */
function isDue(at: number): boolean {
  const now = Date.now();
  return at <= now || at > now + AGAIN.most;
}
