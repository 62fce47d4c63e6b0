/** Names that follow from a run: its object, its children and tasks, the tokens of its callbacks. */
import type { Vault } from './vault.ts';

/**
 * Objects of one organization. A run lies in the one that the first digit of its id leads to. Runs that
 * share one share its writes to the disk, to D1 and to the log of events.
 */
const SHARDS = 4;
const TAG_BYTES = 16;

/** Name of the object that a run, a key or a gate lies in: it begins with the organization. @param id of hexadecimal digits */
export function objectNameOf(orgUuid: string, id: string): string {
  return objectOf(orgUuid, Number.parseInt(id.charAt(0), 16) % SHARDS);
}

/** The names of all objects that an organization may have. */
export function objectNamesOf(orgUuid: string): string[] {
  return Array.from({ length: SHARDS }, (_, shard) => objectOf(orgUuid, shard));
}

function objectOf(orgUuid: string, shard: number): string {
  return `${orgUuid}:${shard}`;
}

/** The id of a child or a task: it cannot be guessed, and is the same each time. */
export function idOf(
  vault: Vault,
  what: 'child' | 'task',
  run: string,
  path: string,
  ...numbers: readonly number[]
): string {
  return uuidOf(vault.tagOf(JSON.stringify([what, run, path, ...numbers])));
}

/** Sixteen bytes as a UUID of version 8. RFC 9562. */
export function uuidOf(bytes: Uint8Array): string {
  const own = bytes.slice(0, 16);
  own[6] = ((own[6] ?? 0) & 0x0f) | 0x80;
  own[8] = ((own[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(own, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return [8, 12, 16, 20, 32].map((end, at) => hex.slice([0, 8, 12, 16, 20][at], end)).join('-');
}

/** The end of a callback's URL: it names the run and the wait, and cannot be forged. */
export function tokenOf(vault: Vault, run: string, path: string): string {
  const tag = vault.tagOf(JSON.stringify(['callback', run, path])).subarray(0, TAG_BYTES);
  const bytes = new TextEncoder().encode(path);
  const whole = new Uint8Array(16 + TAG_BYTES + bytes.byteLength);
  whole.set(
    Uint8Array.from(run.replaceAll('-', '').match(/../g) ?? [], (pair) => parseInt(pair, 16)),
  );
  whole.set(tag, 16);
  whole.set(bytes, 16 + TAG_BYTES);
  const text = Array.from(whole, (byte) => String.fromCharCode(byte)).join('');
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Where a token leads: whether it is one is for the run's object to say. */
export function placeOfToken(token: string): { run: string; path: string } | undefined {
  if (!/^[A-Za-z0-9_-]{44,2000}$/.test(token)) return undefined;
  const text = atob(token.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(text, (each) => each.charCodeAt(0));
  const hex = Array.from(bytes.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );
  const run = [0, 8, 12, 16, 20].map((at, n) => hex.slice(at, [8, 12, 16, 20, 32][n])).join('-');
  return { run, path: new TextDecoder().decode(bytes.subarray(16 + TAG_BYTES)) };
}
