/** Finds which of several operations has a value that does not fit its type, where the database's error fits them all. */
import { NeonDbError } from '@neondatabase/serverless';
import type { Statement } from '../../../../kinds/postgres/dialect/ask.ts';
import type { TripBounds } from './exchange.ts';

/** Sends statements in one transaction that changes nothing. */
export type Tries = (
  statements: readonly Statement[],
  read: true,
  bounds: TripBounds,
) => Promise<unknown>;

/**
 * The place of the first of `statements` that the error is of. Each is explained, not run: its
 * values are read all the same. A trip for each halving; undefined when these fail in another way.
 */
export async function firstOf(
  error: NeonDbError,
  statements: readonly Statement[],
  tries: Tries,
  bounds: TripBounds,
): Promise<number | undefined> {
  let from = 0;
  let to = statements.length - 1;
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    const explained = statements
      .slice(from, middle + 1)
      .map(({ text, values = [] }) => ({ text: `EXPLAIN ${text}`, values }));
    const failure = await tries(explained, true, bounds).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (failure === undefined) from = middle + 1;
    else if (isSame(error, failure)) to = middle;
    else return undefined;
  }
  return from;
}

function isSame({ code, message, where }: NeonDbError, other: unknown): boolean {
  return (
    other instanceof NeonDbError &&
    other.code === code &&
    other.message === message &&
    other.where === where
  );
}
