/** PgBouncer in front of a PostgreSQL server, run from Debian's packages: fetched and unpacked, not installed. */
import { existsSync } from 'node:fs';
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import pg from 'pg';
import { Failure } from '../../server/failure.ts';
import { freePort } from '../../server/ports.ts';
import { isRoot, runServer, UNPRIVILEGED_ID, untilReady } from '../../server/server-process.ts';
import { librariesOf, unpackDebian } from './debian-packages.ts';
import { downloaded } from './downloads.ts';

/** What a pooler is started with. */
export interface PgbouncerOptions {
  /** Made and filled. */
  readonly folder: string;
  /** The server behind it, as a superuser: its users log in here, too. */
  readonly url: string;
  /** Default `transaction`. */
  readonly mode?: 'transaction' | 'session' | 'statement';
  /** Connections to the server for each database and user; default 20. */
  readonly poolSize?: number;
  /** As in pgbouncer.ini. */
  readonly settings?: Readonly<Record<string, string | number>>;
}

/** A running pooler, on loopback only. */
export interface PgbouncerServer {
  /** As `url` of the server, by way of the pooler. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

/** The pooler, and the libraries of its that small systems lack. */
const PACKAGES = ['pgbouncer', 'libc-ares2', 'libevent-2.1-7', 'libpam0g', 'libsystemd0'];

/**
 * Starts a pooler and waits until it takes connections.
 * @throws Failure when there is no PgBouncer, or it does not start
 */
export async function startPgbouncer(options: PgbouncerOptions): Promise<PgbouncerServer> {
  const program = await findProgram();
  const { folder } = options;
  const port = await freePort('127.0.0.1');
  const ini = await writeFiles(options, port);
  if (isRoot()) await chown(folder, UNPRIVILEGED_ID, UNPRIVILEGED_ID);
  const path = [...program.libraries, process.env.LD_LIBRARY_PATH].filter(Boolean).join(delimiter);
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('PG'));
  const environment = { ...Object.fromEntries(own), LC_ALL: 'C', LD_LIBRARY_PATH: path };
  const run = { unprivileged: true, environment, stopBy: 'SIGINT' } as const;
  const server = await runServer('PgBouncer', program.pgbouncer, [ini], run);
  const url = new URL(options.url);
  url.host = `127.0.0.1:${port}`;
  await untilReady('PgBouncer', server, () => answers(url.href));
  return { url: url.href, port, pid: server.pid, stop: server.stop };
}

/** Its configuration; who may log in, and with what, it asks the server for. */
async function writeFiles(options: PgbouncerOptions, port: number): Promise<string> {
  const { folder, mode = 'transaction', poolSize = 20 } = options;
  const server = new URL(options.url);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const users = join(folder, 'users.txt');
  const superuser = decodeURIComponent(server.username);
  await writeFile(users, `"${superuser}" "${decodeURIComponent(server.password)}"\n`, {
    mode: 0o600,
  });
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'scram-sha-256',
    auth_file: users,
    auth_user: superuser,
    admin_users: superuser,
    pool_mode: mode,
    default_pool_size: poolSize,
    max_client_conn: 1_000,
    ...options.settings,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
  const databases = `[databases]\n* = host=${server.hostname} port=${server.port}\n`;
  const ini = join(folder, 'pgbouncer.ini');
  await writeFile(ini, `${databases}[pgbouncer]\n${lines.join('')}`, { mode: 0o600 });
  if (isRoot()) {
    await chown(users, UNPRIVILEGED_ID, UNPRIVILEGED_ID);
    await chown(ini, UNPRIVILEGED_ID, UNPRIVILEGED_ID);
  }
  return ini;
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end();
  }
}

interface Program {
  readonly pgbouncer: string;
  readonly libraries: readonly string[];
}

/** An installed pooler, else Debian's packages unpacked. */
async function findProgram(): Promise<Program> {
  const installed = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((each) => existsSync(each));
  if (installed !== undefined) return { pgbouncer: installed, libraries: [] };
  const name = `pgbouncer-${process.arch}`;
  const unpack = (folder: string) => unpackDebian(folder, PACKAGES);
  const root = await downloaded(name, unpack).catch((cause: unknown) => {
    throw new Failure(
      'PgBouncer is not here and could not be fetched: install pgbouncer, or run apt-get update on Debian.',
      { cause },
    );
  });
  return { pgbouncer: join(root, 'usr/sbin/pgbouncer'), libraries: await librariesOf(root) };
}
