/** One segment of a query while it is searched for: which child of which value is next. */
import { isJsonObject, type Json, type JsonObject } from '../../../proto/json.ts';
import { namesOf } from '../../../proto/ordered-json.ts';
import { Match, PAUSE } from './match.ts';
import type { Scope, Segment, Selector, Test } from './query.ts';
import { indexOf } from './step.ts';

/**
 * Steps, each of some 12 nanoseconds at most, as the proof `charges` measures them: of a selector that is
 * asked, of a match that is made and handed on, of an element and a member that are looked at.
 */
export const [SELECTOR, MATCH, ELEMENT, MEMBER] = [2, 3, 1, 2];
/** The engine looks up members of larger objects in a table. */
const LARGE = 128;
export const LARGE_MEMBER = 8;

/** What it takes to go through the members of an object. */
function stepsOfMembers(count: number): number {
  return count * (count > LARGE ? LARGE_MEMBER : MEMBER);
}

/** An array or object whose children are gone through. */
interface Open {
  readonly match: Match;
  readonly array: readonly Json[] | undefined;
  readonly object: JsonObject | undefined;
  readonly names: readonly string[];
  at: number;
}

/** What a list without elements is. */
const NOTHING: readonly never[] = [];

/** The matches of a segment below one place, one after another. */
export class Stage {
  readonly #descends: boolean;
  readonly #selectors: readonly Selector[];
  readonly #scope: Scope;
  /** Whose children the selectors are asked for, and which selector is asked next. */
  #match: Match;
  #asked = 0;
  /** What the last selector lists: children of the match from `#at` up to but without `#end`. */
  #array: readonly Json[] = NOTHING;
  #object: JsonObject | undefined;
  #names: readonly string[] = NOTHING;
  #at = 0;
  #end = 0;
  #by = 1;
  #test: Test | undefined;
  /** Of a segment that descends: the arrays and objects that are gone through, outermost first. */
  readonly #open: Open[] = [];

  constructor({ descends, selectors }: Segment, scope: Scope, from: Match) {
    this.#descends = descends;
    this.#selectors = selectors;
    this.#scope = scope;
    this.#match = from;
  }

  /** Begins again below another place, once all below the last one was found. */
  begin(from: Match): void {
    this.#match = from;
    this.#asked = 0;
  }

  /** The next match; undefined after the last one, when only `begin` may follow. */
  next(until: number): Match | typeof PAUSE | undefined {
    const { budget } = this.#scope;
    for (;;) {
      if (budget.spent > until) return PAUSE;
      let found: Match | typeof PAUSE | undefined;
      const selector = this.#selectors[this.#asked];
      if (this.#at !== this.#end) found = this.#listed(until);
      else if (selector !== undefined) found = this.#ask(selector);
      else if (!this.#descends || !this.#descend()) return undefined;
      if (found !== undefined) return found;
    }
  }

  /** The match of a selector that names one child; others list theirs. */
  #ask(selector: Selector): Match | undefined {
    const { budget } = this.#scope;
    this.#asked += 1;
    budget.charge(SELECTOR);
    const { value } = this.#match;
    if (Array.isArray(value)) return this.#askArray(selector, value);
    if (!isJsonObject(value)) return undefined;
    if (selector.kind === 'wildcard' || selector.kind === 'filter') {
      this.#names = namesOf(value);
      budget.charge(stepsOfMembers(this.#names.length));
      this.#object = value;
      this.#list(selector, this.#names.length);
      return undefined;
    }
    if (!('name' in selector) || !Object.hasOwn(value, selector.name)) return undefined;
    budget.charge(MATCH);
    return new Match(value[selector.name] ?? null, this.#match, selector.name);
  }

  #askArray(selector: Selector, array: readonly Json[]): Match | undefined {
    const { budget } = this.#scope;
    this.#array = array;
    this.#object = undefined;
    if (selector.kind === 'wildcard' || selector.kind === 'filter') {
      budget.charge(ELEMENT * array.length);
      this.#list(selector, array.length);
      return undefined;
    }
    if (selector.kind === 'slice') {
      this.#slice(selector, array.length);
      return undefined;
    }
    const at = indexIn(array, selector);
    const value = array[at];
    budget.charge(MATCH);
    return value === undefined ? undefined : new Match(value, this.#match, at);
  }

  #list(selector: Selector, count: number): void {
    this.#test = selector.kind === 'filter' ? selector.test : undefined;
    this.#at = 0;
    this.#end = count;
    this.#by = 1;
  }

  /** RFC 9535 §2.3.4.2.2. */
  #slice({ start, stop, step }: Selector & { kind: 'slice' }, length: number): void {
    const within = (index: number, least: number, most: number) =>
      Math.min(Math.max(index < 0 ? length + index : index, least), most);
    if (step === 0) return;
    const forward = step > 0;
    const [least, most] = forward ? [0, length] : [-1, length - 1];
    const first = start === undefined ? (forward ? 0 : length - 1) : within(start, least, most);
    const end = stop === undefined ? (forward ? length : -1) : within(stop, least, most);
    const count = Math.max(0, Math.ceil((end - first) / step));
    this.#test = undefined;
    this.#at = first;
    this.#end = first + count * step;
    this.#by = step;
  }

  #listed(until: number): Match | typeof PAUSE | undefined {
    return this.#object === undefined ? this.#element(until) : this.#member(until);
  }

  #element(until: number): Match | typeof PAUSE | undefined {
    const { budget } = this.#scope;
    while (this.#at !== this.#end) {
      if (budget.spent > until) return PAUSE;
      const at = this.#at;
      this.#at += this.#by;
      const value = this.#array[at];
      if (value === undefined || !this.#passes(value)) continue;
      budget.charge(MATCH);
      return new Match(value, this.#match, at);
    }
    return undefined;
  }

  #member(until: number): Match | typeof PAUSE | undefined {
    const { budget } = this.#scope;
    while (this.#at !== this.#end) {
      if (budget.spent > until) return PAUSE;
      const name = this.#names[this.#at] ?? '';
      this.#at += 1;
      const value = this.#object?.[name] ?? null;
      if (!this.#passes(value)) continue;
      budget.charge(MATCH);
      return new Match(value, this.#match, name);
    }
    return undefined;
  }

  #passes(value: Json): boolean {
    const test = this.#test;
    if (test === undefined) return true;
    const { budget } = this.#scope;
    const fence = budget.enter();
    const passes = test(value, this.#scope);
    budget.leave(fence);
    return passes;
  }

  /** Goes to the next value below the first, parents before children; whether there is one. */
  #descend(): boolean {
    this.#goInto(this.#match);
    for (let inner = this.#open.at(-1); inner !== undefined; inner = this.#open.at(-1)) {
      const child = nextBelow(inner);
      if (child === undefined) this.#open.pop();
      else {
        this.begin(child);
        return true;
      }
    }
    return false;
  }

  #goInto(match: Match): void {
    const { value } = match;
    const { budget } = this.#scope;
    if (Array.isArray(value)) {
      budget.charge(MATCH + ELEMENT * value.length);
      if (value.length === 0) return;
      this.#open.push({ match, array: value, object: undefined, names: NOTHING, at: 0 });
    } else if (isJsonObject(value)) {
      const names = namesOf(value);
      budget.charge(MATCH + stepsOfMembers(names.length));
      this.#open.push({ match, array: undefined, object: value, names, at: 0 });
    }
  }
}

/** Only what can have children has anything to be selected. */
function nextBelow(open: Open): Match | undefined {
  const { match, array, object, names } = open;
  if (array !== undefined) {
    while (open.at < array.length) {
      const at = open.at;
      open.at += 1;
      const value = array[at];
      if (typeof value === 'object' && value !== null) return new Match(value, match, at);
    }
    return undefined;
  }
  while (open.at < names.length) {
    const name = names[open.at] ?? '';
    open.at += 1;
    const value = object?.[name];
    if (typeof value === 'object' && value !== null) return new Match(value, match, name);
  }
  return undefined;
}

/** Where a step leads in an array; -1 when nowhere. */
export function indexIn(array: readonly Json[], step: Selector): number {
  if (step.kind === 'token') return indexOf(step.name);
  if (step.kind !== 'element') return -1;
  return step.index < 0 ? array.length + step.index : step.index;
}
