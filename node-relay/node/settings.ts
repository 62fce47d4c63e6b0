/** What makes a relay a node of an organization: its flags, its keys, and what it was told before. Contract §11, nodes.md §1. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JWK } from 'jose';
import * as z from 'zod';
import { GatewayError } from '../../proto/errors.ts';

/** Folder of a relay that is told no other. */
export const DATA_DEFAULT = '.causeway-relay';

const PrivateSigning = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string(),
  d: z.string(),
});
const PrivateSealing = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
  d: z.string(),
});

/** A relay's own two private keys. */
export interface NodeKeys {
  readonly signing: JWK;
  readonly sealing: JWK;
}

/** What a relay keeps between its starts. */
export const StoredNode = z.object({
  gateway: z.string(),
  uuid: z.string(),
  name: z.string(),
  organization: z.string(),
  transport: z.enum(['direct', 'tunnel']),
  /** Public JWKs of the gateway. */
  gatewayKeys: z.array(z.record(z.string(), z.string())),
  clockOffsetMs: z.number(),
  /** SHA-256 of the secret that it enrolled with: given again, it is not used again. */
  secretDigest: z.string(),
  port: z.string().optional(),
  host: z.string().optional(),
});
export type StoredNode = z.infer<typeof StoredNode>;

/** Where a relay keeps what. */
export interface NodeFiles {
  readonly folder: string;
  readonly state: string;
  readonly signing: string;
  readonly sealing: string;
  /** Keys that the relay's processes open calls with. */
  readonly partKeys: string;
  /** A secret that the running relay takes new keys by. */
  readonly enrolment: string;
}

/** Files of a data folder. */
export function filesIn(folder: string): NodeFiles {
  return {
    folder,
    state: join(folder, 'node.json'),
    signing: join(folder, 'signing-key.jwk'),
    sealing: join(folder, 'sealing-key.jwk'),
    partKeys: join(folder, 'part-keys.env'),
    enrolment: join(folder, 'enrolment-secret'),
  };
}

/** What was kept; undefined where nothing was. @throws GatewayError INVALID_CONFIGURATION */
export function readKept(files: NodeFiles): StoredNode | undefined {
  const text = readIfThere(files.state);
  if (text === undefined) return undefined;
  return checked(files.state, StoredNode, text);
}

/** The keys of a data folder; undefined where there are none. @throws GatewayError INVALID_CONFIGURATION */
export function readKeys(files: NodeFiles): NodeKeys | undefined {
  const signing = readIfThere(files.signing);
  const sealing = readIfThere(files.sealing);
  if (signing === undefined || sealing === undefined) return undefined;
  return {
    signing: checked(files.signing, PrivateSigning, signing),
    sealing: checked(files.sealing, PrivateSealing, sealing),
  };
}

/** The keys that the environment gives. @throws GatewayError INVALID_CONFIGURATION for one without the other */
export function givenKeys(env: NodeJS.ProcessEnv): NodeKeys | undefined {
  const signing = env.RELAY_SIGNING_KEY;
  const sealing = env.RELAY_NODE_KEY;
  if (!signing) return undefined;
  if (!sealing) throw invalid('RELAY_SIGNING_KEY needs RELAY_NODE_KEY beside it');
  return {
    signing: checked('RELAY_SIGNING_KEY', PrivateSigning, signing),
    sealing: checked('RELAY_NODE_KEY', PrivateSealing, sealing),
  };
}

/** A failure of the operator's settings, in one sentence. */
export function invalid(message: string, cause?: unknown): GatewayError {
  return new GatewayError('INVALID_CONFIGURATION', message, { cause });
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw invalid(`The file ${file} cannot be read`, cause);
  }
}

/** What is wrong is in no sentence: it may be a key. */
function checked<Value>(name: string, schema: z.ZodType<Value>, text: string): Value {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw invalid(`${name} does not hold what it must: restore it, or enrol with a new secret`);
  }
}
