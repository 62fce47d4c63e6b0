/** What every notation of a path compiles to: segments of selectors, as RFC 9535 has them. */
import type { Json } from '../../../proto/json.ts';
import type { Budget } from './budget.ts';
import type { Patterns } from './pattern.ts';

/** What a filter knows besides the value that it is asked about. */
export interface Scope {
  /** The document, which `$` is in a filter. */
  readonly root: Json;
  readonly budget: Budget;
  readonly patterns: Patterns;
}

/** Whether a filter lets a value through. */
export type Test = (value: Json, scope: Scope) => boolean;

/** What one segment takes of the children of a value. */
export type Selector =
  /** A member of an object. */
  | { readonly kind: 'member'; readonly name: string }
  /** An element of an array; from its end when negative. */
  | { readonly kind: 'element'; readonly index: number }
  /** A member of an object, or the element whose index it spells. */
  | { readonly kind: 'token'; readonly name: string }
  /** Elements from `start` up to but without `stop`. RFC 9535 §2.3.4. */
  | {
      readonly kind: 'slice';
      readonly start: number | undefined;
      readonly stop: number | undefined;
      readonly step: number;
    }
  | { readonly kind: 'wildcard' }
  | { readonly kind: 'filter'; readonly test: Test };

/** One step of a query: from values to some of their children, or of all that is below them. */
export interface Segment {
  readonly descends: boolean;
  readonly selectors: readonly Selector[];
}

/** Steps from a document to places in it. */
export type Query = readonly Segment[];

/** The query that takes these selectors one after another. */
export function queryOf(selectors: readonly Selector[]): Query {
  return selectors.map((selector) => ({ descends: false, selectors: [selector] }));
}

/** The one selector of each segment when the query names one place by its form, else `undefined`. */
export function singleSteps(query: Query): Selector[] | undefined {
  const steps: Selector[] = [];
  for (const { descends, selectors } of query) {
    const [only, ...others] = selectors;
    if (descends || only === undefined || others.length > 0 || isPlural(only)) return undefined;
    steps.push(only);
  }
  return steps;
}

function isPlural({ kind }: Selector): boolean {
  return kind === 'slice' || kind === 'wildcard' || kind === 'filter';
}

/** Whether what it names depends on how long an array is. */
export function countsFromEnd(query: Query): boolean {
  return query.some(({ selectors }) => selectors.some(selectorCountsFromEnd));
}

function selectorCountsFromEnd(selector: Selector): boolean {
  if (selector.kind === 'element') return selector.index < 0;
  if (selector.kind !== 'slice') return false;
  const { start = 0, stop = 0, step } = selector;
  return start < 0 || stop < 0 || step < 0;
}

/** Whether it may find one place more than once. */
export function mayRepeat(query: Query): boolean {
  const descents = query.filter(({ descends }) => descends).length;
  return descents > 1 || query.some(({ selectors }) => selectors.length > 1);
}
