/** The MariaDB of a run of tests. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mysql from 'mysql2/promise';
import { expect, test } from 'vitest';
import { startMariadb } from './mariadb-server.ts';

test('is there again with what it had, once it has crashed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-mariadb-'));
  const server = await startMariadb({ folder, password: 'p', startsAgain: true });
  try {
    const ask = async (sql: string) => {
      const connection = await mysql.createConnection(server.url);
      try {
        const [rows] = await connection.query(sql);
        return rows;
      } finally {
        await connection.end();
      }
    };
    await ask('CREATE DATABASE kept');
    const { pid } = server;
    process.kill(pid, 'SIGSEGV');
    await expect.poll(() => server.pid, { timeout: 30_000 }).not.toBe(pid);
    const found = () => ask("SHOW DATABASES LIKE 'kept'").catch(() => 'away');
    await expect.poll(found, { timeout: 30_000 }).toEqual([{ 'Database (kept)': 'kept' }]);
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}, 60_000);
