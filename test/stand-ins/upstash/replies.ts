/** Replies as the vendor writes them in JSON, plain or with base64. */
import { isError, type Resp2 } from './resp2.ts';

/** `{result}` or `{error}`, as JSON text: integers keep all digits. */
export function envelopeOf(value: Resp2, base64: boolean): string {
  return isError(value)
    ? JSON.stringify({ error: value.error })
    : `{"result":${jsonOf(value, base64)}}`;
}

function jsonOf(value: Resp2, base64: boolean): string {
  if (value === null) return 'null';
  if (Buffer.isBuffer(value)) return JSON.stringify(value.toString(base64 ? 'base64' : 'utf8'));
  if (Array.isArray(value)) {
    return `[${value.map((each: Resp2) => jsonOf(each, base64)).join(',')}]`;
  }
  if ('integer' in value) return value.integer;
  if ('error' in value) return textOf(value.error, base64);
  return 'simple' in value ? textOf(value.simple, base64 && value.simple !== 'OK') : 'null';
}

function textOf(text: string, base64: boolean): string {
  return JSON.stringify(base64 ? Buffer.from(text).toString('base64') : text);
}
