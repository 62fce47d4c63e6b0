/** What the binary log does not say of tables: names, keys, signs, character sets and members. */
import { notAllowed } from '../../../../kinds/allow.ts';
import type { AllowGuard } from '../../../../kinds/mysql/dialect/allow-guard.ts';
import type { ChangesRequest, WatchedCollection } from '../../../../proto/changes.ts';
import type { Connection } from '../connection.ts';
import { base64Text, jsonText } from './values.ts';

/** A column, with how texts of it are written. */
export interface LoggedColumn {
  readonly name: string;
  readonly isKey: boolean;
  readonly unsigned: boolean;
  /** Of ENUM and SET. */
  readonly members: readonly string[];
  /** Its bytes as JSON text. */
  text(bytes: Buffer): string;
}

/** A table as it is now. */
export interface LoggedTable {
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly LoggedColumn[];
}

/** A name of the request, with its table or what is wrong with it. */
export type LookedUp =
  | { readonly watched: WatchedCollection; readonly table: LoggedTable }
  | {
      readonly watched: WatchedCollection;
      readonly fault: string;
      /** `config.allow` does not open it. */
      readonly isClosed?: true;
    };

/** What is asked for, and what reports which tables `config.allow` opens; undefined where all are. */
export interface OwnChangesRequest extends ChangesRequest {
  readonly allowGuard: AllowGuard | undefined;
}

/** Character sets by the names that the Encoding Standard gives them; others are not read. */
const CHARACTER_SETS: { readonly [name: string]: string } = {
  ...{ utf8: 'utf-8', utf8mb3: 'utf-8', utf8mb4: 'utf-8', ascii: 'utf-8', latin1: 'windows-1252' },
  ...{ ucs2: 'utf-16be', utf16: 'utf-16be', utf16le: 'utf-16le', cp1250: 'windows-1250' },
  ...{ cp1251: 'windows-1251', cp1256: 'windows-1256', cp1257: 'windows-1257', gbk: 'gbk' },
  ...{ latin2: 'iso-8859-2', greek: 'iso-8859-7', hebrew: 'iso-8859-8', koi8r: 'koi8-r' },
  ...{ big5: 'big5', sjis: 'shift_jis', ujis: 'euc-jp', euckr: 'euc-kr', gb18030: 'gb18030' },
};
/** Types whose bytes in the log are not what a read gives. */
const UNREAD = new Set(['uuid', 'inet4', 'inet6', 'vector', 'xmltype', 'json']);

const COLUMNS = `SELECT COLUMN_NAME, COLUMN_KEY, DATA_TYPE, COLUMN_TYPE, COALESCE(CHARACTER_SET_NAME, ''),
  CAST(COALESCE(CHARACTER_OCTET_LENGTH, 0) AS CHAR)
  FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION`;
const TABLE = `SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE FROM information_schema.TABLES
  WHERE (TABLE_SCHEMA = ? AND TABLE_NAME = ?) OR (TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ?)
  ORDER BY TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ? LIMIT 1`;
const CHECKS = `SELECT CHECK_CLAUSE FROM information_schema.CHECK_CONSTRAINTS
  WHERE CONSTRAINT_SCHEMA = ? AND TABLE_NAME = ?`;

/** Looks all names of a request up, in their order. */
export async function lookUpTables(
  connection: Connection,
  { collections, allowGuard }: Pick<OwnChangesRequest, 'collections' | 'allowGuard'>,
): Promise<LookedUp[]> {
  const looked: LookedUp[] = [];
  for (const watched of collections) {
    const found = await lookUp(connection, watched);
    const { schema, name } = 'table' in found ? found.table : partsOf(watched.name);
    const isOpen = allowGuard === undefined || allowGuard.opens({ namespace: schema, name });
    // Who may not name it does not learn whether it is there.
    const fault = notAllowed('Table', watched.name).message;
    looked.push(isOpen ? found : { watched, fault, isClosed: true });
  }
  return looked;
}

function partsOf(name: string) {
  const dot = name.indexOf('.');
  return { schema: name.slice(0, Math.max(0, dot)), name: name.slice(dot + 1) };
}

async function lookUp(connection: Connection, watched: WatchedCollection): Promise<LookedUp> {
  const { name } = watched;
  const parts = partsOf(name);
  const named = [parts.schema, parts.name];
  const [row] = await connection.rows(TABLE, [...named, name, name]);
  const [schema = '', table = '', type] = row ?? [];
  if (row === undefined) return { watched, fault: `There is no table ${name}` };
  if (type !== 'BASE TABLE') {
    return { watched, fault: `${name} is not a table: only tables tell changes` };
  }
  const rows = await connection.rows(COLUMNS, [schema, table]);
  const unread = rows.find(([, , dataType = '', , charset = '']) => isUnread(dataType, charset));
  if (unread !== undefined) {
    const what = unread[4] ? `of the character set ${unread[4]}` : `of the type ${unread[2]}`;
    return {
      watched,
      fault: `The column ${unread[0]} of ${name} is ${what}, which is not read from the log`,
    };
  }
  const json = await jsonColumns(connection, schema, table);
  const columns = rows.map((each) => columnOf(each, json));
  // Without a key, the row is it.
  const hasKey = columns.some(({ isKey }) => isKey);
  const whole = hasKey ? columns : columns.map((column) => ({ ...column, isKey: true }));
  return { watched, table: { schema, name: table, columns: whole } };
}

function isUnread(dataType: string, charset: string): boolean {
  return UNREAD.has(dataType) || (charset !== '' && CHARACTER_SETS[charset] === undefined);
}

/** MariaDB's columns of JSON are texts with a check; MySQL has no such view of checks by table. */
async function jsonColumns(connection: Connection, schema: string, table: string) {
  const checks = await connection.rows(CHECKS, [schema, table]).catch(() => []);
  const names = checks.map(([clause = '']) => /^json_valid\(`(.+)`\)$/i.exec(clause)?.[1]);
  return new Set(names);
}

function columnOf(
  [name = '', key, dataType = '', columnType = '', charset = '', octets]: readonly string[],
  json: ReadonlySet<string | undefined>,
): LoggedColumn {
  const members = /^(?:enum|set)\((.*)\)$/s.exec(columnType)?.[1] ?? '';
  const column = {
    name,
    isKey: key === 'PRI',
    unsigned: / (?:unsigned|zerofill)/.test(columnType),
    members: [...members.matchAll(/'((?:[^']|'')*)'/gs)].map(([, text = '']) =>
      text.replaceAll("''", "'"),
    ),
  };
  if (json.has(name)) return { ...column, text: jsonText };
  if (charset === '') {
    // The log leaves the zeroes at the end out.
    const length = dataType === 'binary' ? Number(octets) : 0;
    return { ...column, text: (bytes) => base64Text(padded(bytes, length)) };
  }
  const decoder = new TextDecoder(CHARACTER_SETS[charset], { ignoreBOM: true });
  return { ...column, text: (bytes) => JSON.stringify(decoder.decode(bytes)) };
}

function padded(bytes: Buffer, length: number): Buffer {
  return bytes.length < length ? Buffer.concat([bytes], length) : bytes;
}
