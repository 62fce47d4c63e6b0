/** Writes into a statement what Neon's protocol cannot say next to it, and finds places in the text that was given. */
import { parseStatements } from '../../../../kinds/postgres/dialect/parser.ts';
import { isTree } from '../../../../kinds/postgres/dialect/tree.ts';

/** A statement's text with insertions. */
export interface Rewritten {
  readonly text: string;
  /** Where a character of `text` is in the text as it was given; both are counted from 1. */
  place(position: number): number;
}

interface Insertion {
  /** Characters ahead of it in the given text. */
  readonly at: number;
  readonly inserted: string;
}

/** The text as it is. */
export function unchanged(text: string): Rewritten {
  return { text, place: (position) => position };
}

/** Gives each parameter the type that the caller named: `$1` becomes `($1::int8)`. */
export function withTypes(text: string, names: readonly string[]): Rewritten {
  const insertions = parametersIn(text).flatMap(({ at, length, number }): Insertion[] => {
    const name = names[number - 1];
    if (name === undefined) return [];
    return [
      { at, inserted: '(' },
      { at: at + length, inserted: `::${name})` },
    ];
  });
  return inserted(text, insertions);
}

/**
 * Lets a statement that answers rows fail unless it answers as many as are asked for, so that
 * the database undoes it: its error is that a text is no number.
 * @param mark is in the error's message ahead of the number of rows
 */
export function counted(
  statement: Rewritten,
  length: number,
  one: boolean,
  mark: string,
): Rewritten {
  const head = 'WITH causeway_rows AS (';
  const none = one ? '' : ' WHEN 0 THEN false';
  // The count stands on the side of the join that is looked at even where there are no rows.
  const tail = `\n) SELECT r.* FROM (
    SELECT CASE c.n WHEN 1 THEN true${none} ELSE ('${mark}' || c.n::text)::pg_catalog.int4 = 0 END AS fits
    FROM (SELECT pg_catalog.count(*) AS n FROM causeway_rows) c
  ) k LEFT JOIN causeway_rows r ON true WHERE k.fits`;
  const { text, place } = statement;
  return {
    text: head + text + tail,
    place: (position) => place(Math.min(Math.max(position - head.length, 1), length)),
  };
}

/**
 * Has a statement carry one more parameter, which it does not look at: the database's errors can
 * tell the values of parameters. Undefined where it cannot.
 */
export function withSpare(statement: Rewritten, parameter: number): Rewritten | undefined {
  const { text, place } = statement;
  const found = withClauseOf(text);
  if (found === 'unknown') return undefined;
  const spare = `causeway_spare AS (SELECT $${parameter}::pg_catalog.text)`;
  const insertion = found
    ? { at: found.behind, inserted: `${spare}, ` }
    : { at: 0, inserted: `WITH ${spare} ` };
  const whole = inserted(text, [insertion]);
  return { text: whole.text, place: (position) => place(whole.place(position)) };
}

/** The same behind so many spaces. */
export function behindSpaces({ text, place }: Rewritten, count: number): Rewritten {
  return {
    text: ' '.repeat(count) + text,
    place: (position) => place(Math.max(position - count, 1)),
  };
}

/** How many parameters a text has. */
export function parametersOfText(text: string): number {
  return parametersIn(text).reduce((most, { number }) => Math.max(most, number), 0);
}

/** Where the WITH of the statement itself ends, in characters. */
function withClauseOf(text: string): { readonly behind: number } | 'unknown' | undefined {
  const answer = parseStatements(text);
  if ('refused' in answer) return 'unknown';
  const [node] = Object.values(answer.statements[0]?.tree ?? {});
  const clause = isTree(node) ? node.withClause : undefined;
  if (!isTree(clause)) return undefined;
  const at = Number(clause.location ?? 0);
  const bytes = new TextEncoder().encode(text);
  const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true });
  const [words] = /^WITH\s+(?:RECURSIVE\s+)?/i.exec(decoder.decode(bytes.subarray(at))) ?? [];
  if (words === undefined || /RECURSIVE/i.test(words) !== (clause.recursive === true)) {
    return 'unknown';
  }
  return { behind: [...decoder.decode(bytes.subarray(0, at))].length + words.length };
}

function inserted(text: string, insertions: readonly Insertion[]): Rewritten {
  const characters = [...text];
  let whole = '';
  let from = 0;
  for (const { at, inserted: extra } of insertions) {
    whole += characters.slice(from, at).join('') + extra;
    from = at;
  }
  return {
    text: whole + characters.slice(from).join(''),
    place(position) {
      let shift = 0;
      for (const { at, inserted: extra } of insertions) {
        if (position - 1 - shift <= at) break;
        shift += Math.min(extra.length, position - 1 - shift - at);
      }
      return position - shift;
    },
  };
}

interface Parameter {
  readonly at: number;
  readonly length: number;
  readonly number: number;
}

/** Places of all parameters, in characters, in their order. */
function parametersIn(text: string): Parameter[] {
  const answer = parseStatements(text);
  if ('refused' in answer) return [];
  const found: { readonly byte: number; readonly number: number }[] = [];
  const waiting: unknown[] = answer.statements.map(({ tree }) => tree);
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (!Array.isArray(value) && !isTree(value)) continue;
    const { ParamRef: parameter } = isTree(value) ? value : {};
    if (isTree(parameter)) {
      found.push({ byte: Number(parameter.location ?? 0), number: Number(parameter.number ?? 0) });
    }
    for (const each of Object.values(value)) waiting.push(each);
  }
  found.sort((one, other) => one.byte - other.byte);
  const charactersBefore = counter(text);
  return found.map(({ byte, number }) => ({
    at: charactersBefore(byte),
    length: String(number).length + 1,
    number,
  }));
}

/** Counts the characters of a text before its bytes, which are asked for in their order. */
function counter(text: string): (byte: number) => number {
  const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true });
  const bytes = new TextEncoder().encode(text);
  let [from, characters] = [0, 0];
  return (byte) => {
    characters += [...decoder.decode(bytes.subarray(from, byte))].length;
    from = byte;
    return characters;
  };
}
