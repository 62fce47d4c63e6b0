/** Finds a text in a text in time that is bounded: engines' own searches may multiply both lengths. */
import type { Budget } from '../budget.ts';

/** Longer needles are looked for by a table of their own. */
const SHORT_NEEDLE = 32;

/** Where a text is first found at or after a place; -1 when it is not. @throws BudgetFault */
export function find(text: string, needle: string, from: number, budget: Budget): number {
  budget.reach(text);
  budget.touch(needle);
  if (needle.length > SHORT_NEEDLE) return findLong(text, needle, from, budget);
  const at = text.indexOf(needle, from);
  const looked = Math.max(0, (at < 0 ? text.length : at) - from);
  budget.spend(1 + Math.floor((looked * (needle.length + 1)) / 32));
  return at;
}

/** Where a text is last found at or before a place; -1 when it is not. @throws BudgetFault */
export function findLast(text: string, needle: string, from: number, budget: Budget): number {
  budget.reach(text);
  budget.touch(needle);
  if (needle.length <= SHORT_NEEDLE) {
    budget.spend(1 + Math.floor((text.length * (needle.length + 1)) / 32));
    return text.lastIndexOf(needle, from);
  }
  let last = -1;
  for (let at = findLong(text, needle, 0, budget); at >= 0 && at <= from; ) {
    last = at;
    at = findLong(text, needle, at + 1, budget);
  }
  return last;
}

/** Knuth, Morris and Pratt's search: each character is looked at twice at most, and costs a step. */
function findLong(text: string, needle: string, from: number, budget: Budget): number {
  if (needle.length > text.length - from) return -1;
  budget.spend(needle.length);
  budget.allocate(4 * needle.length);
  const borders = bordersOf(needle);
  let matched = 0;
  for (let at = from; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    while (matched > 0 && needle.charCodeAt(matched) !== unit) matched = borders[matched - 1] ?? 0;
    if (needle.charCodeAt(matched) === unit) matched += 1;
    if (matched === needle.length) {
      budget.spend(1 + Math.min(at - from, at & 0xfff));
      return at - needle.length + 1;
    }
    if ((at & 0xfff) === 0xfff) budget.spend(0x1000);
  }
  budget.spend(Math.min(text.length - from, text.length & 0xfff));
  return -1;
}

/** For each head of a needle, the length of the longest shorter head that it ends with. */
function bordersOf(needle: string): Int32Array {
  const borders = new Int32Array(needle.length);
  let matched = 0;
  for (let at = 1; at < needle.length; at += 1) {
    const unit = needle.charCodeAt(at);
    while (matched > 0 && needle.charCodeAt(matched) !== unit) matched = borders[matched - 1] ?? 0;
    if (needle.charCodeAt(matched) === unit) matched += 1;
    borders[at] = matched;
  }
  return borders;
}

/** A text in the making, charged piece by piece. */
export class Pieces {
  readonly #pieces: string[] = [];
  readonly #budget: Budget;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  /** @throws BudgetFault */
  add(piece: string): void {
    this.#budget.text(piece.length);
    this.#budget.reach(piece);
    this.#pieces.push(piece);
  }

  text(): string {
    return this.#pieces.join('');
  }
}
