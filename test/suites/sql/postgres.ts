/** PostgreSQL's own regression scripts: each read through the gateway, and from the server itself. */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { parseText } from '../../../kinds/postgres/dialect/statement.ts';
import '../../../node-relay/drivers/postgres/parser.ts';
import { Failure } from '../../../server/failure.ts';
import { startBackend } from '../../servers/backends.ts';
import { startEndpoint } from '../facade.ts';
import type { Suite } from '../suite.ts';
import { type Answer, Counts, casesOf, compareCase, type Server } from './compare.ts';
import { type CatalogType, jsonOf } from './postgres-values.ts';
import { scriptsIn, statementsOf } from './psql.ts';

/** What makes the tables of all others. */
const FIRST = 'test_setup.sql';
/** As sessions of the gateway have it. */
const SESSION = `SET TimeZone = 'UTC'; SET DateStyle = 'ISO, MDY'; SET IntervalStyle = 'postgres';
  SET bytea_output = 'hex'; SET extra_float_digits = 1; SET statement_timeout = '5s'; SET lock_timeout = '1s'`;
/** The statement was cancelled, or waits for a lock. */
const TOO_LATE = new Set(['57014', '55P03']);

export const postgresRegress: Suite = {
  compares: 'reads through /read with the same reads by the server itself, value by value',
  cases: 'postgres/postgres, src/test/regress (PostgreSQL Licence)',
  folder: { of: 'a checkout of PostgreSQL, or a folder of its regression scripts', needed: true },
  async run({ from = '', shutdown, progress }) {
    const folder = resolve(scriptsIn(from, existsSync));
    const files = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
    if (files.length === 0) throw new Failure(`There are no scripts in ${folder}.`);
    const first = files.filter((name) => name === FIRST);
    const started = await startBackend('postgres');
    await shutdown.add(() => started.stop());
    const endpoint = await startEndpoint('postgres', started.url, shutdown);
    const counts = new Counts();
    for (const file of new Set([...first, ...files])) {
      const server = await PostgresServer.open(started.url);
      const script = await readFile(join(folder, file), 'utf8');
      for (const each of casesOf(file, statementsOf(script, join(folder, '..')), isRead)) {
        await compareCase(each, server, endpoint, counts);
      }
      await server.close();
      progress(counts.line(file));
    }
    return counts.outcome();
  },
};

function isRead(text: string): boolean {
  const parsed = parseText(text);
  if ('failed' in parsed) return /^\s*(?:select|values|table|with)\b/i.test(text);
  const [statement, ...others] = parsed.statements;
  return (
    others.length === 0 && statement?.kind === 'SelectStmt' && statement.references.parameters === 0
  );
}

class PostgresServer implements Server {
  /** The session of the script. */
  readonly #script: pg.Client;
  /** The session that is compared. */
  #reader: pg.Client;
  readonly #types: Map<number, CatalogType>;
  readonly #url: string;

  private constructor(url: string, script: pg.Client, reader: pg.Client) {
    this.#url = url;
    this.#script = script;
    this.#reader = reader;
    this.#types = new Map();
  }

  static async open(url: string): Promise<PostgresServer> {
    const script = await sessionOf(url, "SET statement_timeout = '20s'; SET lock_timeout = '2s'");
    return new PostgresServer(url, script, await sessionOf(url, SESSION));
  }

  async renew(): Promise<void> {
    await this.#reader.end();
    this.#reader = await sessionOf(this.#url, SESSION);
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.#script.end(), this.#reader.end()]);
  }

  async run(statement: string): Promise<void> {
    await this.#script.query(statement).catch(() => {});
  }

  async read(statement: string): Promise<Answer | undefined> {
    try {
      await this.#reader.query('BEGIN READ ONLY');
      const { rows, fields } = await this.#reader.query<(string | null)[]>({
        text: statement,
        rowMode: 'array',
        types: { getTypeParser: () => (text: string) => text },
      });
      await this.#reader.query('ROLLBACK');
      const oids = fields.map(({ dataTypeID }) => dataTypeID);
      await this.#learn(oids);
      return {
        rows: rows.map((row) => row.map((text, index) => this.#json(text, oids[index] ?? 0))),
      };
    } catch (thrown) {
      await this.#reader.query('ROLLBACK').catch(() => {});
      const code = thrown instanceof pg.DatabaseError ? (thrown.code ?? '') : '';
      return code === '' || TOO_LATE.has(code) ? undefined : { error: code };
    }
  }

  #json(text: string | null, oid: number): string {
    return text === null ? 'null' : jsonOf(text, oid, this.#types);
  }

  /** Of the types, and of the elements of arrays, which may be arrays by a domain. */
  async #learn(oids: readonly number[]): Promise<void> {
    const missing = oids.filter((oid) => oid > 0 && !this.#types.has(oid));
    if (missing.length === 0) return;
    const { rows } = await this.#reader.query(
      `SELECT t.oid::int8::text AS oid, coalesce(nullif(b.typbasetype, 0), b.oid)::int8::text AS element, b.typdelim AS delimiter
       FROM pg_type t LEFT JOIN pg_type b ON b.typarray = t.oid WHERE t.oid = ANY ($1)`,
      [missing],
    );
    for (const { oid, element, delimiter } of rows) {
      this.#types.set(Number(oid), { element: Number(element ?? 0), delimiter: delimiter ?? ',' });
    }
    await this.#learn(rows.map(({ element }) => Number(element ?? 0)));
  }
}

async function sessionOf(url: string, settings: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  await client.query(settings);
  return client;
}
