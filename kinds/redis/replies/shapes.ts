/** Shapes that replies have under both versions of the protocol: RESP2 says with flat lists and text what RESP3 has types for. */
import { isFloatText } from '../../../proto/decimal.ts';
import { isJson } from '../../../proto/is-json.ts';
import type { RedisCommand } from '../command.ts';
import { ReplyDouble, ReplyMap, ReplySet, type ReplyValue } from '../reply-value.ts';
import { bytesJson, isList, utf8Of } from './natural.ts';
import { JsonText, Members, record, type Shaped } from './shaped.ts';

/** What a reply becomes; one that is not as expected stays as it is. */
export type Shape = (value: ReplyValue) => Shaped;

/** The shape of a command's reply. */
export type Shaper = (command: RedisCommand) => Shape;

/** As it came. */
export const asGiven: Shape = (value) => value;

/** The shape whatever the words are. */
export const always =
  (shape: Shape): Shaper =>
  () =>
    shape;

/** The items of a list or set. */
export function itemsOf(value: ReplyValue | undefined): readonly ReplyValue[] | undefined {
  if (value instanceof ReplySet) return value.items;
  return isReplies(value) ? value : undefined;
}

/** The items of a list of that length; what is longer has more to tell than their names do. */
export function exactly(
  value: ReplyValue | undefined,
  least: number,
  most = least,
): readonly ReplyValue[] | undefined {
  const items = itemsOf(value);
  return items !== undefined && items.length >= least && items.length <= most ? items : undefined;
}

/** Keys and values by turns, of a map, of a flat list or of a list of pairs. */
export function entriesOf(value: ReplyValue): readonly ReplyValue[] | undefined {
  if (value instanceof ReplyMap) return value.items;
  if (!isReplies(value)) return undefined;
  const isPairs = value.every((item) => isReplies(item) && item.length === 2);
  if (isPairs) return value.flatMap((item) => itemsOf(item) ?? []);
  return value.length % 2 === 0 ? value : undefined;
}

function isReplies(value: ReplyValue | undefined): value is readonly ReplyValue[] {
  return value !== undefined && isList(value);
}

/** Every item of a list in that shape. */
export const listShape =
  (item: Shape): Shape =>
  (value) =>
    itemsOf(value)?.map(item) ?? value;

/** The value where there is one. */
export const orNull =
  (shape: Shape): Shape =>
  (value) =>
    value === null ? null : shape(value);

/** Items of a list by their place. */
export const tuple =
  (...shapes: readonly Shape[]): Shape =>
  (value) =>
    isReplies(value) ? value.map((item, at) => (shapes[at] ?? asGiven)(item)) : value;

/** A map, its values in the shapes that its keys name, else all in `other`. */
export const mapOf =
  (values: { readonly [key: string]: Shape } = {}, other: Shape = asGiven): Shape =>
  (value) => {
    const entries = value instanceof ReplyMap ? value.items : flatEntries(value);
    if (entries === undefined) return value;
    return new Members(
      entries.map((item, at) =>
        at % 2 === 0 ? item : shapeOf(values, other, entries[at - 1])(item),
      ),
    );
  };

function shapeOf(
  values: { readonly [key: string]: Shape },
  other: Shape,
  key: ReplyValue | undefined,
): Shape {
  const name = key === undefined ? undefined : utf8Of(key);
  return name !== undefined && Object.hasOwn(values, name) ? (values[name] ?? other) : other;
}

function flatEntries(value: ReplyValue): readonly ReplyValue[] | undefined {
  return isReplies(value) && value.length % 2 === 0 ? value : undefined;
}

/** A map that RESP2 gives as a list of pairs. */
export const pairedMapOf =
  (of: Shape = asGiven): Shape =>
  (value) => {
    const entries = entriesOf(value);
    if (entries === undefined) return value;
    return new Members(entries.map((item, at) => (at % 2 === 0 ? item : of(item))));
  };

/** Entries of a map or of flat or paired lists as records of two members: what may be there twice. */
export const pairsAs =
  (key: string, value: string, of: Shape = asGiven): Shape =>
  (reply) => {
    const entries = entriesOf(reply);
    if (entries === undefined) return reply;
    const all: Shaped[] = [];
    for (let at = 0; at < entries.length; at += 2) {
      all.push(record({ [key]: entries[at] ?? null, [value]: of(entries[at + 1] ?? null) }));
    }
    return all;
  };

/** A number that RESP2 gives as text. */
export const double: Shape = (value) => {
  if (typeof value === 'number') return new ReplyDouble(value);
  const text = utf8Of(value);
  if (text === undefined) return value;
  const number = doubleOf(text);
  return number === undefined ? value : new ReplyDouble(number);
};

const SPECIAL: { readonly [text: string]: number } = {
  inf: Infinity,
  '+inf': Infinity,
  '-inf': -Infinity,
  infinity: Infinity,
  '-infinity': -Infinity,
  nan: Number.NaN,
  '-nan': Number.NaN,
};

/** The double that a text of the server's means. */
function doubleOf(text: string): number | undefined {
  if (isFloatText(text)) return Number(text);
  const name = text.toLowerCase();
  return Object.hasOwn(SPECIAL, name) ? SPECIAL[name] : undefined;
}

/** An integer that is as text. */
export const integer: Shape = (value) => {
  const text = utf8Of(value);
  if (text === undefined || !/^-?\d{1,19}$/.test(text)) return value;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
};

/** A boolean, for which RESP2 gives 1 and 0. */
export const truth: Shape = (value) => (value === 1 ? true : value === 0 ? false : value);

const encoder = new TextEncoder();

/** Bytes that are no text, those of them too that happen to be one: their form says nothing about the value. */
export const binary: Shape = (value) => {
  if (typeof value === 'string') return new JsonText(bytesJson(encoder.encode(value)));
  return value instanceof Uint8Array ? new JsonText(bytesJson(value)) : value;
};

/** A JSON document, or the text where it is not JSON. */
export const json: Shape = (value) => {
  const text = utf8Of(value);
  if (text === undefined) return value;
  return isJson(text) ? new JsonText(text) : value;
};
