/** A Cassandra keyspace of its own for tests, behind a counter of the driver's connections. */
import { randomUUID } from 'node:crypto';
import cassandraDriver from 'cassandra-driver';
import type { CassandraRequest } from '../../../../kinds/cassandra/index.ts';
import type { Call, Mode } from '../../../../proto/driver.ts';
import type { Json } from '../../../../proto/json.ts';
import { backend } from '../../../../test/servers/backends.ts';
import type { Host } from '../../driver.ts';
import { CountedPort } from '../../test/counted-port.ts';
import { callOf, jsonOf, openClient, testHost } from '../../test/host.ts';
import { type CassandraClient, cassandra } from '../index.ts';

/** Where a URL names none. */
const PORT = 9042;

/** A result as its JSON value. */
export interface Rows {
  readonly columns: readonly { name: string; type: string }[];
  readonly rows: readonly { readonly [name: string]: unknown }[];
  readonly row_count: number;
  readonly paging_state?: string | null;
  readonly applied?: boolean;
  readonly warnings?: readonly string[];
  readonly trace?: { id: string; duration_us: number | null; events: readonly unknown[] };
}

/** Sessions of both modes on a keyspace of its own. */
export class TestDatabase {
  /** Through the counter. */
  readonly url: string;
  readonly name: string;
  readonly #client: cassandraDriver.Client;
  readonly #counter: CountedPort;
  readonly #sessions: CassandraClient[] = [];

  private constructor(
    server: URL,
    name: string,
    client: cassandraDriver.Client,
    counter: CountedPort,
  ) {
    this.name = name;
    this.#client = client;
    this.#counter = counter;
    this.url = counter.urlOf(server, name);
  }

  /** A new keyspace on the run's server. */
  static async create(...setup: readonly string[]): Promise<TestDatabase> {
    const server = new URL((await backend('cassandra')).url);
    const { hostname, port, username, password } = server;
    const name = `test_${randomUUID().replaceAll('-', '')}`;
    const client = new cassandraDriver.Client({
      contactPoints: [`${hostname}:${port || PORT}`],
      localDataCenter: 'datacenter1',
      credentials: {
        username: decodeURIComponent(username),
        password: decodeURIComponent(password),
      },
      socketOptions: { readTimeout: 60_000 },
    });
    const counter = await CountedPort.to(server, PORT);
    const database = new TestDatabase(server, name, client, counter);
    const replication = "{'class': 'SimpleStrategy', 'replication_factor': 1}";
    await database.outside(`CREATE KEYSPACE ${name} WITH replication = ${replication}`);
    await database.outside(`USE ${name}`);
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

  /** Runs a statement without the driver; answers its rows as texts. */
  async outside(statement: string, params: readonly unknown[] = []): Promise<string[][]> {
    const options = { prepare: params.length > 0, fetchSize: 100_000 };
    const { rows } = await this.#client.execute(statement, [...params], options);
    return (rows ?? []).map((row) => row.values().map(String));
  }

  /** A client on a pool of `connections`, 4 by default. */
  async open(
    mode: Mode,
    connections = 4,
    connection: Json = { url: this.url },
    host: Host = testHost(connections),
    settings: { readonly [setting: string]: Json } = {},
  ): Promise<CassandraClient> {
    const session = await openClient(cassandra, { connection, mode, host, settings });
    this.#sessions.push(session);
    return session;
  }

  /** Ends all sessions and removes the keyspace. */
  async drop(): Promise<void> {
    await Promise.all(this.#sessions.map((session) => session.close()));
    this.#counter.close();
    await this.outside(`DROP KEYSPACE IF EXISTS ${this.name}`);
    await this.#client.shutdown();
  }
}

/** A request of type `query` unless another is given. */
export function cql(
  query: string,
  params: readonly Json[] | { readonly [name: string]: Json } = [],
  members: { readonly [member: string]: Json } = {},
): CassandraRequest {
  return { type: 'query', query, params, ...members } as CassandraRequest; // Shaped as its type asks.
}

/** Runs a request and answers its result as a value. */
export async function run(
  runner: { run(request: CassandraRequest, call: Call): Promise<Uint8Array> },
  request: CassandraRequest,
  mode: Mode,
  bounds: Partial<Call> = {},
): Promise<Rows> {
  return jsonOf(await runner.run(request, callOf(mode, bounds))) as Rows; // Every type answers these members.
}
