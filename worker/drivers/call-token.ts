/** Tokens that admit calls to a relay: one serves all calls of an isolate to a node for its time. */
import { importJWK, type JWK, SignJWT } from 'jose';
import type { Settings } from '../settings.ts';
import type { Node } from './node.ts';

/** Life of a token in seconds. */
const LIFETIME_S = 60;
/** Age in milliseconds from which the next caller makes a fresh one; the others keep the old. */
const RENEW_AFTER_MS = 45_000;
/** Age in milliseconds from which it is not used: a relay whose clock runs ahead would refuse it. */
const UNUSABLE_AFTER_MS = 55_000;

interface Issued {
  readonly token: string;
  readonly issuedAt: number;
  renewing: boolean;
}

type SigningKey = Awaited<ReturnType<typeof importJWK>>;

/** Per isolate. Only what is finished is kept: a promise belongs to the request that made it. */
const issued = new WeakMap<Settings, Map<string, Issued>>();
const keys = new WeakMap<JWK, SigningKey>();

/**
 * A token for calls to the node: JWT, EdDSA, audience the node's uuid, with a fractional `iat`,
 * so that a relay can refuse those from before its own start.
 */
export async function callToken(settings: Settings, node: Node, now: number): Promise<string> {
  const known = tokensOf(settings).get(node.uuid);
  const age = known ? now - known.issuedAt : Number.POSITIVE_INFINITY;
  if (!known || age >= UNUSABLE_AFTER_MS || age < 0) return issue(settings, node, now);
  if (age < RENEW_AFTER_MS || known.renewing) return known.token;
  known.renewing = true;
  return issue(settings, node, now);
}

/**
 * A token of the gateway's key before the current one, for a node that does not know that yet; it
 * serves the node's calls for its time. Undefined where there is no such key.
 */
export async function previousCallToken(
  settings: Settings,
  node: Node,
  now: number,
): Promise<string | undefined> {
  const { GATEWAY_KEY_PREVIOUS: key } = settings;
  return key && issue(settings, node, now, key);
}

/** Forgets a token that the node refused, unless another has taken its place. */
export function deleteCallToken(settings: Settings, node: Node, token: string): void {
  const tokens = tokensOf(settings);
  if (tokens.get(node.uuid)?.token === token) tokens.delete(node.uuid);
}

async function issue(
  settings: Settings,
  node: Node,
  now: number,
  signedBy = settings.GATEWAY_KEY,
): Promise<string> {
  const iat = now / 1000;
  const token = await new SignJWT({ aud: node.uuid, iat, exp: iat + LIFETIME_S })
    .setProtectedHeader({ alg: 'EdDSA', typ: 'JWT' })
    .sign(await signingKey(signedBy));
  tokensOf(settings).set(node.uuid, { token, issuedAt: now, renewing: false });
  return token;
}

async function signingKey(jwk: JWK): Promise<SigningKey> {
  const known = keys.get(jwk);
  if (known) return known;
  const key = await importJWK(jwk, 'EdDSA');
  keys.set(jwk, key);
  return key;
}

function tokensOf(settings: Settings): Map<string, Issued> {
  const known = issued.get(settings);
  if (known) return known;
  const made = new Map<string, Issued>();
  issued.set(settings, made);
  return made;
}
