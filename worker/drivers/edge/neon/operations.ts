/**
 * Makes a batch's error tell which operation it is of: the endpoint does not. Each statement
 * carries its index in a parameter of its own, which the database's error then quotes; and each
 * is behind its own number of spaces, so that a place in a text is a place in one text only.
 */
import type { NeonDbError } from '@neondatabase/serverless';
import type { Statement } from '../../../../kinds/postgres/dialect/ask.ts';
import type { FieldValue } from '../../../../kinds/postgres/dialect/encode.ts';
import type { Query } from './bind.ts';
import { behindSpaces, parametersOfText, type Rewritten, withSpare } from './rewrite.ts';

/** An operation as it is sent. */
export interface SentOperation {
  readonly ready: Query;
  readonly statement: Statement;
  readonly rewritten: Rewritten;
  /** What the error of this operation alone quotes; undefined where it carries nothing. */
  readonly quoted: string | undefined;
}

/** Bytes of each parameter that errors, and the server's log of them, may hold: at most as many as an index has. */
export const QUOTED_BYTES: Statement = {
  text: "SELECT pg_catalog.set_config('log_parameter_max_length_on_error', '4', true)",
};

/** Spaces of a whole batch; beyond it places in texts tell nothing about the operation. */
const SPACES_MAX = 262_144;

/** Operations as they are sent, each with what distinguishes it from the others. */
export function marked(all: readonly Query[]): SentOperation[] {
  if (all.length < 2) return all.map((ready) => plain(ready));
  const spared = all.map(spare);
  const longest = Math.max(...spared.map(({ rewritten }) => rewritten.text.length)) + 1;
  const spaces = (longest * all.length * (all.length - 1)) / 2;
  if (spaces > SPACES_MAX) return spared;
  return spared.map((each, index) => {
    const rewritten = behindSpaces(each.rewritten, index * longest);
    return { ...each, rewritten, statement: { ...each.statement, text: rewritten.text } };
  });
}

function plain(ready: Query, rewritten = ready.rewritten): SentOperation {
  const { values } = ready;
  return { ready, rewritten, statement: { text: rewritten.text, values }, quoted: undefined };
}

function spare(ready: Query, index: number): SentOperation {
  const { parsed, rewritten, values } = ready;
  // With a wrong number of values the server's own complaint counts.
  if (!parsed?.plain || parametersOfText(rewritten.text) !== values.length) return plain(ready);
  const number = values.length + 1;
  const found = withSpare(rewritten, number);
  if (!found) return plain(ready);
  const value = `#${index}`;
  return {
    ready,
    rewritten: found,
    statement: { text: found.text, values: [...values, value] },
    quoted: `$${number} = '${value}'`,
  };
}

/** The indexes of the operations that an error may be of; none where nothing says so. */
export function failedOperations(
  { where, position }: NeonDbError,
  all: readonly SentOperation[],
): readonly number[] {
  if (all.length === 1) return [0];
  const isOf = where === undefined ? ofPlace(Number(position)) : ofQuotation(where);
  return all.flatMap((each, index) => (isOf(each) ? [index] : []));
}

type IsOf = (operation: SentOperation) => boolean;

/** Source: PostgreSQL, `ParamsErrorCallback` and `bind_param_error_callback`. */
function ofQuotation(where: string): IsOf {
  const line = where.split('\n').at(-1) ?? '';
  if (line.includes(' with parameters: ')) {
    return ({ quoted }) => quoted !== undefined && line.endsWith(quoted);
  }
  // There, an operation with a value that does not fit its type runs alone.
  const [, number, start] = /parameter \$(\d+) = '([\s\S]{0,4}?)(?:\.\.\.)?'$/.exec(line) ?? [];
  if (number === undefined || start === undefined) return () => false;
  const fits = (value: FieldValue | undefined) => value?.startsWith(start) === true;
  return ({ statement: { values = [] } }) => fits(values[Number(number) - 1]);
}

/** Each text has its own places. */
function ofPlace(position: number): IsOf {
  return ({ rewritten: { text } }) =>
    position > text.length - text.trimStart().length && position <= [...text].length + 1;
}
