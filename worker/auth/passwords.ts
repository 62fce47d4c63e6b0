/**
 * Password hashes: scrypt, stored with its parameters as `$scrypt$ln=15,r=8,p=1$<salt>$<hash>`,
 * both base64url. Contract §3, "Passwords".
 */
import { base64url } from 'jose';
import * as z from 'zod';
import { type Asking, derive, type Parameters } from './hasher.ts';
import type { CountedCheck } from './throttle.ts';

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
 * @param check what was counted for it: each is good for one hash
 * @throws GatewayError SERVICE_UNAVAILABLE when too many wait
 */
export async function hashPassword(
  ctx: Asking,
  check: CountedCheck,
  password: string,
): Promise<string> {
  check.spend();
  const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES));
  const { ln, r, p } = CURRENT;
  const key = await derive(ctx, bytesOf(password), salt, { ...CURRENT, length: HASH_BYTES });
  return `$scrypt$ln=${ln},r=${r},p=${p}$${base64url.encode(salt)}$${base64url.encode(key)}`;
}

/**
 * Whether a password is the one that `stored` was made of. Where nothing is stored the answer is
 * no, after the same work: the time taken does not reveal whether the account exists.
 * @param check what was counted for it: each is good for one hash
 * @throws GatewayError SERVICE_UNAVAILABLE when too many wait
 */
export async function isPassword(
  ctx: Asking,
  check: CountedCheck,
  password: string,
  stored: string | null | undefined,
): Promise<boolean> {
  check.spend();
  const known = parseStored(stored);
  const { parameters, salt, hash } = known ?? NOBODY;
  const length = hash.byteLength;
  const key = await derive(ctx, bytesOf(password), salt, { ...parameters, length });
  return crypto.subtle.timingSafeEqual(key, hash) && known !== undefined;
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

/** RFC 8265, "OpaqueString": one spelling of what looks the same, whichever keyboard typed it. */
function bytesOf(password: string): Uint8Array {
  return encoder.encode(password.normalize('NFC'));
}
