/** Webdis, which puts Redis behind HTTP: Debian's package, fetched once and unpacked, not installed. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Failure } from '../server/failure.ts';
import { freePort } from '../server/ports.ts';
import { runServer, untilReady } from '../server/server-process.ts';
import { downloaded } from '../test/servers/downloads.ts';
import type { Running } from './baseline.ts';

/** The program, and the libraries of its that systems lack. */
const PACKAGES = [
  'webdis',
  'libb64-0d',
  'libevent-2.1-7',
  'libhiredis0.14',
  'libjansson4',
  'libmsgpackc2',
];
const READY_MAX_MS = 10_000;

/** A running webdis. */
interface Webdis extends Running {
  readonly pid: number;
}

/**
 * Starts it in front of a Redis of this machine, with as many threads and connections as Debian's
 * configuration gives it.
 * @throws Failure when the packages cannot be had, or it does not start
 */
export async function startWebdis(redisPort: number): Promise<Webdis> {
  const root = await downloaded(`webdis-${process.arch}`, unpack).catch((cause: unknown) => {
    throw new Failure('The packages of webdis could not be fetched: run apt-get update.', {
      cause,
    });
  });
  const folder = await mkdtemp(join(tmpdir(), 'causeway-webdis-'));
  const port = await freePort('127.0.0.1');
  const file = join(folder, 'webdis.json');
  const config = {
    redis_host: '127.0.0.1',
    redis_port: redisPort,
    http_host: '127.0.0.1',
    http_port: port,
    threads: 5,
    pool_size: 20,
    daemonize: false,
    database: 0,
    verbosity: 0,
    logfile: join(folder, 'webdis.log'),
  };
  await writeFile(file, JSON.stringify(config));
  const libraries = join(root, 'usr/lib/x86_64-linux-gnu');
  const server = await runServer('webdis', join(root, 'usr/bin/webdis'), [file], {
    environment: { LD_LIBRARY_PATH: libraries },
    cwd: folder,
  });
  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/PING`).then(
      ({ ok }) => ok,
      () => false,
    );
  await untilReady('webdis', server, isReady, READY_MAX_MS);
  const stop = async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { port, pid: server.pid, stop };
}

async function unpack(folder: string): Promise<void> {
  const run = promisify(execFile);
  await run('apt-get', ['download', '-q', ...PACKAGES], { cwd: folder });
  for (const file of await readdir(folder)) {
    if (!file.endsWith('.deb')) continue;
    await run('dpkg-deb', ['-x', join(folder, file), folder]);
    await rm(join(folder, file));
  }
}
