/** Replies of Upstash's REST protocol, with every digit and byte. Source: upstash.com/docs/redis/features/restapi. */
import { isJsonObject, isRawJson, type Json, parseJson } from '../../../../proto/json.ts';
import {
  ReplyError,
  ReplyStatus,
  type ReplyValue,
} from '../../../../proto/kinds/redis/reply-value.ts';

/** The one string that the protocol leaves as it is among those in base64. */
const OK = 'OK';

/**
 * What `{result}` or `{error}` in JSON text stands for, or an array of such. Integers are read from
 * the text; strings are in base64.
 * @returns `undefined` for what is neither
 */
export function repliesIn(text: string): ReplyValue | readonly ReplyValue[] | undefined {
  try {
    const json = parseJson(text);
    return Array.isArray(json) ? json.map(replyIn) : replyIn(json);
  } catch {
    return undefined;
  }
}

/** @throws SyntaxError of what is not of the protocol */
function replyIn(json: Json): ReplyValue {
  if (!isJsonObject(json)) throw new SyntaxError('no reply');
  const { error, result } = json;
  if (typeof error === 'string') return new ReplyError(error);
  if (result === undefined) throw new SyntaxError('no result');
  return replyOf(result);
}

function replyOf(json: Json): ReplyValue {
  if (typeof json === 'string') return json === OK ? new ReplyStatus(OK) : bytesOf(json);
  if (isRawJson(json)) return BigInt(json.rawJSON);
  if (Array.isArray(json)) return json.map(replyOf);
  if (isJsonObject(json)) throw new SyntaxError('an object is no reply');
  return json;
}

function bytesOf(base64: string): Uint8Array {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return bytes;
}
