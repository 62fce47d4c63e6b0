/**
 * The keys that identity providers publish: fetched when first needed, kept in the isolate,
 * fetched again when they are old or a token names one that is not among them. Contract §3.
 */
import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose';
import { GatewayError } from '../../../proto/errors.ts';
import type { PublicContext } from '../../context.ts';
import type { Issuer } from '../../issuers.ts';
import { log } from '../../log.ts';
import { isSoundKey } from './sound-key.ts';

/** Milliseconds after which keys are fetched again; in the second half of it after a reply. Spec silent. */
export const KEYS_MAX_AGE_MS = 10 * 60_000;
/** Milliseconds between fetches for unknown keys, and between attempts while old keys serve. */
const REFETCH_MS = 60_000;
/** Milliseconds between attempts while there are no keys at all. */
const RETRY_MS = 5_000;
/** Milliseconds for a fetch. */
const TIMEOUT_MS = 3_000;
/** How often a request looks whether another one's fetch has ended. */
const LOOK_MS = 10;
const MAX_BYTES = 256 * 1024;

interface KeySet {
  readonly find: JWTVerifyGetKey;
  /** Milliseconds since the Unix epoch. */
  readonly fetchedAt: number;
}

/** What an isolate knows of one issuer. Times are those of the clock that tests move. */
interface Source {
  keys: KeySet | undefined;
  attemptedAt: number;
  /** When an unknown key was last the reason for a fetch. */
  soughtAt: number;
  /** By the clock of the machine: a request that was ended in the middle ends nothing. */
  fetchingSince: number | undefined;
}

const sources = new WeakMap<Issuer, Source>();

/**
 * Finds the issuer's key for a token's header: one of its own set, whatever the header embeds or
 * points to.
 * @throws GatewayError SERVICE_UNAVAILABLE when no keys could be fetched yet; JOSEError when none of them fits
 */
export function issuerKeys(open: PublicContext, issuer: Issuer): JWTVerifyGetKey {
  return async (header, input) => {
    const source = sourceOf(issuer);
    const { keys, isNew } = await currentKeys(open, issuer, source);
    try {
      return await keys.find(header, input);
    } catch (cause) {
      if (!(cause instanceof errors.JWKSNoMatchingKey) || isNew) throw cause;
      const newer = await newerKeys(open, issuer, source, keys);
      if (newer === keys) throw cause;
      return newer.find(header, input);
    }
  };
}

async function currentKeys(open: PublicContext, issuer: Issuer, source: Source) {
  const { keys } = source;
  if (!keys) return { keys: await firstKeys(open, issuer, source), isNew: true };
  const age = elapsed(open, keys.fetchedAt);
  const mayFetch = !isFetching(source) && elapsed(open, source.attemptedAt) >= REFETCH_MS;
  if (mayFetch && age >= KEYS_MAX_AGE_MS / 2) {
    const fetched = fetchKeys(open, issuer, source);
    if (age >= KEYS_MAX_AGE_MS) await fetched;
  }
  // Those that could not be fetched again go on serving.
  const now = source.keys ?? keys;
  return { keys: now, isNew: now !== keys };
}

async function firstKeys(open: PublicContext, issuer: Issuer, source: Source): Promise<KeySet> {
  if (isFetching(source)) await othersFetch(source);
  else if (elapsed(open, source.attemptedAt) >= RETRY_MS) await fetchKeys(open, issuer, source);
  if (source.keys) return source.keys;
  throw new GatewayError(
    'SERVICE_UNAVAILABLE',
    'The keys of the identity provider cannot be fetched',
    { retryAfter: RETRY_MS / 1000 },
  );
}

/** Keys fetched later than `than`, or the same when it is too early for that. */
async function newerKeys(open: PublicContext, issuer: Issuer, source: Source, than: KeySet) {
  if (isFetching(source)) {
    await othersFetch(source);
  } else if (source.keys === than && elapsed(open, source.soughtAt) >= REFETCH_MS) {
    source.soughtAt = open.now();
    await fetchKeys(open, issuer, source);
  }
  return source.keys ?? than;
}

/** Never throws. Goes on when the client goes away, since others wait for it. */
function fetchKeys(open: PublicContext, issuer: Issuer, source: Source): Promise<void> {
  source.attemptedAt = open.now();
  source.fetchingSince = Date.now();
  const fetched = fetchKeySet(open, issuer)
    .then((keys) => {
      source.keys = keys;
    })
    .catch((thrown: unknown) => logFailure(open, issuer, thrown))
    .finally(() => {
      source.fetchingSince = undefined;
    });
  open.afterReply(fetched);
  return fetched;
}

async function fetchKeySet(open: PublicContext, { jwks_url: url }: Issuer): Promise<KeySet> {
  const request = new Request(url, {
    headers: { Accept: 'application/jwk-set+json, application/json' },
    redirect: 'manual', // Only the setting says whose keys are trusted.
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const response = await open.outside.fetch(request);
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`status ${response.status}`);
  }
  const set = parsed(await boundedText(response));
  if (typeof set !== 'object' || set === null || !('keys' in set) || !Array.isArray(set.keys)) {
    throw new Error('not a key set');
  }
  const keys = set.keys.filter(isSoundKey);
  return { find: createLocalJWKSet({ keys }), fetchedAt: open.now() };
}

/** The parser's own words would bring what was sent into the log. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('not JSON');
  }
}

async function boundedText({ body }: Response): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });
  let text = '';
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw new Error(`more than ${MAX_BYTES} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** The runtime ends a request that awaits what only another one resolves, so it looks by a timer of its own. */
async function othersFetch(source: Source): Promise<void> {
  while (isFetching(source)) await scheduler.wait(LOOK_MS);
}

function isFetching({ fetchingSince: since }: Source): boolean {
  return since !== undefined && Date.now() - since < TIMEOUT_MS + 1_000;
}

function elapsed(open: PublicContext, since: number): number {
  return Math.abs(open.now() - since); // A clock that was set back ends every wait.
}

function sourceOf(issuer: Issuer): Source {
  const known = sources.get(issuer);
  if (known) return known;
  const never = Number.NEGATIVE_INFINITY;
  const made = { keys: undefined, attemptedAt: never, soughtAt: never, fetchingSince: undefined };
  sources.set(issuer, made);
  return made;
}

function logFailure({ requestId }: PublicContext, { issuer }: Issuer, thrown: unknown): void {
  const reason = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : 'unknown';
  log('error', 'keys of an issuer not fetched', { request_id: requestId, issuer, reason });
}
