/** The methods of texts. */
import type { Budget } from '../budget.ts';
import { toIndex, toInteger, toText } from '../convert.ts';
import { RunFault } from '../fault.ts';
import { Pattern } from '../pattern.ts';
import type { Method, Value } from '../value.ts';
import { match, matchAll, replace, replaceAll, search, split } from './replace.ts';
import { find, findLast } from './search.ts';

const FORMS: ReadonlySet<string> = new Set(['NFC', 'NFD', 'NFKC', 'NFKD']);
/** One collation everywhere, whatever the host's language is; made at the first comparison. */
let collator: Intl.Collator | undefined;

/** A text where one is looked for; a regular expression is refused, as in JavaScript. */
function needle(value: Value, budget: Budget): string {
  if (!(value instanceof Pattern)) return toText(value, budget);
  throw new RunFault('takes a text, not a regular expression', budget.place);
}

function clamp(value: Value, otherwise: number, length: number, budget: Budget): number {
  return Math.min(Math.max(toInteger(value, otherwise, budget), 0), length);
}

/** A part of a text; long parts are views and cost nothing more. */
function part(self: string, start: number, end: number, budget: Budget): string {
  budget.reach(self);
  budget.text(0);
  return self.slice(start, Math.max(start, end));
}

/** A text that a built-in of the host makes of another, about as long. */
function made(self: string, make: (text: string) => string, budget: Budget): string {
  budget.touch(self);
  budget.spend(self.length >> 4);
  budget.text(self.length);
  const result = make(self);
  if (result.length > self.length) budget.text(result.length - self.length);
  return result;
}

function pad(self: string, [length, filler]: Value[], budget: Budget): string {
  const missing = toInteger(length, 0, budget) - self.length;
  const by = filler === undefined ? ' ' : toText(filler, budget);
  if (missing <= 0 || by === '') return '';
  budget.text(missing);
  return by.repeat(Math.ceil(missing / by.length)).slice(0, missing);
}

function repeat(self: string, count: Value, budget: Budget): string {
  const times = toInteger(count, 0, budget);
  if (times < 0 || times === Number.POSITIVE_INFINITY) {
    throw new RunFault('repeat takes a count of 0 or more', budget.place, 'RangeError');
  }
  budget.text(self.length * times);
  return self.repeat(self === '' ? 0 : times);
}

/** Long rows of marks are put in order by the host in time that grows with their square. @throws BudgetFault */
function payMarks(text: string, budget: Budget): void {
  for (const [row] of text.matchAll(/\p{M}{32,}/gu)) budget.spend((row.length * row.length) >>> 2);
}

function normalize(self: string, form: Value, budget: Budget): string {
  const name = form === undefined ? 'NFC' : toText(form, budget);
  if (!FORMS.has(name)) {
    throw new RunFault('normalize takes NFC, NFD, NFKC or NFKD', budget.place, 'RangeError');
  }
  // A character may become as many as eighteen.
  budget.text(self.length * (name.includes('K') ? 18 : 4));
  // Taking apart syllables of Hangul, and putting letters and their marks together, is the slowest.
  budget.spend(self.length >> 1);
  payMarks(self, budget);
  return self.normalize(name);
}

function compare(self: string, args: Value[], budget: Budget): number {
  if (args.length > 1) throw new RunFault('localeCompare takes one text', budget.place);
  const other = toText(args[0], budget);
  budget.touch(self);
  budget.touch(other);
  budget.spend(10 + ((self.length + other.length) >> 1));
  payMarks(self, budget);
  payMarks(other, budget);
  collator ??= new Intl.Collator('en');
  return Math.sign(collator.compare(self, other));
}

const METHODS: Readonly<Record<string, Method<string>>> = {
  at(self, [index], budget) {
    budget.reach(self);
    return self.at(toInteger(index, 0, budget));
  },
  charAt(self, [index], budget) {
    budget.reach(self);
    return self.charAt(toInteger(index, 0, budget));
  },
  charCodeAt(self, [index], budget) {
    budget.reach(self);
    return self.charCodeAt(toInteger(index, 0, budget));
  },
  codePointAt(self, [index], budget) {
    budget.reach(self);
    return self.codePointAt(toInteger(index, 0, budget));
  },
  concat: (self, args, budget) => {
    let text = self;
    for (const each of args) text = budget.concat(text, toText(each, budget));
    return text;
  },
  endsWith(self, [what, end], budget) {
    const text = needle(what, budget);
    budget.reach(self);
    budget.touch(text);
    return self.endsWith(text, clamp(end, self.length, self.length, budget));
  },
  includes: (self, [what, from], budget) =>
    find(self, needle(what, budget), clamp(from, 0, self.length, budget), budget) >= 0,
  indexOf: (self, [what, from], budget) =>
    find(self, toText(what, budget), clamp(from, 0, self.length, budget), budget),
  lastIndexOf: (self, [what, from], budget) =>
    findLast(self, toText(what, budget), clamp(from, self.length, self.length, budget), budget),
  localeCompare: compare,
  match,
  matchAll,
  normalize: (self, [form], budget) => normalize(self, form, budget),
  padEnd: (self, args, budget) => budget.concat(self, pad(self, args, budget)),
  padStart: (self, args, budget) => budget.concat(pad(self, args, budget), self),
  repeat: (self, [count], budget) => repeat(self, count, budget),
  replace,
  replaceAll,
  search,
  slice: (self, [start, end], budget) =>
    part(
      self,
      toIndex(start, 0, self.length, budget),
      toIndex(end, self.length, self.length, budget),
      budget,
    ),
  split,
  startsWith(self, [what, from], budget) {
    const text = needle(what, budget);
    budget.reach(self);
    budget.touch(text);
    return self.startsWith(text, clamp(from, 0, self.length, budget));
  },
  substr(self, [from, count], budget) {
    const start = toIndex(from, 0, self.length, budget);
    return part(self, start, start + clamp(count, self.length, self.length, budget), budget);
  },
  substring(self, [from, to], budget) {
    const one = clamp(from, 0, self.length, budget);
    const other = clamp(to, self.length, self.length, budget);
    return part(self, Math.min(one, other), Math.max(one, other), budget);
  },
  toLowerCase: (self, _, budget) => made(self, (text) => text.toLowerCase(), budget),
  toUpperCase: (self, _, budget) => made(self, (text) => text.toUpperCase(), budget),
  trim: (self, _, budget) => made(self, (text) => text.trim(), budget),
  trimEnd: (self, _, budget) => made(self, (text) => text.trimEnd(), budget),
  trimStart: (self, _, budget) => made(self, (text) => text.trimStart(), budget),
};

/** By name; see docs/expressions.md for each. */
export const textMethods: ReadonlyMap<string, Method<string>> = new Map<string, Method<string>>([
  ...Object.entries(METHODS),
  ['toString', (self) => self],
]);
