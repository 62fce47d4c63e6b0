/** A database of its own for a test file, behind a counter of connections, and short words to use it. */
import { randomUUID } from 'node:crypto';
import type { ClickhouseRequest } from '../../../../kinds/clickhouse/index.ts';
import type { Call, Mode } from '../../../../proto/driver.ts';
import type { Json } from '../../../../proto/json.ts';
import { backend } from '../../../../test/servers/backends.ts';
import { CountedPort } from '../../test/counted-port.ts';
import { callOf, jsonOf, openClient, testHost } from '../../test/host.ts';
import { type ClickhouseClient, clickhouse } from '../index.ts';
import type { Params } from '../parameters.ts';

/** An SQL result as its JSON value. */
export interface Rows {
  readonly columns: readonly { name: string; type: string }[];
  readonly rows: readonly { readonly [name: string]: unknown }[];
  readonly row_count: number;
  readonly rows_affected?: number;
  readonly statistics: { elapsed: number; rows_read: number; bytes_read: number };
}

/** Sessions of both modes on a database of its own. */
export class TestDatabase {
  /** Through the counter. */
  readonly url: string;
  readonly name: string;
  readonly #server: string;
  readonly #counter: CountedPort;
  readonly #sessions: ClickhouseClient[] = [];

  private constructor(server: string, name: string, counter: CountedPort) {
    this.#server = server;
    this.name = name;
    this.#counter = counter;
    this.url = counter.urlOf(new URL(server), name);
  }

  /** A new database on the run's server. */
  static async create(...setup: readonly string[]): Promise<TestDatabase> {
    const { url } = await backend('clickhouse');
    const name = `test_${randomUUID().replaceAll('-', '')}`;
    const database = new TestDatabase(url, name, await CountedPort.to(new URL(url), 8123));
    await database.outside(`CREATE DATABASE ${name}`, 'default');
    for (const statement of setup) await database.outside(statement);
    return database;
  }

  /** Connections of the driver that are open now. */
  get connections(): number {
    return this.#counter.connections;
  }

  /** Ends all connections, as a server that is restarted. */
  dropConnections(): void {
    this.#counter.dropConnections();
  }

  /** Runs a statement without the driver; answers its lines, tabs between values. */
  async outside(statement: string, database = this.name): Promise<string[][]> {
    const { hostname, port, username, password } = new URL(this.#server);
    const reply = await fetch(`http://${hostname}:${port}/?database=${database}`, {
      method: 'POST',
      body: statement,
      headers: {
        'X-ClickHouse-User': decodeURIComponent(username),
        'X-ClickHouse-Key': decodeURIComponent(password),
      },
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(text);
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => line.split('\t'));
  }

  /** A client on a pool of `connections`, 4 by default. */
  async open(
    mode: Mode,
    settings: { readonly [setting: string]: Json } = {},
    connections = 4,
    connection: Json = { url: this.url },
  ): Promise<ClickhouseClient> {
    const host = testHost(connections);
    const session = await openClient(clickhouse, { connection, mode, host, settings });
    this.#sessions.push(session);
    return session;
  }

  /** Ends all sessions and removes the database. */
  async drop(): Promise<void> {
    await Promise.all(this.#sessions.map((session) => session.close()));
    this.#counter.close();
    await this.outside(`DROP DATABASE IF EXISTS ${this.name}`, 'default');
  }
}

/** A request of type `query` unless another is given. */
export function sql(
  query: string,
  params: Params = {},
  members: { readonly [member: string]: Json } = {},
): ClickhouseRequest {
  return { type: 'query', query, params, ...members } as ClickhouseRequest; // Shaped as its type asks.
}

/** Runs a request and answers its result as a value. */
export async function run(
  runner: { run(request: ClickhouseRequest, call: Call): Promise<Uint8Array> },
  request: ClickhouseRequest,
  mode: Mode,
  bounds: Partial<Call> = {},
): Promise<Rows> {
  return jsonOf(await runner.run(request, callOf(mode, bounds))) as Rows; // Every type answers these members or is compared whole.
}
