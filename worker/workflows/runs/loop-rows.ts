/** Elements of loops and what they came to, on an object's own database: no row holds more than some of them. */
import type { Json } from '../../../proto/json.ts';
import { parseAsWritten } from '../../../proto/written-json.ts';
import type { ElementEnd, Ref } from '../engine/journal.ts';
import { BELOW, belowOf } from './node-rows.ts';

/** Parts of collections that were read last, by where they are: a loop asks for neighbours. */
const CHUNKS_MAX = 8;

export class LoopRows {
  readonly #sql: SqlStorage;
  readonly #run: number;
  readonly #chunks = new Map<string, readonly Json[]>();

  constructor(sql: SqlStorage, run: number) {
    this.#sql = sql;
    this.#run = run;
  }

  putElements(path: string, first: number, ref: Ref): void {
    this.#sql.exec(
      'INSERT OR REPLACE INTO elements VALUES (?, ?, ?, ?)',
      this.#run,
      path,
      first,
      ref,
    );
  }

  element(path: string, index: number, textOf: (ref: Ref) => string): Json {
    const [row] = this.#sql
      .exec<{ first: number; ref: number }>(
        'SELECT first, ref FROM elements WHERE run = ? AND path = ? AND first <= ? ORDER BY first DESC LIMIT 1',
        this.#run,
        path,
        index,
      )
      .toArray();
    if (!row) throw new Error(`The run has no element ${index} of ${path}`);
    const name = `${path}:${row.first}`;
    let chunk = this.#chunks.get(name);
    if (!chunk) {
      chunk = parseAsWritten(textOf(row.ref)) as Json[]; // As putElements was given it.
      if (this.#chunks.size >= CHUNKS_MAX) this.#chunks.clear();
      this.#chunks.set(name, chunk);
    }
    return chunk[index - row.first] ?? null;
  }

  putResult(path: string, index: number, { output, error }: ElementEnd): void {
    this.#sql.exec(
      'INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?)',
      this.#run,
      path,
      index,
      output ?? null,
      error ?? null,
    );
  }

  *results(path: string): Iterable<ElementEnd & { readonly index: number }> {
    const rows = this.#sql.exec<{ at: number; output: number | null; error: number | null }>(
      'SELECT at, output, error FROM results WHERE run = ? AND path = ? ORDER BY at',
      this.#run,
      path,
    );
    for (const { at, output, error } of rows) {
      yield {
        index: at,
        ...(output === null ? {} : { output }),
        ...(error === null ? {} : { error }),
      };
    }
  }

  dropResults(path: string): void {
    this.#sql.exec('DELETE FROM results WHERE run = ? AND path = ?', this.#run, path);
  }

  /** Removes what an earlier attempt of a container, and of all below it, kept. */
  drop(path: string): void {
    for (const table of ['elements', 'results']) {
      const sql = `DELETE FROM ${table} WHERE run = ? AND (path = ? OR ${BELOW})`;
      this.#sql.exec(sql, this.#run, path, ...belowOf(path));
    }
    this.#chunks.clear();
  }
}
