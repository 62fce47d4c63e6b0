/** A database of its own for a test file, and short words to use it. */
import pg from 'pg';
import type { PostgresRequest } from '../../../../kinds/postgres/index.ts';
import type { Call, Mode } from '../../../../proto/driver.ts';
import type { Json } from '../../../../proto/json.ts';
import { backend, freshDatabase } from '../../../../test/servers/backends.ts';
import { callOf, jsonOf, openClient, testHost } from '../../test/host.ts';
import { type PostgresClient, postgres } from '../index.ts';

/** An SQL result as its JSON value. */
export interface Rows {
  readonly columns: readonly { name: string; type: string }[];
  readonly rows: readonly { readonly [name: string]: unknown }[];
  readonly row_count: number;
  readonly rows_affected?: number;
}

/** Versions that tests run against: the one that npm brings, and an older one. */
export type PostgresKind = 'postgres' | 'postgres-15';

/** Names a pooler that sessions reach their database by, where they are to. */
export const POOLER = 'TEST_POSTGRES_POOLER';

/** Sessions of both modes on a database of its own, and a plain client besides them. */
export class TestDatabase {
  readonly url: string;
  readonly name: string;
  /** A connection that the driver knows nothing about, as superuser. */
  readonly outside: pg.Client;
  readonly #drop: () => Promise<void>;
  readonly #sessions: PostgresClient[] = [];

  private constructor(url: string, name: string, outside: pg.Client, drop: () => Promise<void>) {
    this.url = url;
    this.name = name;
    this.outside = outside;
    this.#drop = drop;
  }

  /** A new database on the run's server of that version. */
  static async create(setup = '', server: PostgresKind = 'postgres'): Promise<TestDatabase> {
    const { url, name, drop } = await freshDatabase(await backend(server));
    const outside = new pg.Client(url);
    await outside.connect();
    if (setup) await outside.query(setup);
    const way = new URL(url);
    if (process.env[POOLER]) way.host = new URL(process.env[POOLER]).host;
    return new TestDatabase(way.href, name, outside, drop);
  }

  /** A client on a pool of `connections`, 4 by default. */
  async open(
    mode: Mode,
    {
      connections = 4,
      ...settings
    }: { connections?: number; [setting: string]: Json | undefined } = {},
    url = this.url,
  ): Promise<PostgresClient> {
    const host = testHost(connections);
    const given = Object.fromEntries(
      Object.entries(settings).filter(([, value]) => value !== undefined),
    );
    const opening = {
      connection: { url },
      mode,
      host,
      settings: given as { [name: string]: Json },
    };
    const session = await openClient(postgres, opening);
    this.#sessions.push(session);
    return session;
  }

  /** How many connections to it the driver has. */
  async connections(): Promise<number> {
    if (process.env[POOLER]) {
      const { rows } = await askPooler('SHOW CLIENTS');
      return rows.filter(({ database }) => database === this.name).length;
    }
    const { rows } = await this.outside.query(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE ${OURS}`,
    );
    return rows[0].n;
  }

  /** Ends the driver's connections, as a server does that is stopped. */
  async endConnections(): Promise<void> {
    if (process.env[POOLER]) {
      await askPooler(`KILL ${this.name}`);
      await askPooler(`RESUME ${this.name}`);
      return;
    }
    await this.outside.query(
      `SELECT pg_terminate_backend(pid, 2000) FROM pg_stat_activity WHERE ${OURS}`,
    );
  }

  /** Ends all sessions and removes the database. */
  async drop(): Promise<void> {
    await Promise.all(this.#sessions.map((session) => session.close()));
    await this.outside.end();
    await this.#drop();
  }
}

const OURS = "datname = current_database() AND application_name = 'causeway'";

/** An answer of the pooler's console. */
async function askPooler(command: string): Promise<pg.QueryResult> {
  const url = new URL(process.env[POOLER] ?? '');
  url.pathname = '/pgbouncer';
  const console = new pg.Client(url.href);
  await console.connect();
  try {
    return await console.query(command);
  } finally {
    await console.end();
  }
}

/** A request of type `query` unless another is given. */
export function sql(
  query: string,
  params: Json[] = [],
  members: { [member: string]: Json } = {},
): PostgresRequest {
  const type = members.type ?? 'query';
  const takesParams = typeof type === 'string' && /^(?:query|execute)/.test(type);
  return { query, ...(takesParams ? { params } : {}), ...members, type } as PostgresRequest; // Shaped as its type asks.
}

/** Runs a request and answers its result as a value. */
export async function run(
  runner: { run(request: PostgresRequest, call: Call): Promise<Uint8Array> },
  request: PostgresRequest,
  mode: Mode,
  bounds: Partial<Call> = {},
): Promise<Rows> {
  return jsonOf(await runner.run(request, callOf(mode, bounds))) as Rows; // Every type answers these members or is compared whole.
}
