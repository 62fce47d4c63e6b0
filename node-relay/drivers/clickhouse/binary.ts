/** Texts that hold one byte a character, and binary values of requests. */
import { isPaddedBase64 } from '../../../proto/base64.ts';
import { badRequest } from '../../../proto/errors.ts';
import { isJsonObject, type Json } from '../../../proto/json.ts';
import { namesOf, onlyNameOf } from '../../../proto/ordered-json.ts';
import { writtenText } from '../../../proto/written-json.ts';

/** The bytes of a text in UTF-8, one a character. */
export function latin1(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/**
 * The bytes of `{"$bytes": base64}`; undefined for any other value.
 * @param path of what holds it
 * @throws GatewayError BAD_REQUEST
 */
export function givenBytes(value: Json, path: string): Buffer | undefined {
  if (!isJsonObject(value) || onlyNameOf(value) !== '$bytes') return undefined;
  const { $bytes: base64 } = value;
  if (typeof base64 === 'string' && isPaddedBase64(base64)) return Buffer.from(base64, 'base64');
  throw badRequest(path, 'has $bytes that are not base64');
}

/** Writes a value as JSON for the server, binary values as strings of just those bytes, one byte a character. */
export function jsonBytes(value: Json): string {
  const text = writtenText(value);
  if (!text.includes('"$bytes"')) return latin1(text);
  const bytes = givenBytes(value, 'rows');
  if (bytes) return `"${escaped(bytes.toString('latin1'))}"`;
  if (Array.isArray(value)) return `[${value.map(jsonBytes).join(',')}]`;
  if (!isJsonObject(value)) return latin1(text);
  const members = namesOf(value).map(
    (name) => `${latin1(JSON.stringify(name))}:${jsonBytes(value[name] ?? null)}`,
  );
  return `{${members.join(',')}}`;
}

/** Quotes, backslashes and control characters escaped, other bytes as they are. */
function escaped(text: string): string {
  return text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON strings may not hold them.
    /["\\\x00-\x1f]/g,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
