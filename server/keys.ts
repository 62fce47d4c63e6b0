/** The installation's keys: from the environment, else from the data folder, made on first use. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { type DataFolder, holdsState, randomSecret, secretIn } from './data-folder.ts';
import { Failure } from './failure.ts';
import { isPrivateKey, newPrivateKey } from './key-pairs.ts';

/** Names of the keys, which are those of settings. */
export const KEY_NAMES = [
  'JWT_SECRET',
  'INSTALLATION_KEY',
  'GATEWAY_KEY',
  'RELAY_NODE_KEY',
] as const;
export type KeyName = (typeof KEY_NAMES)[number];

/** Every key in the form that worker and relay read it in. Contract §11. */
export interface Keys {
  readonly JWT_SECRET: string;
  readonly INSTALLATION_KEY: string;
  /** Private JWK, as JSON. */
  readonly GATEWAY_KEY: string;
  /** The same; empty where no relay of our own runs. */
  readonly RELAY_NODE_KEY: string;
  /** The key before, of those that are being changed. */
  readonly previous: Readonly<Partial<Record<KeyName, string>>>;
}

/** How a key is kept. */
interface KeyFile {
  /** Under `keys/`. */
  readonly file: string;
  make?(): Promise<string>;
  isWhole(key: string): boolean;
  /** What is lost with it, as the rest of a sentence; left out where another serves as well. */
  readonly needed?: string;
}

const KEY_FILES: Readonly<Record<KeyName, KeyFile>> = {
  JWT_SECRET: { file: 'jwt-secret', isWhole: (key) => key.length >= JWT_SECRET_MIN },
  INSTALLATION_KEY: {
    file: 'installation-key',
    isWhole: (key) => /^[\w-]{43}=?$/.test(key),
    needed: 'its connections are sealed with it',
  },
  GATEWAY_KEY: {
    file: 'gateway-key.jwk',
    make: () => newPrivateKey('GATEWAY_KEY'),
    isWhole: (key) => isPrivateKey('GATEWAY_KEY', key),
    needed: 'its audit is signed with it',
  },
  RELAY_NODE_KEY: {
    file: 'relay-node-key.jwk',
    make: () => newPrivateKey('RELAY_NODE_KEY'),
    isWhole: (key) => isPrivateKey('RELAY_NODE_KEY', key),
  },
};

/** Characters; worker/settings.ts asks for as many. */
const JWT_SECRET_MIN = 32;

/**
 * Files lie under `keys/`, named for what they hold, mode 0600.
 * @param ofRelay whether the key of a relay is needed, too
 * @throws Failure when others could read one of them, one is no whole key, or one is missing that the folder's state needs
 */
export async function readKeys(
  folder: DataFolder,
  environment: NodeJS.ProcessEnv,
  ofRelay = true,
): Promise<Keys> {
  const hasState = await holdsState(folder);
  const read = async (name: KeyName) =>
    environment[name] || (await keyIn(folder, KEY_FILES[name], hasState));
  const previous = await previousKeys(folder, environment);
  // One after the other: a folder that lacks several says about the first, and makes none.
  const INSTALLATION_KEY = await read('INSTALLATION_KEY');
  await checkSeal(folder, {
    key: INSTALLATION_KEY,
    previous: previous.INSTALLATION_KEY,
    hasState,
  });
  const GATEWAY_KEY = await read('GATEWAY_KEY');
  const [JWT_SECRET, RELAY_NODE_KEY] = await Promise.all([
    read('JWT_SECRET'),
    ofRelay ? read('RELAY_NODE_KEY') : '',
  ]);
  return { JWT_SECRET, INSTALLATION_KEY, GATEWAY_KEY, RELAY_NODE_KEY, previous };
}

/** Where a key is kept, and the one before it while it is being changed. */
export function keyFiles(
  { path }: DataFolder,
  name: KeyName,
): { current: string; previous: string } {
  const { file } = KEY_FILES[name];
  const [, stem = '', ending = ''] = /^([^.]+)(.*)$/.exec(file) ?? [];
  const folder = join(path, 'keys');
  return { current: join(folder, file), previous: join(folder, `${stem}-previous${ending}`) };
}

/** A new key in its text form. @param node of a relay's key, the UUID of its node */
export function newKey(name: KeyName, node?: string): Promise<string> | string {
  if (name === 'GATEWAY_KEY' || name === 'RELAY_NODE_KEY') return newPrivateKey(name, node);
  return randomSecret();
}

/** What `npm run keygen` writes besides them. */
const BESIDE = ['RELAY_NODE_PUBLIC_KEY', 'NEW_ORG_TOKEN', 'METRICS_TOKEN'];

/**
 * The environment with the keys of `KEYS_FILE`, whose lines are `NAME='value'`; they win.
 * @throws Failure when it cannot be read
 */
export function withKeysFile(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const path = environment.KEYS_FILE;
  if (!path) return environment;
  try {
    const kept = parseEnv(readFileSync(path, 'utf8'));
    const names = KEY_NAMES.flatMap((name) => [name, `${name}_PREVIOUS`]);
    const keys = [...names, ...BESIDE].flatMap((name) =>
      kept[name] === undefined ? [] : [[name, kept[name]]],
    );
    return { ...environment, ...Object.fromEntries(keys) };
  } catch (cause) {
    throw new Failure(`KEYS_FILE: the file ${path} cannot be read.`, { cause });
  }
}

async function previousKeys(
  folder: DataFolder,
  environment: NodeJS.ProcessEnv,
): Promise<Keys['previous']> {
  const all = await Promise.all(
    KEY_NAMES.map(async (name) => {
      const file = keyFiles(folder, name).previous;
      const kept = await readFile(file, 'utf8').catch(() => '');
      return [name, environment[`${name}_PREVIOUS`] || kept.trim()] as const;
    }),
  );
  return Object.fromEntries(all.filter(([, key]) => key !== ''));
}

async function keyIn(folder: DataFolder, kept: KeyFile, hasState: boolean): Promise<string> {
  const { file, make, isWhole, needed } = kept;
  const path = join(folder.path, 'keys', file);
  if (hasState && needed !== undefined && !(await exists(path))) {
    throw new Failure(
      `${path} is missing, and the data folder has state: ${needed}. Restore the file from a backup, or choose another folder with --data.`,
    );
  }
  const key = await secretIn(folder, `keys/${file}`, make);
  if (isWhole(key)) return key;
  const otherwise = hasState
    ? 'or choose another folder with --data'
    : 'or remove it, and one is made';
  throw new Failure(
    `${path} is ${key === '' ? 'empty' : 'no whole key'}. Restore the file from a backup, ${otherwise}.`,
  );
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/**
 * Recognizes the key that the folder's state is sealed with by a digest of it.
 * @throws Failure when it is another
 */
async function checkSeal(
  folder: DataFolder,
  { key, previous, hasState }: { key: string; previous: string | undefined; hasState: boolean },
): Promise<void> {
  // The worker's settings say what is wrong with it.
  if (!KEY_FILES.INSTALLATION_KEY.isWhole(key)) return;
  const file = join(folder.path, 'keys/installation-key.digest');
  const known = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (known === digestOf(key)) return;
  if (hasState && known !== '' && (!previous || known !== digestOf(previous))) {
    throw new Failure(
      `The installation key is not the one that the state in ${folder.path} is sealed with. Restore keys/installation-key or INSTALLATION_KEY, give the former one as INSTALLATION_KEY_PREVIOUS, or choose another folder with --data.`,
    );
  }
  await writeFile(file, `${digestOf(key)}\n`, { mode: 0o600 });
}

/** Of 256 random bits: it says nothing about them. */
function digestOf(key: string): string {
  const bytes = key.replace(/=$/, '');
  return createHash('sha256').update(`causeway installation key\0${bytes}`).digest('hex');
}
