/** What the guard asks the server: whose functions and views there are of certain names. */

import type { Json } from '../../../proto/json.ts';
import type { TableName } from '../../allow.ts';
import { ServerError } from './failures.ts';
import { isUsual } from './functions.ts';

/** Runs a statement of the driver's own and answers its rows' values as text. */
export type AskRows = (
  query: string,
  values: readonly Json[],
) => Promise<readonly (readonly string[])[]>;

/** A function that is not the server's own; one of a library has no database. */
export interface UserFunction {
  readonly schema: string;
  readonly name: string;
}

/** A view. */
export interface View {
  readonly schema: string;
  readonly name: string;
  /** Empty when the user may not see it. */
  readonly definition: string;
  /** It is of the session's own database. */
  readonly here: boolean;
}

const ROUTINES =
  "SELECT ROUTINE_SCHEMA, ROUTINE_NAME FROM information_schema.ROUTINES WHERE ROUTINE_TYPE = 'FUNCTION' AND ROUTINE_NAME IN";
const VIEWS = `SELECT TABLE_SCHEMA, TABLE_NAME, COALESCE(VIEW_DEFINITION, ''),
  IF(TABLE_SCHEMA = DATABASE(), 'here', '') FROM information_schema.VIEWS WHERE TABLE_NAME IN`;
const TABLES = 'SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES WHERE TABLE_NAME IN';
const TRIGGERS = 'SELECT TRIGGER_NAME FROM information_schema.TRIGGERS WHERE EVENT_OBJECT_TABLE IN';
/** Databases whose triggers the user may not see: of the current one and those that are named. */
const UNSEEN = `SELECT SCHEMA_NAME FROM information_schema.SCHEMATA AS s
  WHERE NOT EXISTS (SELECT 1 FROM information_schema.USER_PRIVILEGES WHERE PRIVILEGE_TYPE = 'TRIGGER')
  AND NOT EXISTS (SELECT 1 FROM information_schema.SCHEMA_PRIVILEGES AS p
    WHERE p.PRIVILEGE_TYPE = 'TRIGGER' AND s.SCHEMA_NAME LIKE p.TABLE_SCHEMA)
  AND (SCHEMA_NAME = DATABASE() OR SCHEMA_NAME IN`;
const LOADED = 'SELECT name FROM mysql.func WHERE name IN';
/** A session's own sql_select_limit would leave some out. */
const ALL = 'LIMIT 18446744073709551615';
/** Names that one look-up may carry. */
const NAMES_MAX = 1_000;
/** The table or its column is denied or missing: then the user may not list loaded functions. */
const DENIED = new Set([1044, 1049, 1109, 1142, 1143, 1146, 1370]);

/** Looks names up through one connection. */
export class Catalog {
  readonly #ask: AskRows;

  constructor(ask: AskRows) {
    this.#ask = ask;
  }

  /** Functions of users of these names, stored or of a library. */
  async functions(names: readonly string[]): Promise<UserFunction[]> {
    if (names.length === 0) return [];
    const stored = await this.#named(ROUTINES, names);
    const loaded = await this.#loaded(names);
    return [
      ...stored.map(([schema = '', name = '']) => ({ schema, name })),
      ...loaded.map((name) => ({ schema: '', name })),
    ];
  }

  /** Views of these names, in any database. */
  async views(names: readonly string[]): Promise<View[]> {
    const rows = await this.#named(VIEWS, names);
    return rows.map(([schema = '', name = '', definition = '', here = '']) => ({
      schema,
      name,
      definition,
      here: here !== '',
    }));
  }

  /** Of tables, the first that may not be seen: it could be a view. */
  async unseen(tables: readonly TableName[]): Promise<TableName | undefined> {
    if (tables.length === 0) return undefined;
    const keyOf = (schema: string, name: string) => `${schema}\0${name}`.toLowerCase();
    const rows = await this.#named(TABLES, [...new Set(tables.map(({ name }) => name))]);
    const seen = new Set(rows.map(([schema = '', name = '']) => keyOf(schema, name)));
    return tables.find(({ schema, name }) => !seen.has(keyOf(schema, name)));
  }

  /** Whether tables of these names have triggers, or could have some that may not be seen. */
  async mayTrigger(names: readonly string[]): Promise<boolean> {
    if ((await this.#named(TRIGGERS, names)).length > 0) return true;
    return (await this.#named(UNSEEN, names, ')')).length > 0;
  }

  /** Where it may not be known what is loaded, every name could be. */
  async #loaded(names: readonly string[]): Promise<readonly string[]> {
    try {
      return (await this.#named(LOADED, names)).map(([name = '']) => name);
    } catch (error) {
      if (error instanceof ServerError && DENIED.has(error.errno)) {
        return names.filter((name) => !isUsual(name.toUpperCase()));
      }
      throw error;
    }
  }

  async #named(query: string, names: readonly string[], tail = ''): Promise<(readonly string[])[]> {
    const rows: (readonly string[])[] = [];
    for (let at = 0; at < names.length; at += NAMES_MAX) {
      const some = names.slice(at, at + NAMES_MAX);
      const marks = some.map(() => '?').join(', ');
      rows.push(...(await this.#ask(`${query} (${marks})${tail} ${ALL}`, some)));
    }
    return rows;
  }
}
