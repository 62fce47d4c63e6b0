/** The last server that Debian packages, of 2018: a genuine one for what the engine alone does not have. */
import { execFile } from 'node:child_process';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Failure } from '../../../server/failure.ts';
import { freePort } from '../../../server/ports.ts';
import { runServer, untilReady } from '../../../server/server-process.ts';
import { downloaded } from '../downloads.ts';

/** A running server, on loopback only. */
interface DebianClickhouse {
  /** As a user with all rights; `reader` has the same password and `readonly` 1. */
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** The server, and the libraries of its that systems lack. */
const PACKAGES =
  'clickhouse-server clickhouse-common libboost-filesystem1.74.0 libboost-program-options1.74.0 libcapnp-0.9.2 libcctz2 libcpuinfo0 libdouble-conversion3 libfarmhash0 libicu72 libjemalloc2 liblz4-1 libmariadb3 libmetrohash1 libpocodata80 libpocodataodbc80 libpocofoundation80 libpocojson80 libpococrypto80 libpocomongodb80 libpoconet80 libpoconetssl80 libpocoutil80 libpocoxml80 librdkafka1 libre2-9 libpcre3 libodbc2 libltdl7';

/**
 * Starts a server in a folder that is made.
 * @throws Failure when the packages cannot be had, or it does not start
 */
export async function startDebianClickhouse(
  folder: string,
  password: string,
): Promise<DebianClickhouse> {
  const root = await downloaded(`clickhouse-18.16-${process.arch}`, unpack).catch(
    (cause: unknown) => {
      throw new Failure(
        'The ClickHouse of Debian 12 could not be fetched: run apt-get update there.',
        { cause },
      );
    },
  );
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const port = await freePort('127.0.0.1');
  await writeFile(join(folder, 'config.xml'), configOf(folder, port));
  await writeFile(join(folder, 'users.xml'), usersOf(password), { mode: 0o600 });
  const libraries = ['usr/lib/x86_64-linux-gnu', 'lib/x86_64-linux-gnu'].map((each) =>
    join(root, each),
  );
  const server = await runServer(
    'ClickHouse 18.16',
    join(root, 'usr/sbin/clickhouse-server'),
    [`--config-file=${join(folder, 'config.xml')}`],
    { environment: { LD_LIBRARY_PATH: libraries.join(':'), TZ: 'UTC' }, cwd: folder },
  );
  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/ping`).then(
      ({ ok }) => ok,
      () => false,
    );
  await untilReady('ClickHouse 18.16', server, isReady);
  const url = `clickhouse://default:${password}@127.0.0.1:${port}/default`;
  return { url, pid: server.pid, stop: server.stop };
}

function configOf(folder: string, port: number): string {
  return `<yandex>
  <logger><level>error</level><console>1</console></logger>
  <listen_host>127.0.0.1</listen_host>
  <http_port>${port}</http_port>
  <keep_alive_timeout>3</keep_alive_timeout>
  <path>${folder}/data/</path>
  <tmp_path>${folder}/tmp/</tmp_path>
  <users_config>users.xml</users_config>
  <default_profile>default</default_profile>
  <default_database>default</default_database>
  <mark_cache_size>16777216</mark_cache_size>
</yandex>`;
}

function usersOf(password: string): string {
  const user = (profile: string) =>
    `<password>${password}</password><networks><ip>127.0.0.1</ip></networks><profile>${profile}</profile><quota>default</quota>`;
  return `<yandex>
  <profiles><default></default><reading><readonly>1</readonly></reading></profiles>
  <quotas><default></default></quotas>
  <users><default>${user('default')}</default><reader>${user('reading')}</reader></users>
</yandex>`;
}

async function unpack(folder: string): Promise<void> {
  const run = promisify(execFile);
  await run('apt-get', ['download', '-q', ...PACKAGES.split(' ')], { cwd: folder });
  for (const file of await readdir(folder)) {
    if (!file.endsWith('.deb')) continue;
    await run('dpkg-deb', ['-x', join(folder, file), folder]);
    await rm(join(folder, file));
  }
}
