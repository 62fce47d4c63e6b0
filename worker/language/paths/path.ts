/**
 * Paths into JSON documents, in the notations that all of the API takes: `$…` is JSONPath, `/…`
 * JSON Pointer, `a/0/b` the slash form, anything else dotted. Contract §7.
 */
import type { Json } from '../../../proto/json.ts';
import type { Pieces } from '../../../proto/work/pieces.ts';
import type { Budget } from './budget.ts';
import { dotted, parseDotted } from './dotted.ts';
import { PathFault } from './fault.ts';
import { compileJsonPath, jsonpath } from './jsonpath.ts';
import { Match, PAUSE } from './match.ts';
import { Patterns } from './pattern.ts';
import { isRange, parsePointer, parseSlash, pointer, slash } from './pointer.ts';
import {
  countsFromEnd,
  mayRepeat,
  type Query,
  queryOf,
  type Scope,
  type Selector,
  singleSteps,
} from './query.ts';
import type { Step, Writing } from './step.ts';
import { Search, walk } from './walk.ts';

/** Longest text of a path, in UTF-16 code units. Spec silent. */
export const PATH_LENGTH_MAX = 4_096;
/** Most steps of a path. Spec silent. */
const PATH_STEPS_MAX = 1_000;

/** Steps of a search between two pauses: about a millisecond. */
const STEPS_OF_A_PIECE = 80_000;

/** One of the four ways to write a path. */
export type Notation = 'jsonpath' | 'pointer' | 'slash' | 'dotted';

const COMPILERS: Readonly<Record<Notation, (text: string) => Query>> = {
  jsonpath: compileJsonPath,
  pointer: (text) => queryOf(parsePointer(text)),
  slash: (text) => queryOf(parseSlash(text)),
  dotted: (text) => queryOf(parseDotted(text).map(dottedSelector)),
};
const WRITINGS: Readonly<Record<Notation, Writing>> = { jsonpath, pointer, slash, dotted };

/** Blanks ahead of `$` make no other notation of it: RFC 9535 refuses them. */
const JSONPATH = /^[ \t\n\r]*\$/;

/** Which notation a path is written in. */
export function notationOf(text: string): Notation {
  if (JSONPATH.test(text)) return 'jsonpath';
  if (text.startsWith('/')) return 'pointer';
  return text.includes('/') || isRange(text) ? 'slash' : 'dotted';
}

/** A path that was read once, to be looked for in any document. */
export class Path {
  readonly text: string;
  readonly notation: Notation;
  /** Whether what it names depends on how long arrays are. */
  readonly countsFromEnd: boolean;
  /** To write to the place that it names; `undefined` when it may name several, or counts from an end. */
  readonly steps: readonly Step[] | undefined;
  /** Whether it names one place by its form, whatever the document. */
  readonly isSingle: boolean;
  /** Whether one place may be handed over more than once. */
  readonly mayRepeat: boolean;
  readonly #query: Query;

  /** @throws PathFault */
  constructor(text: string) {
    if (text.length > PATH_LENGTH_MAX) {
      throw new PathFault(`longer than ${PATH_LENGTH_MAX} characters`, PATH_LENGTH_MAX);
    }
    this.text = text;
    this.notation = notationOf(text);
    this.#query = COMPILERS[this.notation](text);
    if (this.#query.length > PATH_STEPS_MAX) {
      throw new PathFault(`more than ${PATH_STEPS_MAX} steps`, text.length);
    }
    const selectors = singleSteps(this.#query);
    this.isSingle = selectors !== undefined;
    this.mayRepeat = mayRepeat(this.#query);
    this.countsFromEnd = countsFromEnd(this.#query);
    this.steps = this.countsFromEnd ? undefined : selectors?.map((each) => this.#stepOf(each));
  }

  /** Hands over every match, in the order of RFC 9535. */
  each(document: Json, budget: Budget, take: (match: Match) => void): void {
    walk(this.#query, new Match(document), scopeOf(document, budget), (match) => {
      take(match);
      return false;
    });
  }

  /**
   * The same in pieces.
   * @param take what is to be done with a match: all of it, or in pieces
   */
  *search(
    document: Json,
    budget: Budget,
    take: (match: Match) => Pieces<void> | undefined,
  ): Pieces<void> {
    const search = this.begin(document, budget);
    let until = budget.spent + STEPS_OF_A_PIECE;
    for (;;) {
      const found = search.next(until);
      if (found === undefined) return;
      if (found === PAUSE) {
        yield;
        until = budget.spent + STEPS_OF_A_PIECE;
      } else {
        const more = take(found);
        if (more) yield* more;
      }
    }
  }

  /** A search that its caller continues. */
  begin(document: Json, budget: Budget): Search {
    return new Search(this.#query, new Match(document), scopeOf(document, budget));
  }

  /**
   * A match's own path in this path's notation: the path itself where it names one place.
   * @param budget pays for what is written down
   */
  pathOf(match: Match, budget: Budget): string {
    return this.isSingle ? this.text : pathTo(match, WRITINGS[this.notation], budget);
  }

  #stepOf(selector: Selector): Step {
    if (selector.kind === 'element') return selector.index;
    const name = 'name' in selector ? selector.name : '';
    // Where a dotted name makes something new, it makes a member.
    return selector.kind === 'token' && this.notation !== 'dotted' ? { token: name } : name;
  }
}

function scopeOf(root: Json, budget: Budget): Scope {
  return { root, budget, patterns: new Patterns() };
}

/** What writing a step down costs besides its characters, and characters that cost one step more. */
const STEPS_PER_KEY = 4;
const CHARACTERS_PER_STEP = 4;

/** Where a match is, written down whole; paths above it are kept for those next to it. */
export function pathTo(match: Match, writing: Writing, budget: Budget): string {
  const below: Match[] = [];
  let above = match;
  while (above.path === undefined && above.parent !== undefined) {
    below.push(above);
    above = above.parent;
  }
  above.path ??= writing.top;
  let text = above.path;
  for (let each = below.pop(); each !== undefined; each = below.pop()) {
    budget.charge(STEPS_PER_KEY);
    text = writing.child(text, each.key);
    each.path = text;
  }
  budget.charge(Math.ceil(text.length / CHARACTERS_PER_STEP));
  return text;
}

/** Spec silent: a name of digits also finds the element of that index. */
function dottedSelector(key: string | number): Selector {
  return typeof key === 'number' ? { kind: 'element', index: key } : { kind: 'token', name: key };
}
