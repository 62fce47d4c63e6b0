/** Elements of loops and what they came to, on an object's own database: no row holds more than some of them. */
import type { Json } from '../../../proto/json.ts';
import type { ElementEnd, ElementResult, Ref } from '../engine/journal.ts';
import { BELOW, belowOf } from './node-rows.ts';
import { SEALED_BYTES } from './vault.ts';

/** Parts of collections that were read last, by where they are: a loop asks for neighbours. */
const CHUNKS_MAX = 8;

interface ResultRow extends Record<string, SqlStorageValue> {
  readonly at: number;
  readonly output: number | null;
  readonly error: number | null;
  readonly size: number | null;
}

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

  /** @param read the value that a ref names */
  element(path: string, index: number, read: (ref: Ref) => Json): Json {
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
      chunk = read(row.ref) as Json[]; // As putElements was given it.
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

  /** @param sizeOf of an output that is not written yet */
  *results(path: string, most: number, sizeOf: (ref: Ref) => number): Iterable<ElementResult> {
    const rows = this.#sql.exec<ResultRow>(
      `SELECT at, output, error, (SELECT max(0, abs(size) - ${SEALED_BYTES}) FROM texts
          WHERE run = results.run AND ref = output) AS size
        FROM results WHERE run = ? AND path = ? ORDER BY at LIMIT ?`,
      this.#run,
      path,
      most,
    );
    for (const { at, output, error, size } of rows) {
      yield {
        index: at,
        size: size ?? (output === null ? 0 : sizeOf(output)),
        ...(output === null ? {} : { output }),
        ...(error === null ? {} : { error }),
      };
    }
  }

  dropResults(path: string, before: number): void {
    const sql = 'DELETE FROM results WHERE run = ? AND path = ? AND at < ?';
    this.#sql.exec(sql, this.#run, path, before);
  }

  /** Removes what an earlier attempt of a container, and of all below it, kept. */
  drop(path: string): void {
    for (const table of ['elements', 'results']) {
      this.#sql.exec(`DELETE FROM ${table} WHERE run = ? AND path = ?`, this.#run, path);
      const below = `DELETE FROM ${table} WHERE run = ? AND ${BELOW}`;
      this.#sql.exec(below, this.#run, ...belowOf(path));
    }
    this.#chunks.clear();
  }
}
