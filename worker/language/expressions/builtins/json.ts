/** `JSON`: bounded in depth and size; numbers that a double cannot hold keep their digits. */
import type { Budget } from '../budget.ts';
import { nest, toInteger, toText, unnest } from '../convert.ts';
import { isHeld, plainValue } from '../exact.ts';
import { RunFault } from '../fault.ts';
import { TABLED } from '../members.ts';
import { Pattern } from '../pattern.ts';
import { Callable, isExact, type Value } from '../value.ts';
import { Pieces } from './search.ts';

declare global {
  /** TC39 "JSON.parse source text access". */
  interface JSON {
    rawJSON(text: string): { readonly rawJSON: string };
  }
}

/** What looking at a member takes, in an object of few members and in one of many. */
const [LISTED_STEPS, TABLED_STEPS] = [3, 12];
/** Bytes that a value in a text may take once it is parsed. */
const VALUE_BYTES = 48;
/** Only then may a number have more digits than a double holds. */
const LONG_NUMBER = /[\d.]{16}|[eE][+-]?\d{3}/;

function parse([source]: Value[], budget: Budget): Value {
  const text = toText(source, budget);
  budget.touch(text);
  checkShape(text, budget);
  try {
    const value: Value = LONG_NUMBER.test(text) ? parseExact(text, budget) : JSON.parse(text);
    if (budget.owned !== undefined) ownAll(value, budget);
    return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new RunFault('JSON.parse takes JSON, and this is none', budget.place, 'SyntaxError');
  }
}

/** With the digits of numbers that a double cannot hold. */
function parseExact(text: string, budget: Budget): Value {
  budget.spend(text.length * 12); // A function of ours is called for each value, and numbers are taken apart.
  const revive = (_: string, value: unknown, context?: { readonly source?: string }) => {
    const source = context?.source;
    if (typeof value !== 'number' || source === undefined || isHeld(source)) return value;
    return JSON.rawJSON(source);
  };
  return JSON.parse(text, revive);
}

/** Code units; a closing bracket or brace is two after its opening one. */
const [QUOTE, COMMA, BRACKET, BACKSLASH, BRACE] = [0x22, 0x2c, 0x5b, 0x5c, 0x7b];

/** Charges what a text will become before it does. @throws BudgetFault */
function checkShape(text: string, budget: Budget): void {
  budget.spend(text.length >> 3);
  let depth = 0;
  let deepest = 0;
  let values = 1;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = endOfString(text, at);
    else if (unit === COMMA) values += 1;
    else if (unit === BRACKET || unit === BRACE) {
      values += 1;
      depth += 1;
      deepest = Math.max(deepest, depth);
    } else if (unit === BRACKET + 2 || unit === BRACE + 2) depth -= 1;
  }
  if (deepest > budget.depth) budget.exhausted('depth');
  budget.spend(values);
  budget.allocate(values * VALUE_BYTES + 2 * text.length);
}

function endOfString(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) return at;
    if (unit === BACKSLASH) at += 1;
  }
  return text.length;
}

function ownAll(value: Value, budget: Budget): void {
  if (typeof value !== 'object' || value === null || isExact(value)) return;
  nest(budget);
  budget.own(value);
  for (const each of Object.values(value)) ownAll(each, budget);
  unnest(budget);
}

function stringify([value, replacer, indent]: Value[], budget: Budget): Value {
  if (replacer !== undefined && replacer !== null) {
    throw new RunFault('JSON.stringify takes no replacer: change the value first', budget.place);
  }
  const space = plainValue(indent);
  const gap =
    typeof space === 'number'
      ? ' '.repeat(Math.min(10, Math.max(0, toInteger(space, 0, budget))))
      : toText(space ?? '', budget).slice(0, 10);
  const writer = new Writer(gap, budget);
  return writer.write(value, '') ? writer.text() : undefined;
}

/** Writes JSON text piece by piece. */
class Writer {
  readonly #pieces: Pieces;
  readonly #gap: string;
  readonly #budget: Budget;

  constructor(gap: string, budget: Budget) {
    this.#gap = gap;
    this.#budget = budget;
    this.#pieces = new Pieces(budget);
  }

  text(): string {
    return this.#pieces.text();
  }

  /** Whether the value is one that JSON has. */
  write(value: Value, indent: string): boolean {
    this.#budget.spend(1);
    if (value === undefined || value instanceof Callable) return false;
    if (typeof value === 'string') this.#string(value);
    else if (typeof value === 'number')
      this.#pieces.add(Number.isFinite(value) ? String(value) : 'null');
    else if (typeof value === 'boolean' || value === null) this.#pieces.add(String(value));
    else if (value instanceof Pattern) this.#pieces.add('{}');
    else if (isExact(value)) this.#pieces.add(toText(value, this.#budget));
    else this.#container(value, indent);
    return true;
  }

  #string(text: string): void {
    this.#budget.text(text.length);
    this.#pieces.add(JSON.stringify(text));
  }

  #container(value: Value[] | { readonly [name: string]: Value }, indent: string): void {
    nest(this.#budget);
    const inner = indent + this.#gap;
    const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
    this.#pieces.add(open);
    const count = Array.isArray(value) ? this.#elements(value, inner) : this.#members(value, inner);
    if (count > 0 && this.#gap !== '') this.#pieces.add(`\n${indent}`);
    this.#pieces.add(close);
    unnest(this.#budget);
  }

  #elements(array: readonly Value[], indent: string): number {
    for (const [at, element] of array.entries()) {
      this.#before(at, indent);
      if (!this.write(element, indent)) this.#pieces.add('null');
    }
    return array.length;
  }

  #members(object: { readonly [name: string]: Value }, indent: string): number {
    let count = 0;
    const names = Object.keys(object);
    // Those that are left out are looked at, too.
    this.#budget.spend(names.length * (names.length > TABLED ? TABLED_STEPS : LISTED_STEPS));
    for (const name of names) {
      const value = object[name];
      if (value === undefined || value instanceof Callable) continue;
      this.#before(count, indent);
      this.#string(name);
      this.#pieces.add(this.#gap === '' ? ':' : ': ');
      this.write(value, indent);
      count += 1;
    }
    return count;
  }

  #before(at: number, indent: string): void {
    if (at > 0) this.#pieces.add(',');
    if (this.#gap !== '') this.#pieces.add(`\n${indent}`);
  }
}

/** The members of `JSON`. */
export const JSON_TEXT: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['parse', new Callable('parse', 1, parse)],
  ['stringify', new Callable('stringify', 3, stringify)],
]);
