/** Starts a MariaDB server from Debian's packages: fetched and unpacked, not installed. */
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import mysql from 'mysql2/promise';
import { Failure } from '../../server/failure.ts';
import { freePort } from '../../server/ports.ts';
import {
  isRoot,
  type RunOptions,
  runServer,
  runToEnd,
  type ServerProcess,
  untilReady,
} from '../../server/server-process.ts';
import { librariesOf, unpackDebian } from './debian-packages.ts';
import { downloaded } from './downloads.ts';

/** What a server is made and started with. */
interface MariadbOptions {
  /** Made and filled, or one that a server made before. */
  readonly folder: string;
  /** Of `USER`. */
  readonly password: string;
  /** As on the command line, without the dashes. */
  readonly settings?: Readonly<Record<string, string | number>>;
  /** Whether it is started again, on the same port, once it has crashed: one that ends so takes all tests of a run with it. */
  readonly startsAgain?: boolean;
}

/** A running server, on loopback only. */
export interface MariadbServer {
  /** As a user with all rights, to no database. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

const USER = 'causeway';
/** Signals of a process that ended by a fault of its own. */
const CRASHES: readonly unknown[] = ['SIGSEGV', 'SIGABRT', 'SIGBUS'];
/** The server, and the libraries of its that small systems lack. */
const PACKAGES = ['mariadb-server-core', 'libaio1', 'liburing2', 'libnuma1'];

/** Where a server's files are. */
interface Program {
  readonly mariadbd: string;
  /** Messages and the statements that make the system tables. */
  readonly share: string;
  readonly libraries: readonly string[];
}

/**
 * Makes a data folder unless it is there, starts a server in it and waits until it takes connections.
 * @throws Failure when there is no MariaDB, or it does not start
 */
export async function startMariadb(options: MariadbOptions): Promise<MariadbServer> {
  const program = await findProgram();
  const { folder } = options;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const run = running(program);
  // In a folder that several share, one that starts removes temporary tables of the others.
  const temporary = join(folder, 'tmp');
  await mkdir(temporary, { recursive: true, mode: 0o700 });
  const places = [`--datadir=${join(folder, 'data')}`, `--tmpdir=${temporary}`];
  const common = ['--no-defaults', ...places, ...asUser()];
  const messages = [
    `--lc-messages-dir=${program.share}`,
    `--character-sets-dir=${program.share}/charsets`,
  ];
  if (!existsSync(join(folder, 'data', 'mysql', 'global_priv.frm'))) {
    await initialise(program, folder, [...common, ...messages], run);
  }
  const first = join(folder, 'first.sql');
  await writeFile(first, firstStatements(options.password), { mode: 0o600 });
  const port = await freePort('127.0.0.1');
  const settings = Object.entries(options.settings ?? {}).map(
    ([name, value]) => `--${name}=${value}`,
  );
  const args = [
    ...common,
    ...messages,
    `--socket=${join(folder, 'sock')}`,
    `--pid-file=${join(folder, 'pid')}`,
    `--port=${port}`,
    '--bind-address=127.0.0.1',
    '--skip-name-resolve',
    `--init-file=${first}`,
    ...settings,
  ];
  const start = () => runServer('MariaDB', program.mariadbd, args, run);
  const server = await start();
  const url = `mysql://${USER}:${options.password}@127.0.0.1:${port}/`;
  await untilReady('MariaDB', server, () => answers(url));
  if (options.startsAgain) return Object.assign(kept(server, start), { url, port });
  await rm(first, { force: true });
  return { url, port, pid: server.pid, stop: server.stop };
}

/** Starts it again whenever it has crashed, until it is stopped. */
function kept(
  first: ServerProcess,
  start: () => Promise<ServerProcess>,
): Pick<MariadbServer, 'pid' | 'stop'> {
  let server = first;
  let isStopped = false;
  const watch = (): void => {
    server.child.once('exit', async (_code, signal) => {
      if (isStopped || !CRASHES.includes(signal)) return;
      server = await start();
      watch();
    });
  };
  watch();
  return {
    get pid() {
      return server.pid;
    },
    stop() {
      isStopped = true;
      return server.stop();
    },
  };
}

async function answers(url: string): Promise<boolean> {
  try {
    const connection = await mysql.createConnection({ uri: url, connectTimeout: 1_000 });
    await connection.end();
    return true;
  } catch {
    return false;
  }
}

/** Each of a user's hosts, because the server does not look names up. */
function firstStatements(password: string): string {
  return ['127.0.0.1', 'localhost']
    .map(
      (host) =>
        `GRANT ALL ON *.* TO '${USER}'@'${host}' IDENTIFIED BY '${password}' WITH GRANT OPTION;\n`,
    )
    .join('');
}

/** What Debian's mariadb-install-db does, without the tools around it. */
async function initialise(
  { mariadbd, share }: Program,
  folder: string,
  args: readonly string[],
  run: RunOptions,
): Promise<void> {
  await mkdir(join(folder, 'data', 'mysql'), { recursive: true, mode: 0o700 });
  const files = [
    'mysql_system_tables.sql',
    'mysql_performance_tables.sql',
    'mysql_system_tables_data.sql',
  ];
  const head = String.raw`printf 'use mysql;\nset @auth_root_socket=NULL;\nset @skip_auth_anonymous=1;\n'`;
  const script = `share=$1; shift; (${head}; cd "$share" && cat ${files.join(' ')}) | "$@"`;
  const bootstrap = [
    mariadbd,
    ...args,
    '--bootstrap',
    '--log-warnings=0',
    '--max-allowed-packet=8M',
  ];
  await runToEnd('Initialising MariaDB', '/bin/sh', ['-c', script, 'sh', share, ...bootstrap], run);
}

function asUser(): string[] {
  return isRoot() ? ['--user=root'] : [];
}

function running({ libraries }: Program): RunOptions {
  const path = [...libraries, process.env.LD_LIBRARY_PATH].filter(Boolean).join(delimiter);
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('MYSQL'));
  return { environment: { ...Object.fromEntries(own), LC_ALL: 'C', LD_LIBRARY_PATH: path } };
}

/** An installed server, else Debian's packages unpacked. */
async function findProgram(): Promise<Program> {
  const share = ['/usr/share/mysql', '/usr/share/mariadb'].find((each) =>
    existsSync(join(each, 'mysql_system_tables.sql')),
  );
  const installed = ['/usr/sbin/mariadbd', '/usr/libexec/mariadbd'].find((each) =>
    existsSync(each),
  );
  if (share !== undefined && installed !== undefined) {
    return { mariadbd: installed, share, libraries: [] };
  }
  const unpack = (folder: string) => unpackDebian(folder, PACKAGES);
  const root = await downloaded(`mariadb-${process.arch}`, unpack).catch((cause: unknown) => {
    throw new Failure(
      'MariaDB is not here and could not be fetched: install mariadb-server-core, or run apt-get update on Debian.',
      { cause },
    );
  });
  return {
    mariadbd: join(root, 'usr/sbin/mariadbd'),
    share: join(root, 'usr/share/mysql'),
    libraries: await librariesOf(root),
  };
}
