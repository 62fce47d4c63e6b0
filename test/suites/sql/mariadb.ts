/** MariaDB's own test scripts: each read through the gateway, and from the server itself. */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import mysql, { type FieldPacket } from 'mysql2/promise';
import { Failure } from '../../../server/failure.ts';
import { startBackend } from '../../servers/backends.ts';
import { unpackDebian } from '../../servers/debian-packages.ts';
import { downloaded } from '../../servers/downloads.ts';
import { startEndpoint } from '../facade.ts';
import type { Suite } from '../suite.ts';
import { type Answer, Counts, casesOf, compareCase, type Server } from './compare.ts';
import { jsonOf, roundedAs } from './mariadb-values.ts';
import { statementsOf } from './mysqltest.ts';

/** The scripts that are about types, functions and what SELECT answers; others are about the server's working. */
const FILES =
  /^(?:type_|func_|json|cast|null|select|bigint|bool|case|compare|date|negation|union|group_by|order_by|distinct|subselect|derived|cte|win|having|join|limit|like|strings|ctype_utf8mb4)\w*\.test$/;
/** Nothing of another session: reads must be answered as in a new one. */
const GLOBAL = /\b(?:global|shutdown|kill|debug_sync|debug_dbug)\b/i;
/** Files that keep their database from being dropped. */
const WRITES_FILE = /\binto\s+(?:outfile|dumpfile)\b/i;
/** The statement was cancelled, or waits for a lock. */
const TOO_LATE = new Set(['1969', '1205', '1317', '1213']);
const DATABASE = 'test';

export const mariadbTests: Suite = {
  compares: 'reads through /read with the same reads by the server itself, value by value',
  cases: "MariaDB, mysql-test/main (GPL 2), of Debian's package mariadb-test-data",
  folder: { of: 'a checkout of MariaDB, or a folder of test scripts', needed: false },
  async run({ from, shutdown, progress }) {
    const folder = scriptsIn(from ?? (await fetched()));
    const files = (await readdir(folder)).filter((name) => FILES.test(name)).sort();
    if (files.length === 0) throw new Failure(`There are no test scripts in ${folder}.`);
    const started = await startBackend('mysql');
    await shutdown.add(() => started.stop());
    const url = new URL(started.url);
    url.pathname = `/${DATABASE}`;
    await (await MariadbServer.open(started.url)).close();
    const endpoint = await startEndpoint('mysql', url.href, shutdown);
    const counts = new Counts();
    for (const file of files) {
      const server = await MariadbServer.open(started.url);
      const script = await readFile(join(folder, file), 'latin1');
      const statements = statementsOf(Buffer.from(script, 'latin1').toString('utf8'));
      const texts = statements.filter(isOfTheSuite);
      for (const each of casesOf(file, texts, isRead)) {
        await compareCase(each, server, endpoint, counts);
      }
      await server.close();
      progress(counts.line(file));
    }
    return counts.outcome();
  },
};

/** What a session keeps of earlier statements is not the same in another one. */
const OF_SESSION = /(?<!@)@\w|\b(?:row_count|found_rows|last_insert_id|connection_id)\s*\(/i;

function isOfTheSuite(text: string): boolean {
  return !GLOBAL.test(text) && !WRITES_FILE.test(text) && !text.includes('\ufffd');
}

function isRead(text: string): boolean {
  return /^[\s(]*(?:select|with|values|table)\b/i.test(text) && !OF_SESSION.test(text);
}

async function fetched(): Promise<string> {
  return downloaded('mariadb-test-data', (folder) => unpackDebian(folder, ['mariadb-test-data']));
}

function scriptsIn(folder: string): string {
  const below = ['mysql-test/main', 'usr/share/mysql/mysql-test/main', 'main'];
  return below.map((each) => join(folder, each)).find(existsSync) ?? folder;
}

class MariadbServer implements Server {
  readonly #script: mysql.Connection;
  readonly #url: string;
  #reader: mysql.Connection;

  private constructor(url: string, script: mysql.Connection, reader: mysql.Connection) {
    this.#url = url;
    this.#script = script;
    this.#reader = reader;
  }

  /** With an empty database of the name that the scripts expect. */
  static async open(url: string): Promise<MariadbServer> {
    const script = await connected(url, { multipleStatements: true });
    await script.query(
      `DROP DATABASE IF EXISTS ${DATABASE}; CREATE DATABASE ${DATABASE}; USE ${DATABASE};
       SET max_statement_time = 20, lock_wait_timeout = 2, innodb_lock_wait_timeout = 2`,
    );
    return new MariadbServer(url, script, await readerOn(url));
  }

  async renew(): Promise<void> {
    this.#reader.destroy();
    this.#reader = await readerOn(this.#url);
  }

  async close(): Promise<void> {
    this.#script.destroy();
    this.#reader.destroy();
  }

  async run(statement: string): Promise<void> {
    await this.#script.query(statement).catch(() => {});
  }

  async read(statement: string): Promise<Answer | undefined> {
    try {
      await this.#reader.query('START TRANSACTION READ ONLY');
      const [rows, fields] = await this.#reader.query(statement);
      await this.#reader.query('ROLLBACK');
      return answerOf(rows as (Buffer | null)[][], fields);
    } catch (thrown) {
      await this.#reader.query('ROLLBACK').catch(() => {});
      const errno = thrown instanceof Error && 'errno' in thrown ? String(thrown.errno) : '';
      return !/^\d+$/.test(errno) || TOO_LATE.has(errno) ? undefined : { error: errno };
    }
  }
}

async function connected(url: string, more: object): Promise<mysql.Connection> {
  const connection = await mysql.createConnection({ uri: url, charset: 'utf8mb4', ...more });
  connection.on('error', () => {});
  return connection;
}

async function readerOn(url: string): Promise<mysql.Connection> {
  const typeCast = (field: { buffer(): unknown }) => field.buffer();
  const reader = await connected(url, { rowsAsArray: true, typeCast });
  await reader.query(`USE ${DATABASE}`);
  await reader.query(
    "SET time_zone = '+00:00', max_statement_time = 5, lock_wait_timeout = 1, innodb_lock_wait_timeout = 1",
  );
  return reader;
}

function answerOf(rows: readonly (Buffer | null)[][], fields: readonly FieldPacket[]): Answer {
  return {
    rows: rows.map((row) =>
      row.map((value, index) => {
        const field = fields[index];
        return value === null || field === undefined ? 'null' : jsonOf(value, field);
      }),
    ),
    rounded: new Map(
      fields.flatMap((field, index) => {
        const round = roundedAs(field);
        return round ? [[index, round] as const] : [];
      }),
    ),
    // Servers do not tell this client which texts are JSON.
    documents: true,
  };
}
