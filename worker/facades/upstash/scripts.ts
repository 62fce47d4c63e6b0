/**
 * Scripts with the flag `allow-key-locking`, which only Upstash's own servers know: Redis refuses
 * it. They are sent without it, and answer to the digests that clients compute of what they wrote.
 */

import type { RedisCommand, Word } from '../../../kinds/redis/command.ts';
import { hexOf } from '../../../proto/bytes.ts';
import type { ReplyForm } from '../../../proto/driver.ts';
import { isJsonObject, type Json, parseJson } from '../../../proto/json.ts';
import { LruMap } from '../../../proto/lru-map.ts';
import type { Commands } from './commands.ts';

const FLAG = 'allow-key-locking';
/** The flags on a script's first line, where that names its engine. */
const FLAGS = /^(#![^\n]*?)\sflags=(\S*)/;
const EVALUATES = new Set(['eval', 'eval_ro']);
const EVALUATES_BY_DIGEST = new Set(['evalsha', 'evalsha_ro']);

/** Per isolate. One that is forgotten is a script that the server does not know, and clients send it then. */
const DIGESTS_MAX = 10_000;
/** What the server knows a script by, by what its client does. */
const digests = new LruMap<string, string>(DIGESTS_MAX);

/** A script that a client loads. */
interface Load {
  /** Which of the commands it is. */
  readonly at: number;
  readonly original: string;
  readonly sent: string;
}

/** What is sent instead of what the client wrote. */
interface Sendable {
  readonly sent: Commands;
  readonly loads: readonly Load[];
}

/**
 * The commands as Redis takes them.
 * @param owner whose server the scripts are on
 */
export async function withoutKeyLocking(owner: string, given: Commands): Promise<Sendable> {
  if (!given.commands.some(concernsScripts)) return { sent: given, loads: [] };
  const loads: Load[] = [];
  const commands: RedisCommand[] = [];
  for (const [at, command] of given.commands.entries()) {
    const { args } = command;
    const script = scriptOf(command);
    const sendable = script === undefined ? undefined : withoutFlag(script);
    if (script !== undefined && sendable !== undefined) {
      const [original, sent] = await Promise.all([digestOf(script), digestOf(sendable)]);
      digests.set(`${owner} ${original}`, sent);
      if (isLoad(command)) loads.push({ at, original, sent });
      commands.push({ ...command, args: args.map((word) => (word === script ? sendable : word)) });
    } else {
      commands.push({
        ...command,
        args: args.map((word, nth) => sentFor(owner, command, word, nth)),
      });
    }
  }
  return { sent: { ...given, commands } as Commands, loads }; // As many as there were.
}

/** Replies with the digests that clients know scripts by. */
export async function withOwnDigests(
  reply: Uint8Array | ReadableStream<Uint8Array>,
  { loads }: Sendable,
  form: ReplyForm,
): Promise<Uint8Array | ReadableStream<Uint8Array>> {
  if (loads.length === 0) return reply;
  const bytes = new Uint8Array(await new Response(reply).arrayBuffer());
  return form === 'resp2' ? inResp(bytes, loads) : inJson(bytes, loads);
}

function concernsScripts({ type }: RedisCommand): boolean {
  return type === 'script' || EVALUATES.has(type) || EVALUATES_BY_DIGEST.has(type);
}

function isLoad({ type, args: [name] }: RedisCommand): boolean {
  return type === 'script' && typeof name === 'string' && name.toLowerCase() === 'load';
}

/** The text of a script in a command; none where it is no text. */
function scriptOf(command: RedisCommand): string | undefined {
  const [first, second] = command.args;
  const script = EVALUATES.has(command.type) ? first : isLoad(command) ? second : undefined;
  return typeof script === 'string' ? script : undefined;
}

/** Undefined when the script does not have the flag. */
function withoutFlag(script: string): string | undefined {
  const [head = '', before = '', flags = ''] = FLAGS.exec(script) ?? [];
  const all = flags.split(',');
  if (!all.includes(FLAG)) return undefined;
  const others = all.filter((flag) => flag !== FLAG);
  return before + (others.length > 0 ? ` flags=${others.join()}` : '') + script.slice(head.length);
}

/** The digest that the server knows, for one that a client knows; any other word as it is. */
function sentFor(owner: string, { type }: RedisCommand, word: Word, nth: number): Word {
  const isDigest = EVALUATES_BY_DIGEST.has(type) ? nth === 0 : type === 'script' && nth > 0;
  if (!isDigest || typeof word !== 'string') return word;
  return digests.get(`${owner} ${word.toLowerCase()}`) ?? word;
}

/** As Redis names scripts: SHA-1 in hexadecimal. */
async function digestOf(script: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-1', new TextEncoder().encode(script));
  return hexOf(new Uint8Array(digest));
}

function inJson(bytes: Uint8Array, loads: readonly Load[]): Uint8Array {
  const replies = parseJson(new TextDecoder().decode(bytes));
  const each: readonly Json[] = Array.isArray(replies) ? replies : [replies];
  for (const { at, original, sent } of loads) {
    const reply = each[at];
    if (reply === undefined || !isJsonObject(reply)) continue;
    if (reply.result === sent) reply.result = original;
    else if (reply.result === btoa(sent)) reply.result = btoa(original);
  }
  return new TextEncoder().encode(JSON.stringify(replies));
}

/** Digests are equally long, so nothing moves. */
function inResp(bytes: Uint8Array, loads: readonly Load[]): Uint8Array {
  const text = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }).decode(
    bytes.map(asAscii),
  );
  let from = 0;
  for (const { original, sent } of loads) {
    const at = text.indexOf(BULK_HEAD + sent, from);
    if (at < 0) continue;
    from = at + BULK_HEAD.length;
    bytes.set(new TextEncoder().encode(original), from);
  }
  return bytes;
}

/** A bulk string of a digest's length. */
const BULK_HEAD = '$40\r\n';
const ASCII_MAX = 0x7f;

/** One character for each byte: digests are found where they are. */
function asAscii(byte: number): number {
  return byte > ASCII_MAX ? 0 : byte;
}
