/** What the suite of drivers that prepare needs to know of this one, on a PostgreSQL that is killed and started again. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { PostgresRequest } from '../../../../kinds/postgres/index.ts';
import {
  type PostgresProgram,
  type PostgresServer,
  startPostgres,
} from '../../../../server/postgres-server.ts';
import type { PreparesContract } from '../../contract-prepares.ts';
import { postgres } from '../index.ts';
import { sql } from './database.ts';

const SETUP = `CREATE TABLE entries (name text); CREATE TABLE firsts (name text PRIMARY KEY);
  CREATE TABLE numbers (n int); INSERT INTO numbers VALUES (0);
  CREATE PROCEDURE commits() LANGUAGE plpgsql AS 'BEGIN COMMIT; END';
  CREATE TABLE telling (a int);
  CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NOTIFY news; RETURN NEW; END';
  CREATE TRIGGER tell BEFORE INSERT ON telling FOR EACH ROW EXECUTE FUNCTION tell();`;

/** Milliseconds in which a server that was killed can be started again. */
const AGAIN_MS = 20_000;

/** A server of the test's own. */
class OwnServer {
  folder = '';
  readonly #programOf: (() => Promise<PostgresProgram>) | undefined;
  #server: PostgresServer | undefined;

  constructor(programOf?: () => Promise<PostgresProgram>) {
    this.#programOf = programOf;
  }

  get url(): string {
    return this.#server?.url ?? '';
  }

  async start(): Promise<void> {
    const program = await this.#programOf?.();
    this.#server = await startPostgres({
      folder: join(this.folder, 'data'),
      password: 'of a server of its own',
      settings: { max_prepared_transactions: 20, jit: 'off' },
      ...(program ? { program } : {}),
    });
  }

  /** Processes of a server that was killed hold its memory until they notice. */
  async restart(): Promise<void> {
    if (this.#server) process.kill(this.#server.pid, 'SIGKILL');
    const until = performance.now() + AGAIN_MS;
    for (;;) {
      try {
        return await this.start();
      } catch (failure) {
        if (performance.now() > until) throw failure;
        await sleep(100);
      }
    }
  }

  async stop(): Promise<void> {
    await this.#server?.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** What the suite is run with. @param programOf installs the server's program; that of the project by default */
export function postgresPrepares(
  programOf?: () => Promise<PostgresProgram>,
): PreparesContract<PostgresRequest> {
  const server = new OwnServer(programOf);
  return [
    'postgres',
    async () => {
      server.folder = await mkdtemp(join(tmpdir(), 'causeway-prepares-'));
      await server.start();
      const outside = new pg.Client(server.url);
      await outside.connect();
      await outside.query(SETUP);
      await outside.end();
      return {
        kind: 'postgres',
        driver: postgres,
        connection: () => ({ url: server.url }),
        restart: () => server.restart(),
        add: (name) => sql('INSERT INTO entries VALUES ($1)', [name]),
        first: (name) => sql('INSERT INTO firsts VALUES ($1)', [name]),
        count: (name) => sql('SELECT count(*)::int AS n FROM entries WHERE name = $1', [name]),
        increment: sql('UPDATE numbers SET n = n + 1 RETURNING n'),
        number: sql('SELECT n FROM numbers'),
        refused: [
          ...[
            'COMMIT',
            'commit and chain',
            'END',
            'ROLLBACK',
            'ABORT',
            'BEGIN',
            'START TRANSACTION',
            "PREPARE TRANSACTION 'x'",
            "/* a */ COMMIT PREPARED 'x'",
            "-- a\nROLLBACK PREPARED 'x'",
            'SAVEPOINT a',
            'SELECT 1; COMMIT',
            `/*${'x'.repeat(300_000)}*/ COMMIT`,
            'DO $$ BEGIN COMMIT; END $$',
            'CALL commits()',
            'VACUUM',
            'CREATE INDEX CONCURRENTLY ON entries (name)',
            'CREATE DATABASE another',
            'CREATE TEMP TABLE t (a int)',
            'LISTEN news',
            'NOTIFY news',
            "SELECT pg_notify('news', 'x')",
            'INSERT INTO telling VALUES (1)',
            'DECLARE c CURSOR WITH HOLD FOR SELECT 1',
            'SELECT pg_export_snapshot()',
            'not a statement',
          ].map((query) => ({ what: query.slice(0, 80), request: sql(query) })),
          {
            what: 'several statements',
            request: sql('SELECT 1; SELECT 2', undefined, { type: 'simple' }),
          },
        ],
        tellsOwner: true,
        keepsOutcomes: true,
      };
    },
    () => server.stop(),
  ];
}
