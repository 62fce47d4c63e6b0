/** Starts a MongoDB-compatible server: SecantusDB, a reimplementation of MongoDB 8.2 from the Python package index. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { Failure } from '../../server/failure.ts';
import { freePort } from '../../server/ports.ts';
import {
  runServer,
  runToEnd,
  type ServerProcess,
  untilReady,
} from '../../server/server-process.ts';
import { downloaded } from './downloads.ts';

/** What a server is made and started with. */
interface MongoOptions {
  /** Made and filled; must not be there yet. */
  readonly folder: string;
  /** Of `USER`, who may do anything; without one the server needs no login. */
  readonly password?: string;
}

/** A running server, on loopback only: a replica set of one member. */
interface MongoServer {
  /** As a user with all rights, to no database. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

const USER = 'causeway';
const VERSION = '0.7.0b3';
/** What its own program does. */
const START = 'import sys; from secantus.cli import main; sys.exit(main())';

/**
 * Starts a server in a new folder and waits until it answers.
 * @throws Failure when Python or the package is missing, or the server does not start
 */
export async function startMongo({ folder, password }: MongoOptions): Promise<MongoServer> {
  const program = await findProgram();
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const port = await freePort('127.0.0.1');
  // Its first user can only be made while it asks for none.
  const first = await serve(program, folder, port, []);
  if (password === undefined) {
    return { url: address(port), port, pid: first.pid, stop: first.stop };
  }
  await onServer(address(port), (client) =>
    client.db('admin').command({ createUser: USER, pwd: password, roles: ['root'] }),
  );
  await first.stop();
  const server = await serve(program, folder, port, ['--auth']);
  const url = `mongodb://${USER}:${password}@127.0.0.1:${port}/?directConnection=true&authSource=admin`;
  return { url, port, pid: server.pid, stop: server.stop };
}

async function serve(
  program: string,
  folder: string,
  port: number,
  more: readonly string[],
): Promise<ServerProcess> {
  const args = ['--port', String(port), '--storage-path', join(folder, 'data'), ...more];
  const server = await runServer(
    'SecantusDB',
    program,
    ['-c', START, ...args, '--enable-test-commands'],
    { cwd: folder },
  );
  const ready = () =>
    onServer(address(port), (client) => client.db('admin').command({ ping: 1 })).then(
      () => true,
      () => false,
    );
  // The port opens before the server can answer.
  await untilReady('SecantusDB', server, ready);
  return server;
}

function address(port: number): string {
  return `mongodb://127.0.0.1:${port}/?directConnection=true`;
}

/** Does something with a new client. */
async function onServer<Value>(
  url: string,
  work: (client: MongoClient) => Promise<Value>,
): Promise<Value> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 1_000, connectTimeoutMS: 1_000 });
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

/** The environment's interpreter: its other programs name the place where they were installed. */
async function findProgram(): Promise<string> {
  const root = await downloaded(`secantusdb-${VERSION}-${process.arch}`, install).catch(
    (cause: unknown) => {
      throw new Failure(
        'SecantusDB is not here and could not be fetched: it needs python3 with venv, and the Python package index.',
        { cause },
      );
    },
  );
  return join(root, 'bin', 'python');
}

async function install(folder: string): Promise<void> {
  await runToEnd('Making a Python environment', 'python3', ['-m', 'venv', folder]);
  await runToEnd('Installing SecantusDB', join(folder, 'bin', 'python'), [
    ...['-m', 'pip', 'install', '--quiet', '--no-cache-dir', '--disable-pip-version-check'],
    `secantusdb==${VERSION}`,
  ]);
}
