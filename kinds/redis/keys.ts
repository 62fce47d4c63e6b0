/** Which words of a command are keys. Source: redis.io/docs/latest/develop/reference/key-specs. */
import { type RedisCommand, type Word, wordText } from './command.ts';
import { commandNamed } from './table.ts';

/** A place as the generated tables write it, read. */
interface KeySpec {
  /** From the word of that number on, the name being 0; or after this word, looked for from a number on. */
  readonly from: number | { readonly word: string; readonly start: number };
  /** How many there are, as a word says. */
  readonly counted?: { readonly at: number; readonly first: number; readonly step: number };
  /** The last one after `from`; below 0 counted from the end. */
  readonly last: number;
  readonly step: number;
  /** With `last` -1, divides the words that follow: of 2, keys are in the first half; 0 and 1 mean all. */
  readonly limit: number;
}

const places = new Map<string, readonly KeySpec[]>();

/** The keys that a command names, in their order. Keys that only the data reports (`SORT … BY`) are not among them. */
export function keysOf({ type, args }: RedisCommand): Word[] {
  const entry = commandNamed(type);
  if (entry?.keys === undefined) return [];
  // Words are numbered from the name on, a subcommand among them.
  const shift = type.includes(' ') ? 2 : 1;
  const found = placesOf(entry.keys).flatMap((place) => numbersOf(place, args, shift));
  const numbers = new Set([...found, ...(type === 'sort' ? storeOf(args, shift) : [])]);
  return [...numbers].flatMap((number) => args[number - shift] ?? []);
}

function placesOf(text: string): readonly KeySpec[] {
  const known = places.get(text);
  if (known !== undefined) return known;
  const read = text.split(',').flatMap((each) => placeOf(each) ?? []);
  places.set(text, read);
  return read;
}

/** `1`, `1:-1:2`, `2#0:1:1`, `@STREAMS/1:-1:1:2`; `?` stands for no key. */
function placeOf(text: string): KeySpec | undefined {
  const parts =
    /^(?:(\d+)|@(\w+)\/(-?\d+))(?:#(\d+):(\d+):(\d+)|(?::(-?\d+)(?::(\d+)(?::(\d+))?)?)?)$/.exec(
      text,
    );
  if (parts === null) return undefined;
  const [, index, word = '', start, at, first, every, last = '0', step = '1', limit = '0'] = parts;
  const from = index === undefined ? { word, start: Number(start) } : Number(index);
  const range = { from, last: Number(last), step: Number(step), limit: Number(limit) };
  if (at === undefined) return range;
  return { ...range, counted: { at: Number(at), first: Number(first), step: Number(every) } };
}

function numbersOf(place: KeySpec, args: readonly Word[], shift: number): number[] {
  const end = args.length + shift;
  const begin =
    typeof place.from === 'number' ? place.from : afterWord(place.from, args, shift, end);
  if (begin === undefined || begin >= end) return [];
  const { counted } = place;
  if (counted !== undefined) {
    const count = Number(wordText(args[begin + counted.at - shift] ?? ''));
    if (!Number.isInteger(count) || count < 0 || count > end) return [];
    const first = begin + counted.first;
    return within(
      Array.from({ length: count }, (_, at) => first + at * counted.step),
      end,
    );
  }
  const share = place.limit > 1 ? Math.floor((end - begin) / place.limit) : end - begin;
  const last =
    place.last >= 0 ? begin + place.last : place.limit > 1 ? begin + share - 1 : end + place.last;
  const numbers: number[] = [];
  for (let at = begin; at <= last; at += place.step) numbers.push(at);
  return within(numbers, end);
}

function within(numbers: readonly number[], end: number): number[] {
  return numbers.filter((each) => each < end);
}

/** The place after a word; one that is looked for from the end is the last of its kind. */
function afterWord(
  { word, start }: Exclude<KeySpec['from'], number>,
  args: readonly Word[],
  shift: number,
  end: number,
): number | undefined {
  const isIt = (each: Word) => wordText(each).toUpperCase() === word;
  if (start < 0) {
    const at = args.findLastIndex((each, at) => isIt(each) && at + shift <= end + start);
    return at < 0 ? undefined : at + shift + 1;
  }
  const at = args.findIndex((each, at) => at + shift >= start && isIt(each));
  return at < 0 ? undefined : at + shift + 1;
}

/** Where SORT stores: its options may be in any order, and its last STORE wins. */
function storeOf(args: readonly Word[], shift: number): number[] {
  const at = args.findLastIndex((each, at) => at > 0 && wordText(each).toUpperCase() === 'STORE');
  return at < 0 ? [] : [at + 1 + shift];
}
