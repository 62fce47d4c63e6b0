/** A PostgreSQL with two databases, each with an owner of its own who cannot enter the other, and a Redis. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { type StartedBackend, startBackend } from '../../test/servers/backends.ts';
import type { Backends } from './attacker.ts';

/** The servers, and how each side enters its databases. */
interface Databases {
  readonly servers: readonly StartedBackend[];
  readonly attacker: Backends;
  readonly victim: string;
}

/**
 * Starts the servers and makes both databases.
 * @param secret is in everything that the victim's holds, and in its name and owner
 */
export async function startDatabases(secret: string): Promise<Databases> {
  const [server, cache] = [await startBackend('postgres'), await startBackend('redis')];
  const attacker = await makeDatabase(server.url, 'shop', randomBytes(12).toString('hex'));
  const victim = await makeDatabase(server.url, secret, secret);
  await run(victim, [
    `CREATE TABLE ${secret} (id int PRIMARY KEY, note text)`,
    `INSERT INTO ${secret} VALUES (1, '${secret}')`,
  ]);
  // The tables that the description's examples are about.
  await run(attacker, [
    await readFile(join(import.meta.dirname, '../../server/demo-shop.sql'), 'utf8'),
  ]);
  return { servers: [server, cache], attacker: { postgres: attacker, redis: cache.url }, victim };
}

/** Makes a database and its owner of the same name; answers the owner's URL. */
async function makeDatabase(server: string, name: string, password: string): Promise<string> {
  await run(server, [
    `CREATE ROLE ${name} LOGIN PASSWORD '${password}'`,
    `CREATE DATABASE ${name} OWNER ${name}`,
    `REVOKE CONNECT ON DATABASE ${name} FROM PUBLIC`,
  ]);
  const url = new URL(server);
  url.username = name;
  url.password = password;
  url.pathname = `/${name}`;
  return url.href;
}

async function run(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
