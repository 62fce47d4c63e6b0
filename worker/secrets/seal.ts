/**
 * Sealing at rest: AES-256-GCM under a data key of the organization's, which itself is sealed
 * under the installation's key. Contract §5.
 */
import { GatewayError } from '../../proto/errors.ts';
import { LruMap } from '../../proto/lru-map.ts';
import { type Bindings, databaseOf } from '../context.ts';
import { bindingsOf, type Settings } from '../settings.ts';
import { sealOf, withoutSeal } from './data-key-seal.ts';
import { keyedDigest } from './digest.ts';
import { selectSealedDataKey } from './store.ts';

const VERSION = 'v1';
const BYTES_VERSION = 1;
const IV_BYTES = 12;
const KEY_BYTES = 32;
/** Opened data keys kept per isolate. */
const opened = new LruMap<string, CryptoKey>(1_000);
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Makes an organization's data key, sealed under the installation's current key. */
export async function newDataKey(settings: Settings, orgUuid: string): Promise<string> {
  return sealDataKey(settings, orgUuid, crypto.getRandomValues(new Uint8Array(KEY_BYTES)));
}

/**
 * The same data key, sealed under the installation's current key; undefined where neither that nor
 * the one before opens it.
 */
export async function resealDataKey(
  settings: Settings,
  orgUuid: string,
  sealedDataKey: string,
): Promise<string | undefined> {
  const clear = await openDataKey(settings, orgUuid, sealedDataKey);
  return clear && sealDataKey(settings, orgUuid, clear);
}

async function sealDataKey(
  settings: Settings,
  orgUuid: string,
  clear: Uint8Array,
): Promise<string> {
  const installation = await importKey(fromBase64Url(settings.INSTALLATION_KEY));
  const sealed = await encrypt(installation, clear, dataKeyContext(orgUuid));
  return (await sealOf(settings.INSTALLATION_KEY)) + sealed;
}

/** Whose data key seals, and what for: both are bound into what is sealed. */
export interface SealingContext {
  readonly settings: Settings;
  readonly orgUuid: string;
  /** Column `sealed_data_key` of the organization. */
  readonly sealedDataKey: string;
  /** Names the one place where the text belongs, for example `endpoint:<uuid>`; elsewhere it does not open. */
  readonly purpose: string;
}

/** Of what belongs to no organization: the installation's own key seals it. */
export type InstallationContext = Pick<SealingContext, 'settings' | 'purpose'>;

/** Seals a text. */
export async function seal(context: SealingContext, clear: string): Promise<string> {
  return encrypt(await dataKey(context), encoder.encode(clear), contextOf(context));
}

/**
 * Opens what `seal` made in the same context.
 * @throws GatewayError INTERNAL when it does not open: another key, place or text
 */
export async function unseal(context: SealingContext, sealed: string): Promise<string> {
  return decoder.decode(await decrypt(await dataKey(context), sealed, contextOf(context)));
}

/**
 * Texts as HMACs under keys derived from the data key, in hexadecimal digits: what is searched by and
 * reveals nothing. The same text gives the same, for one organization and purpose.
 * @throws GatewayError INTERNAL
 */
export async function tagsOf(
  { settings, orgUuid, sealedDataKey, purpose }: SealingContext,
  texts: readonly string[],
): Promise<string[]> {
  const clear =
    (await openDataKey(settings, orgUuid, sealedDataKey)) ??
    (await openStored(settings, orgUuid, sealedDataKey));
  if (clear === undefined) throw doesNotOpen();
  const key = toBase64Url(clear);
  return Promise.all(texts.map((text) => keyedDigest(key, purpose, encoder.encode(text))));
}

/**
 * Opens what a client brings back, such as a session id; `undefined` when it is not ours.
 */
export async function unsealForeign(
  context: SealingContext,
  sealed: string,
): Promise<string | undefined> {
  const key = await dataKey(context);
  const clear = await tryDecrypt(key, sealed, contextOf(context));
  return clear === undefined ? undefined : decoder.decode(clear);
}

/** Seals bytes: a byte of the version, then what is random, then the sealed bytes. */
export async function sealBytes(
  context: SealingContext | InstallationContext,
  clear: Uint8Array,
): Promise<Uint8Array> {
  const [key] = await sealingKeys(context);
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const algorithm = { name: 'AES-GCM', iv, additionalData: contextOf(context) };
  const sealed = new Uint8Array(await crypto.subtle.encrypt(algorithm, key, clear));
  const whole = new Uint8Array(1 + IV_BYTES + sealed.byteLength);
  whole[0] = BYTES_VERSION;
  whole.set(iv, 1);
  whole.set(sealed, 1 + IV_BYTES);
  return whole;
}

/**
 * Opens what `sealBytes` made in the same context.
 * @throws GatewayError INTERNAL when it does not open: another key, place or bytes
 */
export async function unsealBytes(
  context: SealingContext | InstallationContext,
  sealed: Uint8Array,
): Promise<Uint8Array> {
  const iv = sealed.subarray(1, 1 + IV_BYTES);
  const algorithm = { name: 'AES-GCM', iv, additionalData: contextOf(context) };
  for (const key of sealed[0] === BYTES_VERSION ? await sealingKeys(context) : []) {
    try {
      const rest = sealed.subarray(1 + IV_BYTES);
      return new Uint8Array(await crypto.subtle.decrypt(algorithm, key, rest));
    } catch {} // WebCrypto gives no reason.
  }
  throw doesNotOpen();
}

/** The key that seals, then those that what was sealed earlier may need. */
async function sealingKeys(
  context: SealingContext | InstallationContext,
): Promise<[CryptoKey, ...CryptoKey[]]> {
  if ('orgUuid' in context) return [await dataKey(context)];
  const { INSTALLATION_KEY, INSTALLATION_KEY_PREVIOUS } = context.settings;
  const current = await importKey(fromBase64Url(INSTALLATION_KEY));
  if (INSTALLATION_KEY_PREVIOUS === undefined) return [current];
  return [current, await importKey(fromBase64Url(INSTALLATION_KEY_PREVIOUS))];
}

async function dataKey({ settings, orgUuid, sealedDataKey }: SealingContext): Promise<CryptoKey> {
  const known = opened.get(`${orgUuid}:${sealedDataKey}`);
  if (known) return known;
  const clear =
    (await openDataKey(settings, orgUuid, sealedDataKey)) ??
    (await openStored(settings, orgUuid, sealedDataKey));
  if (clear === undefined) throw doesNotOpen();
  const made = await importKey(clear);
  opened.set(`${orgUuid}:${sealedDataKey}`, made);
  return made;
}

async function openDataKey(
  settings: Settings,
  orgUuid: string,
  sealedDataKey: string,
): Promise<Uint8Array | undefined> {
  const sealed = withoutSeal(sealedDataKey);
  for (const key of [settings.INSTALLATION_KEY, settings.INSTALLATION_KEY_PREVIOUS]) {
    if (key === undefined) continue;
    const installation = await importKey(fromBase64Url(key));
    const clear = await tryDecrypt(installation, sealed, dataKeyContext(orgUuid));
    if (clear !== undefined) return clear;
  }
  return undefined;
}

/** Objects keep copies of an organization's sealed data key, which are older than a change of the installation's key. */
async function openStored(
  settings: Settings,
  orgUuid: string,
  copy: string,
): Promise<Uint8Array | undefined> {
  const env = bindingsOf(settings);
  if (env === undefined || !hasDatabase(env)) return undefined;
  const [stored] = await selectSealedDataKey(databaseOf(env), orgUuid);
  if (stored === undefined || stored.sealedDataKey === copy) return undefined;
  return openDataKey(settings, orgUuid, stored.sealedDataKey);
}

function hasDatabase(env: object): env is Bindings {
  return 'DB' in env;
}

function doesNotOpen(): GatewayError {
  return new GatewayError('INTERNAL', 'A stored secret cannot be opened');
}

function dataKeyContext(orgUuid: string): Uint8Array {
  return encoder.encode(`data-key:${orgUuid}`);
}

function contextOf(context: SealingContext | InstallationContext): Uint8Array {
  const owner = 'orgUuid' in context ? context.orgUuid : 'installation';
  return encoder.encode(`${owner}:${context.purpose}`);
}

async function encrypt(key: CryptoKey, clear: Uint8Array, bound: Uint8Array): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const sealed = await crypto.subtle.encrypt(
    { name: 'AES-GCM', iv, additionalData: bound },
    key,
    clear,
  );
  return `${VERSION}.${toBase64Url(iv)}.${toBase64Url(new Uint8Array(sealed))}`;
}

async function decrypt(key: CryptoKey, sealed: string, bound: Uint8Array): Promise<Uint8Array> {
  const clear = await tryDecrypt(key, sealed, bound);
  if (clear === undefined) throw doesNotOpen();
  return clear;
}

async function tryDecrypt(
  key: CryptoKey,
  sealed: string,
  bound: Uint8Array,
): Promise<Uint8Array | undefined> {
  const [version, iv, text] = sealed.split('.');
  if (version !== VERSION || iv === undefined || text === undefined) return undefined;
  try {
    const algorithm = { name: 'AES-GCM', iv: fromBase64Url(iv), additionalData: bound };
    return new Uint8Array(await crypto.subtle.decrypt(algorithm, key, fromBase64Url(text)));
  } catch {
    return undefined; // WebCrypto gives no reason.
  }
}

function importKey(raw: Uint8Array): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', raw, 'AES-GCM', false, ['encrypt', 'decrypt']);
}

function toBase64Url(bytes: Uint8Array): string {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function fromBase64Url(text: string): Uint8Array {
  const plain = text.replaceAll('-', '+').replaceAll('_', '/');
  return Uint8Array.from(atob(plain), (character) => character.charCodeAt(0));
}
