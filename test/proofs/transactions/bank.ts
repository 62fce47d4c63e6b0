/** A bank with accounts in PostgreSQL and in MariaDB, and what its books say. Each transfer leaves its name in both. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import mysql from 'mysql2/promise';
import pg from 'pg';
import { type PostgresServer, startPostgres } from '../../../server/postgres-server.ts';
import { type MariadbServer, startMariadb } from '../../servers/mariadb-server.ts';
import { Line } from './line.ts';

/** Accounts of each database, and what each holds at first. */
export const ACCOUNTS = 8;
const AMOUNT = 1_000;
/** Milliseconds that a server may take to answer again. */
const BACK_MAX_MS = 60_000;

/** What the books say. */
interface Books {
  /** Of all accounts of both databases. */
  readonly sum: number;
  /** Names of transfers in each database. */
  readonly postgres: ReadonlySet<string>;
  readonly mariadb: ReadonlySet<string>;
}

/** Names of what is prepared in each database. */
export interface PreparedNames {
  readonly postgres: readonly string[];
  readonly mariadb: readonly string[];
}

export class Bank {
  readonly #folder: string;
  readonly #password: string;
  readonly postgresLine: Line;
  readonly mariadbLine: Line;
  #postgres: PostgresServer;
  #mariadb: MariadbServer;

  private constructor(
    folder: string,
    servers: { postgres: PostgresServer; mariadb: MariadbServer },
    lines: { postgres: Line; mariadb: Line },
    password: string,
  ) {
    this.#folder = folder;
    this.#postgres = servers.postgres;
    this.#mariadb = servers.mariadb;
    this.postgresLine = lines.postgres;
    this.mariadbLine = lines.mariadb;
    this.#password = password;
  }

  static async open(): Promise<Bank> {
    const folder = await mkdtemp(join(tmpdir(), 'causeway-bank-'));
    const password = randomUUID();
    const [postgres, mariadb] = await Promise.all([
      startPostgres(postgresOptions(folder, password)),
      startMariadb(mariadbOptions(folder, password)),
    ]);
    const lines = {
      postgres: await Line.open(postgres.port),
      mariadb: await Line.open(mariadb.port),
    };
    const bank = new Bank(folder, { postgres, mariadb }, lines, password);
    await bank.#fill();
    return bank;
  }

  async #fill(): Promise<void> {
    const accounts = Array.from({ length: ACCOUNTS }, (_, at) => `(${at}, ${AMOUNT})`).join(', ');
    await this.#onPostgres(async (client) => {
      await client.query(
        `CREATE TABLE accounts (id int PRIMARY KEY, amount int NOT NULL);
         INSERT INTO accounts VALUES ${accounts};
         CREATE TABLE transfers (at serial, name text PRIMARY KEY)`,
      );
    });
    await this.#onMariadb(async (connection) => {
      await connection.query('CREATE DATABASE bank');
      await connection.query(
        'CREATE TABLE bank.accounts (id int PRIMARY KEY, amount int NOT NULL)',
      );
      await connection.query(`INSERT INTO bank.accounts VALUES ${accounts}`);
      await connection.query(
        'CREATE TABLE bank.transfers (at int AUTO_INCREMENT, name varchar(64) PRIMARY KEY, KEY (at))',
      );
    });
  }

  /** Through its line, as the gateway reaches it. */
  get postgresUrl(): string {
    return through(this.#postgres.url, this.postgresLine, '/postgres');
  }

  get mariadbUrl(): string {
    return through(this.#mariadb.url, this.mariadbLine, '/bank');
  }

  get sum(): number {
    return 2 * ACCOUNTS * AMOUNT;
  }

  /** What the books say now: locks of what is prepared are not waited for. */
  async books(): Promise<Books> {
    const [postgres, mariadb] = await Promise.all([
      this.#onPostgres(async (client) => {
        const [sum, names] = [
          await client.query<{ sum: string }>('SELECT sum(amount) AS sum FROM accounts'),
          await client.query<{ name: string }>('SELECT name FROM transfers'),
        ];
        return { sum: Number(sum.rows[0]?.sum), names: names.rows.map(({ name }) => name) };
      }),
      this.#onMariadb(async (connection) => {
        const [sum] = await connection.query<mysql.RowDataPacket[]>(
          'SELECT sum(amount) AS sum FROM bank.accounts',
        );
        const [names] = await connection.query<mysql.RowDataPacket[]>(
          'SELECT name FROM bank.transfers',
        );
        return { sum: Number(sum[0]?.sum), names: names.map(({ name }) => String(name)) };
      }),
    ]);
    return {
      sum: postgres.sum + mariadb.sum,
      postgres: new Set(postgres.names),
      mariadb: new Set(mariadb.names),
    };
  }

  /** What is prepared; nothing where a server does not answer. */
  async prepared(): Promise<PreparedNames> {
    const [postgres, mariadb] = await Promise.all([
      this.#onPostgres(async (client) => {
        const { rows } = await client.query<{ gid: string }>('SELECT gid FROM pg_prepared_xacts');
        return rows.map(({ gid }) => gid);
      }).catch(() => []),
      this.#onMariadb(async (connection) => {
        const [rows] = await connection.query<mysql.RowDataPacket[]>('XA RECOVER');
        return rows.map(({ data }) => String(data));
      }).catch(() => []),
    ]);
    return { postgres, mariadb };
  }

  /** Kills PostgreSQL with -9 and starts it again on its data. @param dead called in between */
  async restartPostgres(dead: () => Promise<void>): Promise<void> {
    await ended(this.#postgres.pid);
    await dead();
    this.#postgres = await startPostgres(postgresOptions(this.#folder, this.#password));
    this.postgresLine.lead(this.#postgres.port);
  }

  /** As `restartPostgres`. */
  async restartMariadb(dead: () => Promise<void>): Promise<void> {
    await ended(this.#mariadb.pid);
    await dead();
    this.#mariadb = await startMariadb(mariadbOptions(this.#folder, this.#password));
    this.mariadbLine.lead(this.#mariadb.port);
  }

  async close(): Promise<void> {
    this.postgresLine.close();
    this.mariadbLine.close();
    await Promise.allSettled([this.#postgres.stop(), this.#mariadb.stop()]);
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #onPostgres<Value>(work: (client: pg.Client) => Promise<Value>): Promise<Value> {
    const client = new pg.Client({ connectionString: this.#postgres.url, query_timeout: 10_000 });
    client.on('error', () => {});
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end().catch(() => {});
    }
  }

  async #onMariadb<Value>(work: (connection: mysql.Connection) => Promise<Value>): Promise<Value> {
    const connection = await mysql.createConnection(this.#mariadb.url);
    try {
      return await work(connection);
    } finally {
      connection.destroy();
    }
  }
}

function through(url: string, line: Line, path: string): string {
  const own = new URL(url);
  own.port = String(line.port);
  own.pathname = path;
  return own.href;
}

function postgresOptions(folder: string, password: string) {
  const settings = { max_prepared_transactions: 50, max_connections: 100 };
  return { folder: join(folder, 'postgres'), password, settings };
}

function mariadbOptions(folder: string, password: string) {
  const settings = { 'max-connections': 100, 'innodb-flush-log-at-trx-commit': 1 };
  return { folder: join(folder, 'mariadb'), password, settings };
}

/** Kills a server with -9 and waits until it is gone. */
async function ended(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL');
  for (const until = Date.now() + BACK_MAX_MS; Date.now() < until; ) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await sleep(20);
  }
  throw new Error(`The server ${pid} does not end`);
}
