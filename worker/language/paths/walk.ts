/**
 * Finds what a query names in a document. The order is RFC 9535's; nothing is listed on the way,
 * so memory grows with the depth alone, every value looked at is charged to a budget, and a search
 * may pause wherever it is but within a filter.
 */
import { isJsonObject, type Json } from '../../../proto/json.ts';
import { type Match, PAUSE } from './match.ts';
import type { Query, Scope, Selector } from './query.ts';
import { indexIn, LARGE_MEMBER, SELECTOR, Stage } from './stage.ts';

/** Steps that a query takes to begin, for each of its segments: many begin in a filter. */
const BEGINNING = 4;
/** Levels of a search before its first match, and after its last. */
const [BEFORE, AFTER] = [-1, -2];

/** Is handed each match; `true` ends the search. */
type Take = (match: Match) => boolean;

/** A search that is under way. */
export class Search {
  readonly #query: Query;
  readonly #from: Match;
  readonly #scope: Scope;
  /** Of the segments, as far as matches came. */
  readonly #stages: Stage[] = [];
  /** The segment at hand. */
  #level = BEFORE;

  constructor(query: Query, from: Match, scope: Scope) {
    scope.budget.charge(BEGINNING * (1 + query.length));
    this.#query = query;
    this.#from = from;
    this.#scope = scope;
  }

  /**
   * The next match; undefined when there are no more.
   * @param until steps of the budget after which it pauses
   */
  next(until: number): Match | typeof PAUSE | undefined {
    if (this.#level === AFTER) return undefined;
    if (this.#level === BEFORE) {
      if (this.#query.length === 0) {
        this.#level = AFTER;
        return this.#from;
      }
      this.#enter(0, this.#from);
    }
    for (;;) {
      const found = this.#stages[this.#level]?.next(until);
      if (found === undefined) {
        if (this.#level === 0) {
          this.#level = AFTER;
          return undefined;
        }
        this.#level -= 1;
      } else if (found === PAUSE || this.#level === this.#query.length - 1) return found;
      else this.#enter(this.#level + 1, found);
    }
  }

  #enter(level: number, from: Match): void {
    this.#level = level;
    const stage = this.#stages[level];
    const segment = this.#query[level];
    if (stage !== undefined) stage.begin(from);
    else if (segment !== undefined) this.#stages.push(new Stage(segment, this.#scope, from));
  }
}

/** Hands over what the query names below `from`; answers whether `take` ended it. */
export function walk(query: Query, from: Match, scope: Scope, take: Take): boolean {
  const search = new Search(query, from, scope);
  for (;;) {
    const found = search.next(Number.POSITIVE_INFINITY);
    if (found === undefined) return false;
    if (found !== PAUSE && take(found)) return true;
  }
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
