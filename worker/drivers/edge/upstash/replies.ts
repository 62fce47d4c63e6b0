/** Replies of Upstash's REST protocol, with every digit and byte. Source: upstash.com/docs/redis/features/restapi. */

import { ReplyError, ReplyStatus, type ReplyValue } from '../../../../kinds/redis/reply-value.ts';
import { isJsonObject, isRawJson, type Json, parseJson } from '../../../../proto/json.ts';

/** The one string that the protocol leaves as it is among those in base64. */
const OK = 'OK';

/**
 * What `{result}` or `{error}` in JSON text stands for, or an array of those. Integers are read from
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

/** Lists within lists, as a relay takes them. Spec silent. */
const DEPTH_MAX = 512;
/** Longer numbers take more than linear time to read; Redis' own have 20 digits. */
const DIGITS_MAX = 2_000;

function integerOf(text: string): bigint {
  if (text.length > DIGITS_MAX) throw new SyntaxError('a number of too many digits');
  return BigInt(text);
}

function replyOf(json: Json, depth = 0): ReplyValue {
  if (typeof json === 'string') return json === OK ? new ReplyStatus(OK) : bytesOf(json);
  if (isRawJson(json)) return integerOf(json.rawJSON);
  if (Array.isArray(json)) {
    if (depth === DEPTH_MAX) throw new SyntaxError('lists within too many lists');
    return json.map((each) => replyOf(each, depth + 1));
  }
  if (isJsonObject(json)) throw new SyntaxError('an object is no reply');
  return json;
}

function bytesOf(base64: string): Uint8Array {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return bytes;
}
