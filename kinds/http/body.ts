/** Bodies of requests, as bytes with their media type. */

import type { Json } from '../../proto/json.ts';
import { writtenText } from '../../proto/written-json.ts';
import { bytesIn, type HttpRequest } from './request.ts';

/** A body, and what it is unless a header says otherwise. */
interface Body {
  readonly bytes: Uint8Array;
  readonly type: string;
}

const encoder = new TextEncoder();

/** The body of a request that has one; numbers of JSON keep every digit. */
export function bodyOf({ body, body_encoding: encoding }: HttpRequest): Body | undefined {
  if (body === undefined || encoding === 'none') return undefined;
  if (encoding === 'json') return json(body);
  const base64 = encoding === 'base64' && typeof body === 'string' ? body : bytesIn(body);
  if (base64 !== undefined) return { bytes: decoded(base64), type: 'application/octet-stream' };
  if (typeof body !== 'string') return json(body);
  return { bytes: encoder.encode(body), type: 'text/plain; charset=utf-8' };
}

function json(body: Json): Body {
  return { bytes: encoder.encode(writtenText(body)), type: 'application/json' };
}

function decoded(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
