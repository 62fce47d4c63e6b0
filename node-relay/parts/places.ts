/** The part that serves a call, and the part that passes it on. */
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { PART_HEADER, partOf } from '../../proto/parts.ts';
import type { Places } from './messages.ts';

/** As Node writes names of headers. */
const KEY = PART_HEADER.toLowerCase();
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Whose call a request is; undefined when it does not say, or nothing that could be. */
export function keyOf({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  const key = headers[KEY];
  return typeof key === 'string' && UUID.test(key) ? key : undefined;
}

/** Path of the socket of a part, by its name: of shared ones the index. */
export function socketIn(folder: string, name: string): string {
  return join(folder, `${name}.sock`);
}

/** The socket of the part that serves a key. */
export function socketOf({ own, shared }: Places, key: string): string | undefined {
  return own[key] ?? shared[partOf(key, shared.length)];
}
