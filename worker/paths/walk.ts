/**
 * Finds what a query names in a document. The order is RFC 9535's; nothing is listed on the way,
 * so memory grows with the depth alone, and every value looked at is charged to a budget.
 */
import { isJsonObject, type Json, type JsonObject } from '../../proto/json.ts';
import type { Query, Scope, Segment, Selector } from './query.ts';
import { indexOf } from './step.ts';

/** A place in a document: a value, and how it hangs from the document. */
export class Match {
  readonly value: Json;
  /** Undefined of the document itself. */
  readonly parent: Match | undefined;
  /** Of the value in its parent. */
  readonly key: string | number;
  /** For whoever writes the place down: its path, kept for the places below. */
  path: string | undefined;

  constructor(value: Json, parent?: Match, key: string | number = '') {
    this.value = value;
    this.parent = parent;
    this.key = key;
  }
}

/**
 * Steps, each of some 12 nanoseconds at most, as the proof `charges` measures them: of a selector that is
 * asked, of a match that is made and handed on, of an element and a member that are looked at, and
 * of a query in a filter that is begun.
 */
const [SELECTOR, MATCH, ELEMENT, MEMBER, BEGINNING] = [2, 3, 1, 2, 4];
/** The engine looks up members of larger objects in a table. */
const LARGE = 128;
const LARGE_MEMBER = 8;

/** What it takes to go through the members of an object. */
function stepsOfMembers(count: number): number {
  return count * (count > LARGE ? LARGE_MEMBER : MEMBER);
}

/** Is handed each match; `true` ends the search. */
export type Take = (match: Match) => boolean;

/** Hands over what the query names below `from`; answers whether `take` ended it. */
export function walk(query: Query, from: Match, scope: Scope, take: Take): boolean {
  scope.budget.charge(BEGINNING * (1 + query.length));
  let next = take;
  for (const segment of query.toReversed()) next = stage(segment, scope, next);
  return next(from);
}

/** The first match of a query that names one place by its form; `undefined` without one. */
export function resolve(
  steps: readonly Selector[],
  from: Json,
  { budget }: Scope,
): Json | undefined {
  budget.charge(SELECTOR + LARGE_MEMBER * steps.length);
  let value: Json | undefined = from;
  for (const step of steps) {
    if (Array.isArray(value)) value = value[indexIn(value, step)];
    else if (isJsonObject(value) && 'name' in step && Object.hasOwn(value, step.name)) {
      value = value[step.name];
    } else return undefined;
  }
  return value;
}

/** Where a step leads in an array; -1 when nowhere. */
function indexIn(array: readonly Json[], step: Selector): number {
  if (step.kind === 'token') return indexOf(step.name);
  if (step.kind !== 'element') return -1;
  return step.index < 0 ? array.length + step.index : step.index;
}

function stage({ descends, selectors }: Segment, scope: Scope, next: Take): Take {
  const children: Take = (match) => {
    for (const selector of selectors) {
      if (select(selector, match, scope, next)) return true;
    }
    return false;
  };
  return descends ? (match) => descend(match, scope, children) : children;
}

/** The value itself, then what is below it, parents first. A list instead of recursion: depth costs no stack. */
function descend(from: Match, { budget }: Scope, take: Take): boolean {
  const left = [from];
  for (let match = left.pop(); match !== undefined; match = left.pop()) {
    if (take(match)) return true;
    const { value } = match;
    if (Array.isArray(value)) {
      budget.charge(MATCH + ELEMENT * value.length);
      for (let at = value.length - 1; at >= 0; at -= 1) pushParent(left, value[at], match, at);
    } else if (isJsonObject(value)) {
      const names = Object.keys(value);
      budget.charge(MATCH + stepsOfMembers(names.length));
      for (const name of names.reverse()) pushParent(left, value[name], match, name);
    }
  }
  return false;
}

/** Only what can have children has anything to be selected. */
function pushParent(left: Match[], value: Json | undefined, parent: Match, key: string | number) {
  if (typeof value === 'object' && value !== null) left.push(new Match(value, parent, key));
}

function select(selector: Selector, match: Match, scope: Scope, next: Take): boolean {
  scope.budget.charge(SELECTOR);
  const { value } = match;
  if (Array.isArray(value)) return selectElements(selector, value, match, scope, next);
  return isJsonObject(value) && selectMembers(selector, value, match, scope, next);
}

function selectElements(
  selector: Selector,
  array: readonly Json[],
  match: Match,
  scope: Scope,
  next: Take,
): boolean {
  const { kind } = selector;
  if (kind === 'wildcard' || kind === 'filter') {
    scope.budget.charge(ELEMENT * array.length);
    return array.some((value, at) => {
      if (kind === 'filter' && !selector.test(value, scope)) return false;
      scope.budget.charge(MATCH);
      return next(new Match(value, match, at));
    });
  }
  if (kind === 'slice') return selectSlice(selector, array, match, scope, next);
  const at = indexIn(array, selector);
  const value = array[at];
  scope.budget.charge(MATCH);
  return value !== undefined && next(new Match(value, match, at));
}

/** RFC 9535 §2.3.4.2.2. */
function selectSlice(
  { start, stop, step }: Selector & { kind: 'slice' },
  array: readonly Json[],
  match: Match,
  { budget }: Scope,
  next: Take,
): boolean {
  const { length } = array;
  const within = (index: number, least: number, most: number) =>
    Math.min(Math.max(index < 0 ? length + index : index, least), most);
  if (step === 0) return false;
  const forward = step > 0;
  const [least, most] = forward ? [0, length] : [-1, length - 1];
  const first = start === undefined ? (forward ? 0 : length - 1) : within(start, least, most);
  const end = stop === undefined ? (forward ? length : -1) : within(stop, least, most);
  for (let at = first; forward ? at < end : at > end; at += step) {
    budget.charge(MATCH);
    const value = array[at];
    if (value !== undefined && next(new Match(value, match, at))) return true;
  }
  return false;
}

function selectMembers(
  selector: Selector,
  object: JsonObject,
  match: Match,
  scope: Scope,
  next: Take,
): boolean {
  if (selector.kind === 'wildcard' || selector.kind === 'filter') {
    const names = Object.keys(object);
    scope.budget.charge(stepsOfMembers(names.length));
    return names.some((name) => {
      const value = object[name] ?? null;
      if (selector.kind === 'filter' && !selector.test(value, scope)) return false;
      scope.budget.charge(MATCH);
      return next(new Match(value, match, name));
    });
  }
  if (!('name' in selector) || !Object.hasOwn(object, selector.name)) return false;
  scope.budget.charge(MATCH);
  return next(new Match(object[selector.name] ?? null, match, selector.name));
}
