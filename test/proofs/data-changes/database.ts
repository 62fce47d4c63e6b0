/** A PostgreSQL server of its own that is killed with -9 and started again on the same data, and random changes of one table. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { randomSecret } from '../../../server/data-folder.ts';
import { freePort } from '../../../server/ports.ts';
import { type PostgresServer, startPostgres } from '../../../server/postgres-server.ts';
import type { Choices } from '../random.ts';

/** Rows of the table: so many keys. */
const KEYS = 400;
/** Of so many changes one passes the filter. */
const HIT_PART = 0.02;
/** Most changes of one transaction. */
const TRANSACTION_MAX = 120;

const TABLES = `
  CREATE TABLE items (id int PRIMARY KEY, n int NOT NULL, hit bool NOT NULL);
  CREATE TABLE hits (n int PRIMARY KEY, id int NOT NULL);
  INSERT INTO items SELECT id, 0, false FROM generate_series(1, ${KEYS}) id`;

/** A change that is to start a run. */
export interface Hit {
  readonly id: number;
  /** Rises with each change, whatever its key. */
  readonly n: number;
}

export class KilledDatabase {
  readonly #folder: string;
  readonly #start: () => Promise<PostgresServer>;
  #server: PostgresServer;
  /** Of the last change. */
  #n = 0;

  private constructor(
    folder: string,
    start: () => Promise<PostgresServer>,
    server: PostgresServer,
  ) {
    this.#folder = folder;
    this.#start = start;
    this.#server = server;
  }

  static async open(): Promise<KilledDatabase> {
    const folder = await mkdtemp(join(tmpdir(), 'causeway-changes-'));
    const port = await freePort('127.0.0.1');
    const password = randomSecret();
    const settings = { wal_level: 'logical', max_connections: 100 };
    const start = () => startPostgres({ folder: join(folder, 'data'), password, port, settings });
    const database = new KilledDatabase(folder, start, await start());
    await database.#on((client) => client.query(TABLES));
    return database;
  }

  get url(): string {
    return this.#server.url;
  }

  /** Makes random changes, in transactions of random sizes, until there are so many; what a kill cuts off is made again. */
  async change(choices: Choices, count: number, changed: (n: number) => void): Promise<void> {
    while (this.#n < count) {
      const size = Math.min(1 + Math.floor(choices.next() * TRANSACTION_MAX), count - this.#n);
      const rows = Array.from({ length: size }, (_, at) => ({
        n: this.#n + at + 1,
        id: 1 + Math.floor(choices.next() * KEYS),
        hit: choices.chance(HIT_PART),
      }));
      await this.#certainly(rows);
      this.#n += size;
      changed(this.#n);
    }
  }

  /** Changes that are to start runs, as they were committed. */
  hits(): Promise<Hit[]> {
    return this.#on(async (client) => {
      return (await client.query<Hit>('SELECT id, n FROM hits ORDER BY n')).rows;
    });
  }

  /** How many slots there are. */
  slots(): Promise<number> {
    return this.#on(async (client) => {
      return (await client.query('SELECT 1 FROM pg_replication_slots')).rows.length;
    });
  }

  /** Kills the server with -9, and starts it again. */
  async kill(): Promise<void> {
    process.kill(this.#server.pid, 'SIGKILL');
    for (;;) {
      const started = await this.#start().catch(() => undefined);
      if (started) {
        this.#server = started;
        return;
      }
      await sleep(200);
    }
  }

  async close(): Promise<void> {
    await this.#server.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** One transaction; where it is not known whether it was committed, the table says. */
  async #certainly(
    rows: readonly { readonly n: number; readonly id: number; readonly hit: boolean }[],
  ): Promise<void> {
    const last = rows.at(-1)?.n ?? 0;
    for (;;) {
      try {
        const isDone = await this.#on(async (client) => {
          const { rows: found } = await client.query<{ n: number }>(
            'SELECT max(n) AS n FROM items',
          );
          if ((found[0]?.n ?? 0) >= last) return true;
          await client.query('BEGIN');
          for (const { n, id, hit } of rows) {
            await client.query('UPDATE items SET n = $1, hit = $2 WHERE id = $3', [n, hit, id]);
            if (hit) await client.query('INSERT INTO hits VALUES ($1, $2)', [n, id]);
          }
          await client.query('COMMIT');
          return true;
        });
        if (isDone) return;
      } catch {
        await sleep(100);
      }
    }
  }

  async #on<Value>(work: (client: pg.Client) => Promise<Value>): Promise<Value> {
    const client = new pg.Client({ connectionString: this.#server.url });
    client.on('error', () => {});
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end().catch(() => {});
    }
  }
}
