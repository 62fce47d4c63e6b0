/** The installation's keys: from the environment, else from the data folder, made on first use. */
import { createHash } from 'node:crypto';
import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { type DataFolder, holdsState, secretIn } from './data-folder.ts';
import { Failure } from './failure.ts';

/** Every key in the form that worker and relay read it in. Contract §11. */
export interface Keys {
  readonly JWT_SECRET: string;
  readonly INSTALLATION_KEY: string;
  /** Private JWKs, as JSON. */
  readonly GATEWAY_KEY: string;
  readonly RELAY_NODE_KEY: string;
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

const KEY_FILES: Readonly<Record<keyof Keys, KeyFile>> = {
  JWT_SECRET: { file: 'jwt-secret', isWhole: (key) => key.length >= JWT_SECRET_MIN },
  INSTALLATION_KEY: {
    file: 'installation-key',
    isWhole: (key) => /^[\w-]{43}=?$/.test(key),
    needed: 'its connections are sealed with it',
  },
  GATEWAY_KEY: {
    file: 'gateway-key.jwk',
    make: () => newKey('EdDSA'),
    isWhole: (key) => isPrivate('GATEWAY_KEY', key),
    needed: 'its audit is signed with it',
  },
  RELAY_NODE_KEY: {
    file: 'relay-node-key.jwk',
    make: () => newKey('ECDH-ES'),
    isWhole: (key) => isPrivate('RELAY_NODE_KEY', key),
  },
};

/** Characters; worker/settings.ts asks for as many. */
const JWT_SECRET_MIN = 32;

/**
 * Files lie under `keys/`, named for what they hold, mode 0600.
 * @throws Failure when others could read one of them, one is no whole key, or one is missing that the folder's state needs
 */
export async function readKeys(folder: DataFolder, environment: NodeJS.ProcessEnv): Promise<Keys> {
  const hasState = await holdsState(folder);
  const read = async (name: keyof Keys) =>
    environment[name] || (await keyIn(folder, KEY_FILES[name], hasState));
  // One after the other: a folder that lacks several says of the first, and makes none.
  const INSTALLATION_KEY = await read('INSTALLATION_KEY');
  const previous = environment.INSTALLATION_KEY_PREVIOUS;
  await checkSeal(folder, { key: INSTALLATION_KEY, previous, hasState });
  const GATEWAY_KEY = await read('GATEWAY_KEY');
  const [JWT_SECRET, RELAY_NODE_KEY] = await Promise.all([
    read('JWT_SECRET'),
    read('RELAY_NODE_KEY'),
  ]);
  return { JWT_SECRET, INSTALLATION_KEY, GATEWAY_KEY, RELAY_NODE_KEY };
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

/** Of 256 random bits: it tells nothing of them. */
function digestOf(key: string): string {
  const bytes = key.replace(/=$/, '');
  return createHash('sha256').update(`causeway installation key\0${bytes}`).digest('hex');
}

function isPrivate(setting: 'GATEWAY_KEY' | 'RELAY_NODE_KEY', key: string): boolean {
  try {
    return publicHalf(setting, key) !== '';
  } catch {
    return false;
  }
}

async function newKey(algorithm: 'EdDSA' | 'ECDH-ES'): Promise<string> {
  const { privateKey } = await generateKeyPair(algorithm, {
    crv: curves[algorithm],
    extractable: true,
  });
  return JSON.stringify(await exportJWK(privateKey));
}

const curves = { EdDSA: 'Ed25519', 'ECDH-ES': 'P-256' } as const;

/** Members of a JWK that are no secret, for the two key types in use. Source: RFC 7518 §6.2.1, RFC 8037 §2. */
const PUBLIC_MEMBERS = ['kty', 'crv', 'x', 'y', 'kid'] as const;

/**
 * The public half of a private JWK, as JSON.
 * @throws Failure naming the setting when it holds no such key
 */
export function publicHalf(setting: 'GATEWAY_KEY' | 'RELAY_NODE_KEY', privateKey: string): string {
  const key = parseJwk(privateKey);
  if (key?.d === undefined || key.kty !== (setting === 'GATEWAY_KEY' ? 'OKP' : 'EC')) {
    throw new Failure(`${setting} is not a private JWK of its type; see --help.`);
  }
  const members = PUBLIC_MEMBERS.filter((member) => key[member] !== undefined);
  return JSON.stringify(Object.fromEntries(members.map((member) => [member, key[member]])));
}

function parseJwk(text: string): JWK | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
