/** The folder that holds everything `npm start` keeps: keys, tables, the demo's database. */
import { randomBytes } from 'node:crypto';
import { chmod, link, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Failure, systemCode } from './failure.ts';

/** Raised when an older gateway could not read what this one writes. */
const FORMAT_VERSION = 1;

/** A folder of the right version that can be written to. */
export interface DataFolder {
  /** Absolute. */
  readonly path: string;
  /** Where the edge runtime keeps D1 and Durable Objects. */
  readonly state: string;
}

/**
 * Makes the folder, for its owner alone, or takes the one that is there.
 * @throws Failure when it cannot be written, is no folder, or is of a newer version
 */
export async function openDataFolder(path: string): Promise<DataFolder> {
  const root = resolve(path);
  try {
    await makeFolder(root);
    await chmod(root, 0o700);
    await checkVersion(root);
    for (const folder of ['keys', 'state']) await makeFolder(join(root, folder), 0o700);
  } catch (thrown) {
    throw thrown instanceof Failure ? thrown : refusal(root, thrown);
  }
  return { path: root, state: join(root, 'state') };
}

/** Makes a folder and those above it. Node's own `recursive` never ends where the system refuses to make folders. */
async function makeFolder(path: string, mode = 0o777): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code === 'EEXIST' && (await isFolder(path))) return;
    if (code === 'EEXIST') throw notFolder(path, thrown);
    const above = dirname(path);
    if (code !== 'ENOENT' || (await isFolder(above))) throw thrown;
    await makeFolder(above);
    await makeFolder(path, mode);
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(absent))?.isDirectory() ?? false;
}

function notFolder(path: string, cause: unknown): Failure {
  return new Failure(`${path} is not a folder; choose another with --data.`, { cause });
}

async function checkVersion(root: string): Promise<void> {
  const file = join(root, 'version');
  const found = Number((await readFile(file, 'utf8').catch(absent)) ?? FORMAT_VERSION);
  if (found > FORMAT_VERSION) {
    throw new Failure(
      `The data folder ${root} is of version ${found}, newer than this gateway's ${FORMAT_VERSION}; update the gateway or choose another with --data.`,
    );
  }
  if (!Number.isInteger(found) || found < 1) {
    throw new Failure(`${root} is not a data folder of the gateway; choose another with --data.`);
  }
  // Written at every start: it proves that the folder can be written to.
  await writeFile(file, `${FORMAT_VERSION}\n`, { mode: 0o600 });
}

function absent(thrown: unknown): undefined {
  if (systemCode(thrown) !== 'ENOENT') throw thrown;
}

function refusal(root: string, cause: unknown): Failure {
  const code = systemCode(cause);
  if (code === 'ENOTDIR') return notFolder(root, cause);
  return new Failure(
    `The data folder ${root} cannot be written (${code ?? 'unknown cause'}); choose another with --data.`,
    { cause },
  );
}

/**
 * The secret in a file of the folder, made by `make` when there is none. Only the owner can
 * read it. Two starts at once get the same one.
 * @param name path within the data folder, named for what it is, such as `keys/jwt-secret`
 * @throws Failure when others could read the file, or it cannot be written
 */
export async function secretIn(
  folder: DataFolder,
  name: string,
  make: () => string | Promise<string> = randomSecret,
): Promise<string> {
  const file = join(folder.path, name);
  const kept = await readFile(file, 'utf8').catch(absent);
  if (kept !== undefined) {
    if (((await stat(file)).mode & 0o077) !== 0) {
      throw new Failure(
        `Others can read ${file}; run chmod 600 on it, and think of making a new one.`,
      );
    }
    return kept.trimEnd();
  }
  const secret = await make();
  const whole = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    // Whole or not at all: half a key on a full disk would be taken for one.
    await writeFile(whole, `${secret}\n`, { mode: 0o600, flag: 'wx', flush: true });
    await link(whole, file);
    return secret;
  } catch (thrown) {
    if (systemCode(thrown) === 'EEXIST') return await secretIn(folder, name, make);
    throw new Failure(`${file} cannot be written (${systemCode(thrown) ?? 'unknown cause'}).`, {
      cause: thrown,
    });
  } finally {
    await rm(whole, { force: true });
  }
}

/** Whether a gateway has kept anything in the folder besides its keys. */
export async function holdsState({ path, state }: DataFolder): Promise<boolean> {
  const names = await Promise.all(
    [state, join(path, 'dev')].map((each) => readdir(each).catch(absent)),
  );
  return names.some((each) => each !== undefined && each.length > 0);
}

/** 32 random bytes in base64url. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}
