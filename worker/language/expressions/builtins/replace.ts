/** `replace`, `replaceAll`, `split`, `match` and their like, with texts and regular expressions. */
import type { Budget } from '../budget.ts';
import { toInteger, toText } from '../convert.ts';
import { RunFault } from '../fault.ts';
import { type Match, Pattern, Search } from '../pattern.ts';
import { Callable, type Method, type ObjectValue, type Value } from '../value.ts';
import { find, Pieces } from './search.ts';

/** Where something was found. */
interface NamedMatch extends Match {
  readonly names: ReadonlyMap<string, number>;
}

/** What a match takes besides finding it. */
const MATCH_STEPS = 15;
const NO_NAMES: ReadonlyMap<string, number> = new Map();

export const replace: Method<string> = (self, [what, by], budget) => {
  const everywhere = what instanceof Pattern && what.program.isGlobal;
  return replaced(self, matches(self, what, everywhere, budget), by, budget);
};

export const replaceAll: Method<string> = (self, [what, by], budget) => {
  requireGlobal(what, 'replaceAll', budget);
  return replaced(self, matches(self, what, true, budget), by, budget);
};

function requireGlobal(what: Value, name: string, budget: Budget): void {
  if (what instanceof Pattern && !what.program.isGlobal) {
    throw new RunFault(`${name} takes a regular expression with the flag g`, budget.place);
  }
}

/** All that is to be replaced, found one after another. */
function* matches(
  self: string,
  what: Value,
  everywhere: boolean,
  budget: Budget,
): Generator<NamedMatch> {
  if (what instanceof Pattern) {
    const names = new Map(what.program.names);
    what.lastIndex = 0;
    for (const match of new Search(what.program, self, budget).all()) {
      yield { ...match, names };
      if (!everywhere) return;
    }
    return;
  }
  const text = toText(what, budget);
  let at = find(self, text, 0, budget);
  while (at >= 0 && at <= self.length) {
    yield { text, start: at, end: at + text.length, groups: [], names: NO_NAMES };
    if (!everywhere) return;
    const next = at + Math.max(1, text.length);
    if (next > self.length) return;
    at = find(self, text, next, budget);
  }
}

function replaced(self: string, found: Iterable<NamedMatch>, by: Value, budget: Budget): string {
  const pieces = new Pieces(budget);
  const text = by instanceof Callable ? '' : toText(by, budget);
  let from = 0;
  for (const match of found) {
    budget.spend(MATCH_STEPS);
    pieces.add(self.slice(from, match.start));
    if (by instanceof Callable) pieces.add(asked(by, match, self, budget));
    else expand(text, match, self, pieces, budget);
    from = match.end;
  }
  if (from === 0) budget.reach(self);
  pieces.add(self.slice(from));
  return pieces.text();
}

function asked(
  by: Callable,
  { text, groups, start, names }: NamedMatch,
  self: string,
  budget: Budget,
) {
  const args: Value[] = [text, ...groups, start, self];
  if (names.size > 0) args.push(namedGroups(groups, names));
  budget.elements(args.length);
  return toText(by.invoke(args, budget), budget);
}

function namedGroups(groups: readonly Value[], names: ReadonlyMap<string, number>): ObjectValue {
  return Object.fromEntries([...names].map(([name, group]) => [name, groups[group - 1]]));
}

/** Steps that putting a part in for a reference takes, and more for one by a name. */
const [REFERENCE_STEPS, NAME_STEPS] = [15, 40];
const REFERENCE = /\$(?:([$&`'])|(\d\d?)|<([^>]*)>)/g;

/** The text put in for a match: `$1`, `$<name>`, `$&` and their like stand for parts. ECMA-262, GetSubstitution. */
function expand(by: string, match: NamedMatch, self: string, pieces: Pieces, budget: Budget): void {
  budget.touch(by);
  let from = 0;
  for (const found of by.matchAll(REFERENCE)) {
    const [whole, sign, digits, name] = found;
    budget.spend(name === undefined ? REFERENCE_STEPS : NAME_STEPS);
    pieces.add(by.slice(from, found.index));
    from = found.index + whole.length;
    if (sign !== undefined) pieces.add(signText(sign, match, self));
    else if (digits !== undefined) pieces.add(groupText(whole, digits, match));
    else pieces.add(nameText(whole, name ?? '', match));
  }
  pieces.add(by.slice(from));
}

function signText(sign: string, { text, start, end }: Match, self: string): string {
  if (sign === '$') return '$';
  if (sign === '&') return text;
  return sign === '`' ? self.slice(0, start) : self.slice(end);
}

function groupText(whole: string, digits: string, { groups }: Match): string {
  const number = Number(digits);
  if (number >= 1 && number <= groups.length) return groups[number - 1] ?? '';
  const first = Number(digits.charAt(0));
  if (digits.length === 2 && first >= 1 && first <= groups.length) {
    return (groups[first - 1] ?? '') + digits.charAt(1);
  }
  return whole;
}

function nameText(whole: string, name: string, { groups, names }: NamedMatch): string {
  if (names.size === 0) return whole;
  const group = names.get(name);
  return group === undefined ? '' : (groups[group - 1] ?? '');
}

export const split: Method<string> = (self, [by, most], budget) => {
  const limit = most === undefined ? Number.POSITIVE_INFINITY : toInteger(most, 0, budget) >>> 0;
  const parts = by === undefined ? [self] : splitParts(self, by, limit, budget);
  budget.elements(parts.length);
  return budget.own(parts.slice(0, limit));
};

function splitParts(self: string, by: Value, limit: number, budget: Budget): Value[] {
  if (by instanceof Pattern) return splitByPattern(self, by, limit, budget);
  const separator = toText(by, budget);
  const parts: Value[] = [];
  budget.touch(self);
  if (separator === '') {
    budget.elements(self.length);
    return self.split('');
  }
  let from = 0;
  for (let at = 0; parts.length < limit; from = at + separator.length) {
    at = find(self, separator, from, budget);
    if (at < 0) break;
    budget.text(0);
    parts.push(self.slice(from, at));
  }
  parts.push(self.slice(from));
  return parts;
}

function splitByPattern(self: string, by: Pattern, limit: number, budget: Budget): Value[] {
  const search = new Search(by.program, self, budget);
  if (self === '') return search.from(0) === undefined ? [''] : [];
  const parts: Value[] = [];
  let from = 0;
  let at = 0;
  while (at < self.length && parts.length < limit) {
    const match = search.from(at);
    if (match === undefined || match.start >= self.length) break;
    if (match.end === from) {
      // An empty match where the part begins splits nothing.
      at = search.after(match.start);
      continue;
    }
    budget.elements(1 + match.groups.length);
    parts.push(self.slice(from, match.start), ...match.groups);
    from = match.end;
    at = match.end;
  }
  parts.push(self.slice(from));
  return parts;
}

/** What `match`, `matchAll` and `exec` make of a match: an array of texts, without further members. */
function matchArray(match: Match, budget: Budget): Value[] {
  budget.elements(1 + match.groups.length);
  return budget.own([match.text, ...match.groups]);
}

export const match: Method<string> = (self, [by], budget) => {
  const pattern = requirePattern(by, 'match', budget);
  if (!pattern.program.isGlobal) return execute(pattern, self, budget);
  const found: Value[] = [];
  for (const { text } of new Search(pattern.program, self, budget).all()) {
    budget.elements(1);
    found.push(text);
  }
  pattern.lastIndex = 0;
  return found.length === 0 ? null : budget.own(found);
};

export const matchAll: Method<string> = (self, [by], budget) => {
  const pattern = requirePattern(by, 'matchAll', budget);
  requireGlobal(pattern, 'matchAll', budget);
  const found: Value[] = [];
  const search = new Search(pattern.program, self, budget);
  for (const each of search.all()) found.push(matchArray(each, budget));
  return budget.own(found);
};

export const search: Method<string> = (self, [by], budget) => {
  const pattern = requirePattern(by, 'search', budget);
  return new Search(pattern.program, self, budget).from(0)?.start ?? -1;
};

function requirePattern(value: Value, name: string, budget: Budget): Pattern {
  if (value instanceof Pattern) return value;
  throw new RunFault(`${name} takes a regular expression, as in ${name}(/\\d+/g)`, budget.place);
}

/** The next match of a regular expression; with the flag `g` it goes on where the last one ended. */
export function execute(pattern: Pattern, text: string, budget: Budget): Value[] | null {
  const { isGlobal } = pattern.program;
  const from = isGlobal ? pattern.lastIndex : 0;
  const isWithin = from >= 0 && from <= text.length;
  const match = isWithin ? new Search(pattern.program, text, budget).from(from) : undefined;
  if (isGlobal) pattern.lastIndex = match?.end ?? 0;
  return match === undefined ? null : matchArray(match, budget);
}
