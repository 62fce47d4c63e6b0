/** What a request in Upstash's protocol asks for. Source: upstash.com/docs/redis/features/restapi. Contract §13, "Upstash facade". */

import type { RedisCommand, Word } from '../../../kinds/redis/command.ts';
import type { ReplyForm } from '../../../proto/driver.ts';
import { badRequest } from '../../../proto/errors.ts';
import { isRawJson, type Json } from '../../../proto/json.ts';
import { parseBodyAsWritten } from '../../http/body.ts';
import { wordOf, wordsOfPath, wordsOfQuery } from './words.ts';

/** The commands of a request. */
export type Commands =
  | { readonly way: 'command' | 'events'; readonly commands: readonly [RedisCommand] }
  | { readonly way: 'pipeline' | 'transaction'; readonly commands: readonly RedisCommand[] };

/** Of `/upstash/{endpoint}`. */
const SEGMENTS_BEFORE = 2;
/** What is no command where it is first in the path. */
const WAYS = {
  pipeline: 'pipeline',
  'multi-exec': 'transaction',
  subscribe: 'events',
  psubscribe: 'events',
  monitor: 'events',
} as const;

/**
 * Reads path, query and body: a command in the body as a JSON array, one in the path with the body
 * as its last argument except for what the query says, or many.
 * @throws GatewayError BAD_REQUEST
 */
export function commandsIn(request: Request, body: Uint8Array | undefined): Commands {
  const { pathname, search } = new URL(request.url);
  const words = wordsOfPath(pathname, SEGMENTS_BEFORE);
  const [first] = words;
  if (first === undefined) return { way: 'command', commands: [commandOf(jsonOf(body), 'body')] };
  const way = wayOf(first);
  if (way === 'pipeline' || way === 'transaction') {
    if (words.length > 1) throw badRequest('path', `ends with ${String(first)}`);
    return { way, commands: commandsOf(jsonOf(body)) };
  }
  if (way === 'events') return { way, commands: [commandFrom(words, 'path')] };
  const last = body === undefined || body.byteLength === 0 ? [] : [wordOf(body)];
  return {
    way: 'command',
    commands: [commandFrom([...words, ...last, ...wordsOfQuery(search)], 'path')],
  };
}

function wayOf(first: Word): (typeof WAYS)[keyof typeof WAYS] | undefined {
  // The vendor's own names are in lower case; as a command, SUBSCRIBE answers events, too.
  return typeof first === 'string' && isWay(first) ? WAYS[first] : undefined;
}

function isWay(name: string): name is keyof typeof WAYS {
  return Object.hasOwn(WAYS, name);
}

/**
 * How replies are to be written: `Upstash-Encoding`, `Upstash-Response-Format`.
 * @throws GatewayError BAD_REQUEST
 */
export function replyFormOf({ headers }: Request, way: Commands['way']): ReplyForm {
  const format = headers.get('Upstash-Response-Format')?.toLowerCase() ?? 'json';
  const isBase64 = headers.get('Upstash-Encoding')?.toLowerCase() === 'base64';
  if (format !== 'json' && format !== 'resp2') {
    throw badRequest('Upstash-Response-Format', 'is json or resp2');
  }
  if (format === 'json') return isBase64 ? 'base64' : 'json';
  if (isBase64)
    throw badRequest('Upstash-Encoding', 'base64 is not for resp2, which keeps all bytes');
  // As the vendor has it: a transaction answers in JSON alone.
  return way === 'transaction' ? 'json' : 'resp2';
}

function jsonOf(body: Uint8Array | undefined): Json {
  const json = parseBodyAsWritten(body);
  if (json === undefined) throw badRequest('body', 'must be a JSON array: ["SET", "key", "value"]');
  return json;
}

function commandsOf(json: Json): RedisCommand[] {
  if (!Array.isArray(json) || json.length === 0) {
    throw badRequest(
      'body',
      'must be a JSON array of commands: [["SET", "key", "value"], ["GET", "key"]]',
    );
  }
  return json.map((each, nth) => commandOf(each, String(nth)));
}

function commandOf(json: Json, path: string): RedisCommand {
  if (!Array.isArray(json)) throw badRequest(path, 'must be a JSON array: ["SET", "key", "value"]');
  return commandFrom(
    json.map((each, nth) => argumentOf(each, path === 'body' ? String(nth) : `${path}.${nth}`)),
    path,
  );
}

/** Text, numbers and truth values, as the vendor's client sends them; it writes anything else as JSON text. */
function argumentOf(value: Json, path: string): Word {
  if (typeof value === 'string') return inUtf8(value, path);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (isRawJson(value)) return value.rawJSON;
  throw badRequest(path, 'is text, a number, or true or false');
}

/** A half would be sent as another character. */
function inUtf8(text: string, path: string): string {
  if (text.isWellFormed()) return text;
  throw badRequest(path, 'holds half of a surrogate pair, which has no UTF-8');
}

function commandFrom([name, ...args]: readonly Word[], path: string): RedisCommand {
  if (typeof name !== 'string' || name === '')
    throw badRequest(path, 'begins with the name of a command');
  return { type: name.toLowerCase(), args };
}
