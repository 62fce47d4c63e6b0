/** Starts servers that speak Redis's protocol: Redis 8 and 7 with modules, and Valkey. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createClient } from '@redis/client';
import { freePort } from '../../server/ports.ts';
import { runServer, untilReady } from '../../server/server-process.ts';
import { type RedisProduct, redisProgram } from './redis/programs.ts';

/** What a server is started with. */
export interface RedisOptions {
  /** Made; must not be there yet. */
  readonly folder: string;
  /** Of the user `default`, who may do anything; without one, none is asked for. */
  readonly password?: string;
  /** Default `redis-8`, the only one with vector sets, and the only one without TLS. */
  readonly product?: RedisProduct;
  /** JSON, search, time series, bloom and its kin, or those named; default all. Valkey has none. */
  readonly modules?: false | readonly string[];
  /** PEM: the port then speaks TLS, and nothing else does. */
  readonly tls?: {
    readonly certificate: string;
    readonly key: string;
    /** Clients must show one that this signed. */
    readonly clientCa?: string;
  };
  /** Users besides `default`, as in an ACL file: `reader on >secret ~* +@read`. */
  readonly users?: readonly string[];
  /** As in `redis.conf`; these win. */
  readonly settings?: Readonly<Record<string, string | number>>;
}

/** A running server, on loopback only; none of its data stays. */
export interface RedisServer {
  /** As `default`, to database 0. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

/**
 * Starts a server in a new folder and waits until it answers.
 * @throws Failure when the programs cannot be had, or it does not start
 */
export async function startRedis(options: RedisOptions): Promise<RedisServer> {
  const { folder, password, product = 'redis-8', tls } = options;
  const program = await redisProgram(product);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const port = Number(options.settings?.port ?? (await freePort('127.0.0.1')));
  const { modules: named } = options;
  const modules = program.modules.filter(
    (each) => named === undefined || (named !== false && named.includes(basename(each, '.so'))),
  );
  const lines = [
    'bind 127.0.0.1',
    `dir ${folder}`,
    'save ""',
    'databases 1024',
    ...['debug', 'module'].map((each) => `enable-${each}-command local`),
    ...modules.map((each) => `loadmodule ${each}`),
    ...(tls === undefined ? [`port ${port}`] : await tlsLines(folder, port, tls)),
    ...(password === undefined ? [] : [`requirepass ${password}`, `masterauth ${password}`]),
    ...(options.users ?? []).map((each) => `user ${each}`),
    ...Object.entries(options.settings ?? {}).map(([name, value]) => `${name} ${value}`),
  ];
  const file = join(folder, 'redis.conf');
  await writeFile(file, `${lines.join('\n')}\n`, { mode: 0o600 });
  const server = await runServer(product, program.binary, [file], {
    environment: { PATH: process.env.PATH, LD_LIBRARY_PATH: program.libraries },
    cwd: folder,
  });
  const isReady = () => server.said().includes('Ready to accept connections');
  await untilReady(product, server, isReady);
  return { url: urlOf(port, options), port, pid: server.pid, stop: server.stop };
}

function urlOf(port: number, { password, tls }: RedisOptions): string {
  const user = password === undefined ? '' : `default:${password}@`;
  return tls === undefined
    ? `redis://${user}127.0.0.1:${port}`
    : `rediss://${user}localhost:${port}`;
}

async function tlsLines(
  folder: string,
  port: number,
  tls: NonNullable<RedisOptions['tls']>,
): Promise<string[]> {
  const files = { cert: tls.certificate, key: tls.key, 'ca-cert': tls.clientCa ?? tls.certificate };
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(folder, `${name}.pem`), text, { mode: 0o600 });
  }
  return [
    'port 0',
    `tls-port ${port}`,
    ...Object.keys(files).map((name) => `tls-${name}-file ${join(folder, `${name}.pem`)}`),
    `tls-auth-clients ${tls.clientCa === undefined ? 'no' : 'yes'}`,
  ];
}

/**
 * A server for one test file alone, in a folder that goes with it.
 * @throws Failure as `startRedis`
 */
export async function ownRedis(options: Omit<RedisOptions, 'folder'> = {}): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-redis-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const server = await startRedis({ ...options, folder: join(folder, 'data') });
    const stop = async () => {
      await server.stop();
      await remove();
    };
    return { ...server, stop };
  } catch (thrown) {
    await remove();
    throw thrown;
  }
}

/** A reply in Node's own types: what scripts and tests look at. */
export type PlainReply = null | number | string | PlainReply[];

/** Runs commands one after another on a connection of its own, in RESP2, and answers their replies. */
export async function onRedis(
  url: string,
  ...commands: readonly (readonly (string | Buffer)[])[]
): Promise<PlainReply[]> {
  const client = createClient({ url, RESP: 2, socket: { reconnectStrategy: false } });
  client.on('error', () => undefined); // The call that suffers from it says so.
  await client.connect();
  try {
    const replies: PlainReply[] = [];
    for (const command of commands) replies.push(await client.sendCommand([...command]));
    return replies;
  } finally {
    client.destroy();
  }
}
