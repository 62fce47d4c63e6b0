/** Events of a subscription as Upstash's clients read them. Source: upstash.com/docs/redis/features/restapi. */

import type { RedisCommand, Word } from '../../../kinds/redis/command.ts';
import { isJsonObject, type Json, parseJson } from '../../../proto/json.ts';
import { Content } from '../../outcome.ts';

const END = '\n\n';
const lenient = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true });

/** Events in that form: `data: subscribe,chat,1`, then `data: message,chat,hello`. */
export function asUpstashTells(command: RedisCommand, { type, bytes }: Content): Content {
  const stream = bytes instanceof Uint8Array ? new Blob([bytes]).stream() : bytes;
  return new Content(type, stream.pipeThrough(rewriting(command)));
}

function rewriting(command: RedisCommand): TransformStream<Uint8Array, Uint8Array> {
  const [decoder, encoder] = [new TextDecoder(), new TextEncoder()];
  let text = '';
  return new TransformStream({
    start: (controller) => controller.enqueue(encoder.encode(confirmations(command))),
    transform(piece, controller) {
      text += decoder.decode(piece, { stream: true });
      const events = text.split(END);
      text = events.pop() ?? '';
      for (const each of events) {
        controller.enqueue(encoder.encode(rewritten(each, command) + END));
      }
    },
  });
}

/** What Redis says first: it has begun, for each channel. */
function confirmations({ type, args }: RedisCommand): string {
  if (type === 'monitor') return dataOf('"OK"') + END;
  return args
    .map((each, nth) => `${dataOf(`${type},${messageText(each)},${nth + 1}`)}${END}`)
    .join('');
}

function rewritten(event: string, command: RedisCommand): string {
  const at = event.indexOf('data: ');
  // Comments keep the line open.
  if (at < 0) return event;
  const told = parseJson(event.slice(at + 'data: '.length));
  if (!event.startsWith('event: error')) return dataOf(lineOf(told, command));
  const message = isJsonObject(told) && typeof told.message === 'string' ? told.message : '';
  return `event: error\n${dataOf(JSON.stringify({ error: message }))}`;
}

function lineOf(told: Json, { type }: RedisCommand): string {
  if (!isJsonObject(told)) return messageText(told);
  const { pattern, channel = null, message = null, command } = told;
  if (Array.isArray(command)) return monitored(told, command);
  const kind = type === 'ssubscribe' ? 'smessage' : 'message';
  const name = pattern === undefined ? kind : `pmessage,${messageText(pattern)}`;
  return `${name},${messageText(channel)},${messageText(message)}`;
}

/** As MONITOR writes it; whose connection it was is not told. */
function monitored(
  { time = 0, db = 0, client }: { [name: string]: Json },
  command: Json[],
): string {
  const who = client === undefined ? '0.0.0.0:0' : messageText(client);
  const words = command.map((each) => quoted(messageText(each)));
  return `${Number(time).toFixed(6)} [${messageText(db)} ${who}] ${words.join(' ')}`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\\n\r\t]/g, (each) => ESCAPES[each] ?? each)}"`;
}

/** Text as it is; of bytes what is text of them, as the vendor reports them. */
function messageText(value: Json | Word): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return String(value);
  if (!('$bytes' in value) || typeof value.$bytes !== 'string') return JSON.stringify(value);
  const binary = atob(value.$bytes);
  return lenient.decode(Uint8Array.from(binary, (each) => each.charCodeAt(0)));
}

/** A line break within would end the event. */
function dataOf(text: string): string {
  return text
    .split(/\r\n|\r|\n/)
    .map((each) => `data: ${each}`)
    .join('\n');
}
