/** Which replies are compressed, where the runtime leaves that to the gateway. RFC 9110 §8.4, §12.5.3. */
import { parseAccept } from 'hono/utils/accept';
import type { Settings } from '../settings.ts';

/** Bytes below which a reply fits one packet as it is. */
const LEAST_BYTES = 1_400;
const NONE: Readonly<Record<string, string>> = {};
const VARIES = { Vary: 'Accept-Encoding' };
const COMPRESSED = { ...VARIES, 'Content-Encoding': 'gzip' };

/**
 * The headers with which the runtime compresses a body; none where the setting `COMPRESSION` is
 * off or the body is short. What has a tag is not given here: its tag names these very bytes.
 */
export function compressing(
  { headers }: Request,
  { COMPRESSION }: Pick<Settings, 'COMPRESSION'>,
  body: BodyInit,
  type = '',
): Readonly<Record<string, string>> {
  if (COMPRESSION === 'off' || isShort(body) || isTold(type)) return NONE;
  return takesGzip(headers.get('Accept-Encoding')) ? COMPRESSED : VARIES;
}

/** Rows as lines and events are told as they come: none of them may wait for more to be compressed with. */
function isTold(type: string): boolean {
  return type.startsWith('application/x-ndjson') || type.startsWith('text/event-stream');
}

/** A stream is long: what is short is not passed on in pieces. */
function isShort(body: BodyInit): boolean {
  if (typeof body === 'string') return body.length < LEAST_BYTES;
  return body instanceof Uint8Array && body.byteLength < LEAST_BYTES;
}

/** Whether gzip is taken, and the body as it is not wanted more. */
function takesGzip(accept: string | null): boolean {
  if (accept === null) return false;
  const codings = parseAccept(accept).map(({ type, q }) => ({ type: type.toLowerCase(), q }));
  const weightOf = (...names: string[]) => codings.find(({ type }) => names.includes(type))?.q;
  const gzip = weightOf('gzip', 'x-gzip') ?? weightOf('*') ?? 0;
  return gzip > 0 && gzip >= (weightOf('identity') ?? 0);
}
