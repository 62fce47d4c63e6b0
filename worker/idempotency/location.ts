/**
 * Where a key lies: in which object, under which name, and sealed by what. A key belongs to its
 * caller and target; where there is no caller, the body stands for them.
 */
import type { Policy } from '../access/policy.ts';
import type { PublicContext } from '../context.ts';
import type { Keeper } from '../limits/quotas/keeper.ts';
import { digestOf, keyedDigest } from '../secrets/digest.ts';
import type { InstallationContext, SealingContext } from '../secrets/seal.ts';
import type { Key } from './rule.ts';

/** Objects of one organization: one answers some thousand calls a second, and is near its callers. */
const SHARDS = '0123456789abcdef';
/** Whose keys those without an organization are. */
const NOBODY = 'new';

/** Where a key lies. */
export interface KeyLocation {
  /** Name of the object; begins with the organization. */
  readonly object: string;
  /** Of the key in it: a digest. */
  readonly name: string;
  /** Of the reply. */
  readonly sealing: SealingContext | InstallationContext;
  /** Whose storage the reply is kept in; absent where there is no organization. */
  readonly keeper?: Keeper;
}

/** Where a key of an organization's user lies. */
export interface OrganizationKeyLocation extends KeyLocation {
  readonly sealing: SealingContext;
  readonly keeper: Keeper;
}

const encoder = new TextEncoder();

/** The place of a key of an organization's user. */
export async function locationOf(
  ctx: PublicContext,
  { caller: { orgUuid, userUuid }, sealedDataKey }: Policy,
  key: Key,
): Promise<OrganizationKeyLocation> {
  const name = await digestOf(encoder.encode(JSON.stringify([userUuid, ...key.target, key.key])));
  const purpose = `idempotency:${name}`;
  const sealing = { settings: ctx.settings, orgUuid, sealedDataKey, purpose };
  const holder = objectOf('idempotency', name);
  const keeper = { orgUuid, holder, caller: userUuid, quota: ctx.settings.QUOTAS.storage };
  return { object: objectOf(orgUuid, name), name, sealing, keeper };
}

/**
 * The places of a key that came without a token: the one for new calls first, then where it lies
 * if it came before the installation's key was changed. The digest is keyed, because bodies hold
 * passwords that could be guessed from one that is not.
 */
export async function publicLocationsOf(
  ctx: PublicContext,
  bytes: Uint8Array,
  key: Key,
): Promise<[KeyLocation, ...KeyLocation[]]> {
  const { INSTALLATION_KEY, INSTALLATION_KEY_PREVIOUS } = ctx.settings;
  const text = encoder.encode(`${JSON.stringify([...key.target, key.key])}\n`);
  const whole = new Uint8Array(text.byteLength + bytes.byteLength);
  whole.set(text);
  whole.set(bytes, text.byteLength);
  const place = async (installationKey: string): Promise<KeyLocation> => {
    const name = await keyedDigest(installationKey, 'idempotency', whole);
    const sealing = { settings: ctx.settings, purpose: `idempotency:${name}` };
    return { object: objectOf(NOBODY, name), name, sealing };
  };
  const current = await place(INSTALLATION_KEY);
  if (INSTALLATION_KEY_PREVIOUS === undefined) return [current];
  return [current, await place(INSTALLATION_KEY_PREVIOUS)];
}

/** The names of all objects that an organization may have. */
export function objectsOf(orgUuid: string): string[] {
  return [...SHARDS].map((shard) => `${orgUuid}:${shard}`);
}

function objectOf(owner: string, name: string): string {
  return `${owner}:${name.charAt(0)}`;
}
