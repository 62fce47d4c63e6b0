/** The installation's keys: from the environment, else from the data folder, made on first use. */
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { type DataFolder, secretIn } from './data-folder.ts';
import { Failure } from './failure.ts';

/** Every key in the form that worker and relay read it in. Contract §11. */
export interface Keys {
  readonly JWT_SECRET: string;
  readonly INSTALLATION_KEY: string;
  /** Private JWKs, as JSON. */
  readonly GATEWAY_KEY: string;
  readonly RELAY_NODE_KEY: string;
}

/**
 * Files lie under `keys/`, named for what they hold, mode 0600.
 * @throws Failure when others could read one of them
 */
export async function readKeys(folder: DataFolder, environment: NodeJS.ProcessEnv): Promise<Keys> {
  const key = async (name: keyof Keys, file: string, make?: () => Promise<string>) =>
    environment[name] || (await secretIn(folder, `keys/${file}`, make));
  const [jwtSecret, installationKey, gatewayKey, relayNodeKey] = await Promise.all([
    key('JWT_SECRET', 'jwt-secret'),
    key('INSTALLATION_KEY', 'installation-key'),
    key('GATEWAY_KEY', 'gateway-key.jwk', () => newKey('EdDSA')),
    key('RELAY_NODE_KEY', 'relay-node-key.jwk', () => newKey('ECDH-ES')),
  ]);
  return {
    JWT_SECRET: jwtSecret,
    INSTALLATION_KEY: installationKey,
    GATEWAY_KEY: gatewayKey,
    RELAY_NODE_KEY: relayNodeKey,
  };
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
