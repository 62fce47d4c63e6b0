/** Makes a relay a node of its gateway: by a secret, by what it kept, or by keys of its environment. Spec: nodes.md §1. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JWK } from 'jose';
import { GatewayError } from '../../proto/errors.ts';
import { drivers } from '../drivers/index.ts';
import type { Log } from '../log.ts';
import { programVersion } from '../version.ts';
import { newKeys, writeKept, writeKeys } from './files.ts';
import { Gateway, Joined } from './gateway.ts';
import { GatewayRefusal } from './gateway-refusal.ts';
import {
  DATA_DEFAULT,
  filesIn,
  givenKeys,
  invalid,
  type NodeFiles,
  type NodeKeys,
  readKept,
  readKeys,
  type StoredNode,
} from './settings.ts';

/** Milliseconds between two tries to reach a gateway that a node cannot do without. Spec silent. */
const RETRY_MS = 2_000;

/** What the flags say. */
interface NodeFlags {
  readonly gateway?: string | undefined;
  readonly enroll?: string | undefined;
  readonly data?: string | undefined;
  readonly tunnel?: boolean | undefined;
  readonly port?: string | undefined;
  readonly host?: string | undefined;
}

/** A relay that is a node. */
export interface Membership {
  readonly gateway: Gateway;
  readonly uuid: string;
  readonly name: string;
  readonly organization: string;
  readonly transport: 'direct' | 'tunnel';
  readonly keys: NodeKeys;
  readonly gatewayKeys: readonly Record<string, string>[];
  /** Where it keeps its keys; undefined where they are given from outside. */
  readonly files: NodeFiles | undefined;
  /** Of its port and address, where it was told them at an earlier start. */
  readonly kept: Pick<StoredNode, 'port' | 'host'>;
}

/**
 * The node that the relay is; undefined for one that has its key in the environment alone: the
 * installation's own.
 * @throws GatewayError INVALID_CONFIGURATION with one sentence for the operator
 */
export async function join(
  flags: NodeFlags,
  env: NodeJS.ProcessEnv,
  log: Pick<Log, 'warn'>,
): Promise<Membership | undefined> {
  const own = givenKeys(env);
  const url = gatewayUrl(flags.gateway ?? (env.GATEWAY_URL || undefined));
  if (own !== undefined) {
    if (url === undefined) throw invalid('RELAY_SIGNING_KEY needs the gateway: --gateway URL');
    return withoutFolder({ url, keys: own, only: env.RELAY_ORGANIZATION, ...flags }, log);
  }
  if (env.RELAY_NODE_KEY && flags.enroll === undefined) return undefined;
  const files = filesIn(flags.data ?? DATA_DEFAULT);
  const kept = readKept(files);
  const membership = await fromFolder(
    { files, kept, flags, url, organization: env.RELAY_ORGANIZATION },
    log,
  );
  if (membership === undefined && !env.RELAY_NODE_KEY) throw invalid(nothingIn(files));
  if (membership !== undefined && flags.tunnel && membership.transport !== 'tunnel') {
    throw invalid(
      `Node ${membership.name} was registered with a URL: leave --tunnel out, or register a node without one`,
    );
  }
  return membership;
}

/** An address without its scheme would be told to be out of reach. */
function gatewayUrl(text: string | undefined): string | undefined {
  if (text === undefined || /^https?:\/\/[^/]/i.test(text)) return text;
  throw invalid('The gateway must be an http or https URL, such as https://gateway.example.com');
}

function nothingIn({ folder }: NodeFiles): string {
  return `There is no RELAY_NODE_KEY, and no node in the folder ${folder}: npm run keygen makes keys, --gateway URL --enroll SECRET a node`;
}

interface Folder {
  readonly files: NodeFiles;
  readonly kept: StoredNode | undefined;
  readonly flags: NodeFlags;
  readonly url: string | undefined;
  /** UUID of the only one that the relay serves; undefined: the one that it was first. */
  readonly organization: string | undefined;
}

async function fromFolder(folder: Folder, log: Pick<Log, 'warn'>): Promise<Membership | undefined> {
  const { files, kept, flags } = folder;
  const { enroll } = flags;
  if (enroll !== undefined && kept?.secretDigest !== digestOfSecret(enroll))
    return enrolBy(folder, enroll);
  const keys = readKeys(files);
  if (kept === undefined || keys === undefined) {
    // Its keys were kept, and then the reply to its secret was lost: it may be the node already.
    if (keys === undefined || folder.url === undefined) return undefined;
    const gateway = new Gateway(folder.url, keys);
    return keep(folder, gateway, keys, await ask(gateway, keys, servedBy(folder)));
  }
  const gateway = new Gateway(folder.url ?? kept.gateway, keys, kept.clockOffsetMs);
  try {
    return await keep(folder, gateway, keys, await ask(gateway, keys, servedBy(folder)));
  } catch (thrown) {
    if (thrown instanceof GatewayError) throw thrown;
    if (thrown instanceof GatewayRefusal && thrown.isFinal) throw inWords(gateway.url, thrown);
    log.warn({ gateway: gateway.url }, 'the gateway does not answer: the node starts as it was');
    const { uuid, name, organization, transport, gatewayKeys } = kept;
    return { gateway, uuid, name, organization, transport, keys, gatewayKeys, kept, files };
  }
}

function servedBy({ kept, organization = kept?.organization }: Folder): string | undefined {
  return organization;
}

async function enrolBy(folder: Folder, secret: string): Promise<Membership> {
  const { files, kept, organization } = folder;
  const url = folder.url ?? kept?.gateway;
  if (url === undefined) throw invalid('--enroll needs the gateway: --gateway URL');
  const keys = await newKeys();
  const gateway = new Gateway(url, keys);
  const joined = await ask(gateway, keys, organization, secret).catch((thrown: unknown) => {
    throw inWords(url, thrown);
  });
  demandOrganization(joined, organization);
  await writeKeys(files, keys);
  // Its address and port stay; whose node it was does not count any more.
  const now = { ...folder, organization: joined.organization };
  return keep(now, gateway, keys, joined, digestOfSecret(secret));
}

/** Keeps what was told and what flags say, so that the next start needs none. */
async function keep(
  { files, kept, flags, organization: only = kept?.organization }: Folder,
  gateway: Gateway,
  keys: NodeKeys,
  joined: Joined,
  secretDigest = kept?.secretDigest ?? '',
): Promise<Membership> {
  demandOrganization(joined, only);
  const { uuid, name, organization, transport, gateway_keys: gatewayKeys } = joined;
  const { port = kept?.port, host = kept?.host } = flags;
  const { clockOffsetMs } = gateway;
  const known = { uuid, name, organization, transport, gatewayKeys };
  const told = { ...(port === undefined ? {} : { port }), ...(host === undefined ? {} : { host }) };
  await writeKept(files, { ...known, ...told, gateway: gateway.url, clockOffsetMs, secretDigest });
  return { ...known, gateway, keys, kept: told, files };
}

/** A relay whose keys are given from outside, and which keeps nothing. */
interface GivenKeys {
  readonly url: string;
  readonly keys: NodeKeys;
  readonly only: string | undefined;
  readonly enroll?: string | undefined;
}

async function withoutFolder({ url, keys, only, enroll }: GivenKeys, log: Pick<Log, 'warn'>) {
  const gateway = new Gateway(url, keys);
  if (!only) {
    log.warn('RELAY_ORGANIZATION is not set: any organization that registers this key may use it');
  }
  for (;;) {
    try {
      const joined = await ask(gateway, keys, only).catch((thrown: unknown) => {
        // Started again with the secret of its first start, it is the node already.
        if (enroll === undefined || !isUnknown(thrown)) throw thrown;
        return ask(gateway, keys, only, enroll);
      });
      demandOrganization(joined, only);
      const { uuid, name, organization, transport, gateway_keys } = joined;
      const known = { uuid, name, organization, transport, gatewayKeys: gateway_keys };
      return { ...known, gateway, keys, kept: {}, files: undefined };
    } catch (thrown) {
      if (thrown instanceof GatewayRefusal && thrown.isFinal) throw inWords(url, thrown);
      if (thrown instanceof GatewayError) throw thrown;
      log.warn({ gateway: url }, 'the gateway does not answer: the node waits for it');
      await sleep(RETRY_MS);
    }
  }
}

/** Whether the gateway has no node with these keys. */
function isUnknown(thrown: unknown): boolean {
  return thrown instanceof GatewayRefusal && thrown.code === 'NODE_SIGNATURE_INVALID';
}

/** Enrols, or asks which node the keys are of. @throws Refused, or what the network throws */
export function ask(
  gateway: Gateway,
  keys: NodeKeys,
  organization: string | undefined,
  secret?: string,
): Promise<Joined> {
  const body = {
    ...(secret === undefined ? {} : { secret }),
    ...(organization ? { organization } : {}),
    signing_key: publicHalf(keys.signing),
    sealing_key: publicHalf(keys.sealing),
    ...aboutProgram(),
  };
  return gateway.post('/nodes/enrol', body, Joined);
}

/**
 * Public keys are no secret: an organization that has them could register them as a node of its
 * own, and would reach the network of this relay.
 * @throws GatewayError INVALID_CONFIGURATION
 */
function demandOrganization({ organization, name }: Joined, only: string | undefined): void {
  if (!only || organization === only.toLowerCase()) return;
  throw invalid(
    `The gateway has this relay's key as node ${name} of organization ${organization}, but it serves ${only}: have that node deleted, or enrol with new keys`,
  );
}

/** What a relay says about its program. */
export function aboutProgram() {
  return { version: programVersion(), kinds: Object.keys(drivers) };
}

/** A JWK as JSON text, without its private member. */
function publicHalf({ d: _, ...key }: JWK): string {
  return JSON.stringify(key);
}

/** What is kept of a secret. */
export function digestOfSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** One sentence; what the network says may hold an address that is nobody's business. */
function inWords(url: string, thrown: unknown) {
  if (thrown instanceof GatewayRefusal) return invalid(thrown.message, thrown);
  return invalid(`The gateway at ${url} cannot be reached`, thrown);
}
