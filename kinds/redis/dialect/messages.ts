/** What a server says unasked, as JSON: messages of channels, invalidations of tracked keys, lines of MONITOR. */
import type { Form } from '../replies/index.ts';
import { naturalJson } from '../replies/index.ts';
import { utf8Of } from '../replies/natural.ts';
import { record, type Shaped } from '../replies/shaped.ts';
import type { ReplyValue } from '../reply-value.ts';

const FORM: Form = { numbersAsStrings: false };

/** A message of a channel, however it was subscribed to; undefined for any other reply. */
export function messageJson(push: ReplyValue): string | undefined {
  const message = messageOf(push);
  return message === undefined ? undefined : naturalJson(message, FORM);
}

function messageOf(push: ReplyValue): Shaped | undefined {
  if (!Array.isArray(push)) return undefined;
  const [kind = null, ...parts]: readonly ReplyValue[] = push;
  const name = utf8Of(kind);
  if (name === 'message' || name === 'smessage') {
    const [channel = null, message = null] = parts;
    return record({ channel, message });
  }
  if (name !== 'pmessage') return undefined;
  const [pattern = null, channel = null, message = null] = parts;
  return record({ pattern, channel, message });
}

/** Confirmations of what was asked for: the reply says so already. */
const CONFIRMATION = /^[ps]?(?:un)?subscribe$/;

/** A push in a session, with its kind; undefined for what its caller knows already. */
export function pushJson(push: ReplyValue): string | undefined {
  if (!Array.isArray(push)) return undefined;
  const [kind = null, ...parts]: readonly ReplyValue[] = push;
  const type = utf8Of(kind) ?? '';
  if (CONFIRMATION.test(type)) return undefined;
  if (type === 'invalidate') {
    const [keys = null] = parts;
    return naturalJson(record({ type, keys }), FORM);
  }
  const message = messageJson(push);
  return message === undefined
    ? naturalJson(record({ type, parts }), FORM)
    : `{"type":${JSON.stringify(type)},${message.slice(1)}`;
}

const LINE = /^(\d+\.\d+) \[(\d+) (\S+)\] (.*)$/s;
const WORD = /"((?:[^"\\]|\\.)*)"/gs;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', a: '\x07', b: '\b' };

/**
 * A line of MONITOR: `{time, db, command}`, time in seconds since 1970; `client` only where it is
 * a script, for the others have addresses. Undefined for what is no such line.
 */
export function monitorJson(push: ReplyValue): string | undefined {
  const [, time, db, client, words] = LINE.exec(utf8Of(push) ?? '') ?? [];
  if (time === undefined || words === undefined) return undefined;
  const command = [...words.matchAll(WORD)].map(([, escaped = '']) => unescaped(escaped));
  const script = client === 'lua' ? { client } : {};
  return naturalJson(record({ time: Number(time), db: Number(db), ...script, command }), FORM);
}

function unescaped(text: string): Uint8Array {
  const latin = text.replace(/\\(?:x([0-9a-f]{2})|(.))/gs, (_, hex?: string, one = '') =>
    hex === undefined ? (ESCAPES[one] ?? one) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Uint8Array.from(latin, (each) => each.charCodeAt(0));
}
