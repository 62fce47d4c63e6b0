/** A database of its own for a test file, and short words to use it. */
import pg from 'pg';
import type { Call, Mode, Session } from '../../../proto/driver.ts';
import type { Json } from '../../../proto/json.ts';
import type { PostgresRequest } from '../../../proto/kinds/postgres.ts';
import { backend, freshDatabase } from '../../../scripts/backends.ts';
import { callOf, jsonOf, openSession, testHost } from '../test/host.ts';
import { postgres } from './index.ts';

/** An SQL result as its JSON value. */
export interface Rows {
  readonly columns: readonly { name: string; type: string }[];
  readonly rows: readonly { readonly [name: string]: unknown }[];
  readonly row_count: number;
  readonly rows_affected?: number;
}

/** Versions that tests run against: the one that npm brings, and an older one. */
export type PostgresKind = 'postgres' | 'postgres-15';

/** Sessions of both modes on a database of its own, and a plain client beside them. */
export class TestDatabase {
  readonly url: string;
  readonly name: string;
  /** A connection that the driver knows nothing of, as superuser. */
  readonly outside: pg.Client;
  readonly #drop: () => Promise<void>;
  readonly #sessions: Session<PostgresRequest>[] = [];

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
    return new TestDatabase(url, name, outside, drop);
  }

  /** A session on a pool of `connections`, 4 by default. */
  async open(
    mode: Mode,
    {
      connections = 4,
      ...settings
    }: { connections?: number; [setting: string]: Json | undefined } = {},
    url = this.url,
  ): Promise<Session<PostgresRequest>> {
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
    const session = await openSession(postgres, opening);
    this.#sessions.push(session);
    return session;
  }

  /** Ends all sessions and removes the database. */
  async drop(): Promise<void> {
    await Promise.all(this.#sessions.map((session) => session.close()));
    await this.outside.end();
    await this.#drop();
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
