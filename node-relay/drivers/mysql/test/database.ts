/** A database of its own for a test file, and short words to use it. */
import { randomUUID } from 'node:crypto';
import mysqlClient from 'mysql2/promise';
import type { MysqlRequest } from '../../../../kinds/mysql/index.ts';
import type { Call, Mode } from '../../../../proto/driver.ts';
import type { Json } from '../../../../proto/json.ts';
import { type Backend, backend } from '../../../../test/servers/backends.ts';
import { callOf, jsonOf, openClient, testHost } from '../../test/host.ts';
import { type MysqlClient, mysql } from '../index.ts';

/** An SQL result as its JSON value. */
export interface Rows {
  readonly columns: readonly { name: string; type: string }[];
  readonly rows: readonly { readonly [name: string]: unknown }[];
  readonly row_count: number;
  readonly rows_affected?: number;
  readonly insert_id?: number | string;
}

/** Sessions of both modes on a database of its own, and a plain client besides them. */
export class TestDatabase {
  readonly url: string;
  readonly name: string;
  /** A connection that the driver knows nothing about, with all rights. */
  readonly outside: mysqlClient.Connection;
  readonly #sessions: MysqlClient[] = [];

  private constructor(url: string, name: string, outside: mysqlClient.Connection) {
    this.url = url;
    this.name = name;
    this.outside = outside;
  }

  /** A new database on the run's server, or on the one given. */
  static async create(setup = '', server?: Backend): Promise<TestDatabase> {
    const name = `test_${randomUUID().replaceAll('-', '')}`;
    const own = new URL((server ?? (await backend('mysql'))).url);
    own.pathname = '/';
    const outside = await mysqlClient.createConnection({ uri: own.href, multipleStatements: true });
    await outside.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4; USE ${name}`);
    if (setup) await outside.query(setup);
    own.pathname = `/${name}`;
    return new TestDatabase(own.href, name, outside);
  }

  /** A client on a pool of `connections`, 4 by default. */
  async open(
    mode: Mode,
    {
      connections = 4,
      ...settings
    }: { connections?: number; [setting: string]: Json | undefined } = {},
    url = this.url,
  ): Promise<MysqlClient> {
    const given = Object.entries(settings).filter(([, value]) => value !== undefined);
    const session = await openClient(mysql, {
      connection: { url },
      mode,
      host: testHost(connections),
      settings: Object.fromEntries(given) as { [name: string]: Json },
    });
    this.#sessions.push(session);
    return session;
  }

  /** All rows of a query without the driver. */
  async look(query: string): Promise<unknown[]> {
    const [rows] = await this.outside.query(query);
    return rows as unknown[]; // Of a SELECT.
  }

  /** Ends all sessions and removes the database. */
  async drop(): Promise<void> {
    await Promise.all(this.#sessions.map((session) => session.close()));
    await this.outside.query(`DROP DATABASE IF EXISTS ${this.name}`);
    await this.outside.end();
  }
}

/** A request of type `query` unless another is given. */
export function sql(
  query: string,
  params?: Json[] | { [name: string]: Json },
  members: { [member: string]: Json } = {},
): MysqlRequest {
  const type = members.type ?? 'query';
  return { query, ...(params ? { params } : {}), ...members, type } as MysqlRequest; // Shaped as its type asks.
}

/** Runs a request and answers its result as a value. */
export async function run(
  runner: { run(request: MysqlRequest, call: Call): Promise<Uint8Array> },
  request: MysqlRequest,
  mode: Mode,
  bounds: Partial<Call> = {},
): Promise<Rows> {
  return jsonOf(await runner.run(request, callOf(mode, bounds))) as Rows; // Every type answers these members or is compared whole.
}
