/** Two-phase commit over PostgreSQL and MariaDB by their drivers alone: the protocol without a log, a gateway or a network of it. */
import mysql from 'mysql2/promise';
import pg from 'pg';
import type { Measured } from '../load.ts';

/** Most workers at once: each has a connection of each database. */
const WORKERS_MAX = 64;

/** What runs transactions in this process. */
interface Bare {
  /** Keeps so many transactions under way, each worker with rows of its own. */
  measure(workers: number, seconds: number): Promise<Measured>;
  stop(): Promise<void>;
}

interface Pair {
  readonly first: pg.Client;
  readonly second: mysql.Connection;
}

/** Connects to both. */
export async function bareTransactions(postgresUrl: string, mariadbUrl: string): Promise<Bare> {
  const connectPair = async (): Promise<Pair> => {
    const first = new pg.Client(postgresUrl);
    await first.connect();
    return { first, second: await mysql.createConnection(mariadbUrl) };
  };
  const pairs = await Promise.all(Array.from({ length: WORKERS_MAX }, connectPair));
  return {
    async measure(workers, seconds) {
      const latencies: number[] = [];
      const began = performance.now();
      const until = began + seconds * 1000;
      await Promise.all(
        pairs.slice(0, workers).map(async (pair, row) => {
          for (let number = 0; performance.now() < until; number += 1) {
            const sent = performance.now();
            await transaction(pair, row, `bare_${row}_${number}`);
            latencies.push(performance.now() - sent);
          }
        }),
      );
      const took = (performance.now() - began) / 1000;
      const replies = latencies.length;
      latencies.sort((one, other) => one - other);
      const at = (share: number) => latencies[Math.floor(replies * share)] ?? Number.NaN;
      return { throughput: replies / took, p50: at(0.5), p99: at(0.99), replies, seconds: took };
    },
    async stop() {
      await Promise.all(pairs.flatMap(({ first, second }) => [first.end(), second.end()]));
    },
  };
}

/** Both prepare at the same time, then both commit. */
async function transaction({ first, second }: Pair, row: number, name: string): Promise<void> {
  await Promise.all([prepareFirst(first, row, name), prepareSecond(second, row, name)]);
  await Promise.all([
    first.query(`COMMIT PREPARED '${name}'`),
    second.query(`XA COMMIT '${name}'`),
  ]);
}

async function prepareFirst(client: pg.Client, row: number, name: string): Promise<void> {
  await client.query('BEGIN');
  await client.query('UPDATE accounts SET amount = amount + 1 WHERE id = $1', [row]);
  await client.query(`PREPARE TRANSACTION '${name}'`);
}

async function prepareSecond(client: mysql.Connection, row: number, name: string): Promise<void> {
  await client.query(`XA START '${name}'`);
  await client.execute('UPDATE accounts SET amount = amount + 1 WHERE id = ?', [row]);
  await client.query(`XA END '${name}'`);
  await client.query(`XA PREPARE '${name}'`);
}
