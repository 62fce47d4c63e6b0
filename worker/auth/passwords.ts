/**
 * Password hashes: scrypt, stored with its parameters as `$scrypt$ln=15,r=8,p=1$<salt>$<hash>`,
 * both base64url. Contract §3, "Passwords". The one place that uses a module of Node's.
 */
import { scryptSync, timingSafeEqual } from 'node:crypto';
import { base64url } from 'jose';
import * as z from 'zod';
import type { PublicContext } from '../context.ts';
import { inTurn } from './turns.ts';

/** All that a hash needs of a request. */
type Patience = Pick<PublicContext, 'afterReply'>;

/** Cost as a power of two, block size, parallelism. */
interface Parameters {
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}
const CURRENT: Parameters = { ln: 15, r: 8, p: 1 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const LEAST_CHARACTERS = 8;
const MOST_BYTES = 1024;
const STORED = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w-]+)\$([\w-]+)$/;
const encoder = new TextEncoder();

/** A password that may be set: 8 characters to 1,024 bytes of UTF-8. */
export const NewPassword = z
  .string()
  .refine((text) => text.isWellFormed(), 'must be valid Unicode')
  .refine((text) => [...text].length >= LEAST_CHARACTERS, 'must have at least 8 characters')
  .refine((text) => bytesOf(text).byteLength <= MOST_BYTES, 'must have at most 1024 bytes')
  .meta({
    description: 'From 8 characters to 1,024 bytes of UTF-8; kept as a hash alone',
    minLength: LEAST_CHARACTERS,
    format: 'password',
    writeOnly: true,
    examples: ['correct horse battery staple'],
  });

/**
 * What is stored of a new password.
 * @throws GatewayError SERVICE_UNAVAILABLE when too many wait
 */
export function hashPassword(ctx: Patience, password: string): Promise<string> {
  return inTurn(ctx, () => {
    const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES));
    const { ln, r, p } = CURRENT;
    const hash = base64url.encode(derive(password, salt, CURRENT, HASH_BYTES));
    return `$scrypt$ln=${ln},r=${r},p=${p}$${base64url.encode(salt)}$${hash}`;
  });
}

/**
 * Whether a password is the one that `stored` was made of. Where nothing is stored the answer is
 * no, after the same work: who has an account cannot be told by the clock.
 * @throws GatewayError SERVICE_UNAVAILABLE when too many wait
 */
export function isPassword(
  ctx: Patience,
  password: string,
  stored: string | null | undefined,
): Promise<boolean> {
  return inTurn(ctx, () => {
    const known = parseStored(stored);
    const { parameters, salt, hash } = known ?? NOBODY;
    return timingSafeEqual(derive(password, salt, parameters, hash.byteLength), hash) && !!known;
  });
}

/** Whether a hash was made with other parameters than new ones are. */
export function isOutdated(stored: string): boolean {
  const { ln, r, p } = CURRENT;
  return !stored.startsWith(`$scrypt$ln=${ln},r=${r},p=${p}$`);
}

interface Stored {
  readonly parameters: Parameters;
  readonly salt: Uint8Array;
  readonly hash: Uint8Array;
}
const NOBODY: Stored = {
  parameters: CURRENT,
  salt: new Uint8Array(SALT_BYTES),
  hash: new Uint8Array(HASH_BYTES),
};

function parseStored(stored: string | null | undefined): Stored | undefined {
  const [, ln, r, p, salt, hash] = STORED.exec(stored ?? '') ?? [];
  if (salt === undefined || hash === undefined) return undefined;
  return {
    parameters: { ln: Number(ln), r: Number(r), p: Number(p) },
    salt: base64url.decode(salt),
    hash: base64url.decode(hash),
  };
}

function derive(
  password: string,
  salt: Uint8Array,
  { ln, r, p }: Parameters,
  length: number,
): Uint8Array {
  const N = 2 ** ln;
  // 128·N·r bytes is what the algorithm needs; Node's default refuses exactly that.
  return scryptSync(bytesOf(password), salt, length, { N, r, p, maxmem: 256 * N * r });
}

/** RFC 8265, "OpaqueString": one spelling of what looks the same, whichever keyboard typed it. */
function bytesOf(password: string): Uint8Array {
  return encoder.encode(password.normalize('NFC'));
}
