/** Whether a server undoes all of a request that was stopped: tables of some engines keep what was written to them. */
import type { Token } from '../../../kinds/mysql/dialect/lexer.ts';
import { beside } from './beside.ts';
import type { Recipe } from './connection.ts';
import { OwnRows } from './own-rows.ts';
import { COMMAND, textCommand } from './packets.ts';

/** Milliseconds in which the server says so: its caller waits. */
const SAID_WITHIN_MS = 1_000;

/** Statements that change rows, or none: all of them or nothing, where tables have transactions. */
const OF_ROWS = new Set([
  ...['INSERT', 'UPDATE', 'DELETE', 'REPLACE', 'LOAD'],
  ...['SELECT', 'WITH', 'VALUES', 'TABLE', 'SHOW', 'EXPLAIN', 'DESC', 'DESCRIBE', 'SET', 'DO'],
]);

/** Whether a statement that begins so ends in all or nothing, where tables have transactions; procedures commit. */
export function isAllOrNothing(first: string): boolean {
  return OF_ROWS.has(first);
}

/** Schemas that are looked at, besides that of the connection. */
const SCHEMAS_MAX = 100;

/** By the tokens of statements, most of which run again. */
const known = new WeakMap<readonly Token[], readonly string[]>();

/** Names in front of a dot: schemas are among them. */
export function schemasIn(tokens: readonly Token[]): readonly string[] {
  const before = known.get(tokens);
  if (before) return before;
  const isName = ({ sort }: Token) => sort === 'word' || sort === 'name';
  const found = tokens.filter((token, at) => isName(token) && tokens[at + 1]?.text === '.');
  const names = [...new Set(found.map(({ raw }) => raw))];
  known.set(tokens, names);
  return names;
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
 * Whether all tables have transactions in these schemas and the connection's own; undefined where the server does not say so
 * within a second. What triggers write elsewhere is not looked at.
 */
export async function areTablesTransactional(
  recipe: Recipe,
  schemas: ReadonlySet<string>,
): Promise<boolean | undefined> {
  const sink = new OwnRows('text');
  const ask = textCommand(COMMAND.query, tablesWithout(schemas));
  return beside(recipe, SAID_WITHIN_MS, (wire) => wire.send(ask, sink)).then(
    () => sink.rows.length === 0,
    () => undefined,
  );
}
