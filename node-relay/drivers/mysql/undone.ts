/** Whether a server undoes all of a request that was stopped: tables of some engines keep what was written to them. */
import { plainTableBehind } from '../../../kinds/mysql/dialect/engines.ts';
import type { Token } from '../../../kinds/mysql/dialect/lexer.ts';
import type { Parsed } from '../../../kinds/mysql/dialect/statement.ts';
import type { Json } from '../../../proto/json.ts';
import { beside } from './beside.ts';
import type { Recipe } from './connection.ts';
import { KeptStatements } from './kept-statements.ts';
import { OwnRows } from './own-rows.ts';
import { COMMAND, textCommand } from './packets.ts';
import { executeCommand } from './parameters.ts';
import type { Wire } from './wire.ts';

/** Milliseconds in which the server says so: its caller waits. */
const SAID_WITHIN_MS = 1_000;

/** Statements that change rows, or none: all of them or nothing, where tables have transactions. */
const OF_ROWS = new Set([
  ...['INSERT', 'UPDATE', 'DELETE', 'REPLACE', 'LOAD'],
  ...['SELECT', 'WITH', 'VALUES', 'TABLE', 'SHOW', 'EXPLAIN', 'DESC', 'DESCRIBE', 'SET', 'DO'],
]);

/** Whether a statement ends in all or nothing, where tables have transactions: procedures commit, and some commit what is open. */
export function isAllOrNothing({ first, commits }: Parsed): boolean {
  return OF_ROWS.has(first) && !commits;
}

/** Schemas that are looked at, besides that of the connection. */
const SCHEMAS_MAX = 100;

/** What a statement names. */
export interface Named {
  /** Names in front of a dot: schemas are among them. */
  readonly schemas: readonly string[];
  /** Each name once, and words. */
  readonly all: readonly Token[];
}

/** By the tokens of statements, most of which run again. */
const known = new WeakMap<readonly Token[], Named>();

/** What it names, and no more of a long one. */
export function namedIn(tokens: readonly Token[]): Named {
  const before = known.get(tokens);
  if (before) return before;
  const schemas = new Set<string>();
  const all = new Map<string, Token>();
  let last: Token | undefined;
  for (const token of tokens) {
    if (token.text === '.' && last !== undefined) schemas.add(last.raw);
    last = token.sort === 'word' || token.sort === 'name' ? token : undefined;
    if (last !== undefined) all.set(last.raw, last);
  }
  const named = { schemas: [...schemas], all: [...all.values()] };
  known.set(tokens, named);
  return named;
}

function tablesWithout(schemas: ReadonlySet<string>): string {
  const named = [...schemas].slice(0, SCHEMAS_MAX).map((each) => {
    return `CONVERT(X'${Buffer.from(each).toString('hex')}' USING utf8mb4)`;
  });
  return `SELECT 1 FROM information_schema.TABLES t
    JOIN information_schema.ENGINES e ON e.ENGINE = t.ENGINE
    WHERE e.TRANSACTIONS = 'NO' AND t.TABLE_TYPE = 'BASE TABLE'
      AND t.TABLE_SCHEMA IN (${['DATABASE()', ...named].join()}) LIMIT 1`;
}

/**
 * Whether all tables have transactions in the connection's schema and those that statements name, and so do all that are behind what they
 * name: views, triggers and programs, as far as the connection's user may see them. Undefined where the server does not say so within a second.
 * @param used the statement by which the connection's schema was chosen, where that is not the endpoint's
 */
export function areTablesTransactional(
  recipe: Recipe,
  named: ReadonlySet<Named>,
  used: string | undefined,
): Promise<boolean | undefined> {
  const schemas = new Set([...named].flatMap((each) => each.schemas));
  const tokens = [...named].flatMap(({ all }) => all);
  return beside(recipe, SAID_WITHIN_MS, async (wire) => {
    if (used !== undefined) await wire.send(textCommand(COMMAND.query, used));
    const sink = new OwnRows('text');
    await wire.send(textCommand(COMMAND.query, tablesWithout(schemas)), sink);
    return sink.rows.length === 0 && !(await plainTableBehind(tokens, rowsOn(wire)));
  }).catch(() => undefined);
}

/** Asks the server questions with values. */
function rowsOn(wire: Wire) {
  const statements = new KeptStatements(wire);
  return async (query: string, values: readonly Json[]): Promise<string[][]> => {
    const sink = new OwnRows('binary');
    await wire.send(executeCommand(await statements.prepare(query), values), sink);
    return sink.rows;
  };
}
