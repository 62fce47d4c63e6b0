/** Starts a ClickHouse server: the engine that the Python package `chdb-core` carries, behind its HTTP interface. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../../server/bundle.ts';
import { Failure } from '../../server/failure.ts';
import { freePort } from '../../server/ports.ts';
import { runServer, runToEnd, untilReady } from '../../server/server-process.ts';
import { downloaded } from './downloads.ts';

/** What a server is made and started with. */
interface ClickhouseOptions {
  /** Made; must not be there yet. */
  readonly folder: string;
  /** Of the user `default`. */
  readonly password: string;
}

/** A running server, on loopback only. */
interface ClickhouseServer {
  /** As a user with all rights. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

/** ClickHouse 26.9. */
const VERSION = '26.9.0';

/**
 * Starts a server and waits until it takes requests.
 * @throws Failure when Python or the package cannot be had, or it does not start
 */
export async function startClickhouse(options: ClickhouseOptions): Promise<ClickhouseServer> {
  const packages = await downloaded(`chdb-core-${VERSION}`, fetchEngine);
  await mkdir(options.folder, { recursive: true, mode: 0o700 });
  const port = await freePort('127.0.0.1');
  const program = join(ROOT, 'test/servers/clickhouse/server.py');
  const server = await runServer(
    'ClickHouse',
    'python3',
    ['-S', '-u', program, join(options.folder, 'data'), String(port), options.password],
    {
      environment: { PATH: process.env.PATH, PYTHONPATH: packages, TZ: 'UTC', LC_ALL: 'C.UTF-8' },
      cwd: options.folder,
    },
  );
  await untilReady('ClickHouse', server, () => server.said().includes('Ready'));
  const url = `clickhouse://default:${options.password}@127.0.0.1:${port}/default`;
  return { url, port, pid: server.pid, stop: server.stop };
}

async function fetchEngine(folder: string): Promise<void> {
  const args = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--no-compile'];
  try {
    const all = [...args, '--target', folder, `chdb-core==${VERSION}`];
    await runToEnd('Fetching ClickHouse', 'python3', all);
  } catch (cause) {
    if (!(cause instanceof Failure)) throw cause;
    throw new Failure(
      `${cause.message} It needs Python 3.9 or newer with pip, and the package chdb-core ${VERSION}.`,
      { cause },
    );
  }
}
