/**
 * Folders of Unix sockets: for this user alone, and short, because the path of a socket has some hundred
 * characters at most. One that a killed process left behind is removed at the next start of any other.
 */
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { lstat, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'causeway-sockets-';
/** The owner listens on it as long as they live, whatever else in the folder does not. */
const OWNER = 'owner.sock';
/** The same before it listens. */
const UNNAMED = 'owner.new';
/** Milliseconds after which a folder without that socket is no longer about to get it. */
const NEW_FOR_MS = 60_000;

/** A folder that lasts as long as its process. */
interface SocketFolder {
  readonly path: string;
  remove(): void;
}

/** Makes a folder, and removes those that other processes of this user have left. */
export async function makeSocketFolder(): Promise<SocketFolder> {
  const path = await mkdtemp(join(tmpdir(), PREFIX));
  const owner = createServer((connection) => connection.destroy()).listen(join(path, UNNAMED));
  await once(owner, 'listening');
  // Between its file and its listening it refuses connections, as that of a killed process does.
  await rename(join(path, UNNAMED), join(path, OWNER));
  owner.unref();
  await removeLeft((await lstat(path)).mtimeMs);
  return {
    path,
    remove() {
      owner.close();
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/** What cannot be looked at or removed stays. @param now by the clock of the file system, which this process's own may differ from */
async function removeLeft(now: number): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  const paths = names.flatMap((name) => (name.startsWith(PREFIX) ? [join(tmpdir(), name)] : []));
  const left = await Promise.all(
    paths.map(async (path) => ((await isLeft(path, now)) ? [path] : [])),
  );
  await Promise.all(
    left.flat().map((path) => rm(path, { recursive: true, force: true }).catch(() => {})),
  );
}

/** Whether no process owns it. A lock of the system says so, which also works between containers that share the folder. */
async function isLeft(path: string, now: number): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  if (!found?.isDirectory() || found.uid !== process.getuid?.()) return false;
  const refused = await refusal(join(path, OWNER));
  if (refused === 'ENOENT') return now - found.mtimeMs > NEW_FOR_MS;
  return refused === 'ECONNREFUSED';
}

/** The code with which a connection fails; undefined when it does not. */
function refusal(socket: string): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const connection = connect(socket);
  connection.once('connect', () => resolve(undefined));
  connection.once('error', (fault: NodeJS.ErrnoException) => resolve(fault.code ?? 'unknown'));
  return promise.finally(() => connection.destroy());
}
