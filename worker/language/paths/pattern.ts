/**
 * Regular expressions of `match` and `search`: I-Regexp (RFC 9485), checked against its grammar
 * and bounded in size here, run by an engine that takes linear time.
 */
import { RE2JSException, RE2Set } from 're2js';
import { GatewayError } from '../../../proto/errors.ts';
import { LruMap } from '../../../proto/lru-map.ts';
import type { Budget } from './budget.ts';

/** How much of a text a pattern must match. */
export type Extent = 'whole' | 'part';

/** A pattern that is ready: whether it matches a text. */
type Pattern = (text: string, budget: Budget) => boolean;

/** Of a pattern that is no I-Regexp. RFC 9535 §2.4.6, §2.4.7. */
const NEVER: Pattern = () => false;

/** Longest text of a pattern, in UTF-16 code units. Spec silent. */
const LENGTH_MAX = 1_000;
/** Atoms of a pattern, each counted as often as it repeats. Spec silent; the engine repeats no more. */
const SIZE_MAX = 1_000;
/** A category is hundreds of ranges, so it counts for more than a character. */
const CATEGORY_SIZE = 20;
/** Steps that getting a pattern ready takes, for each unit of its size. */
const STEPS_TO_COMPILE = 400;
/** A character of text takes one step, and one more for so much of the pattern's size. */
const SIZE_PER_STEP = 1;
/** Bytes that a pattern may remember of the texts it has seen. */
const MEMORY = 256 * 1024;
/** Patterns of one search that stay ready. */
const PATTERNS_KEPT = 16;

const CATEGORY = String.raw`\\[pP]\{(?:L[lmotu]?|M[cen]?|N[dlo]?|P[cdefios]?|Z[lps]?|S[ckmo]?|C[cfno]?)\}`;
const ESCAPE = String.raw`\\[()*+\-.?[\\\]^nrt{|}]`;
const CLASS_CHARACTER = String.raw`(?:[^\-[\\\]\ud800-\udfff]|${ESCAPE})`;
const CLASS_PART = `(?:${CLASS_CHARACTER}(?:-${CLASS_CHARACTER})?|${CATEGORY})`;
/** One atom, bracket or bar with its quantifier. RFC 9485 §3. */
const PART = new RegExp(
  String.raw`(?:(?<class>\[\^?(?:-|${CLASS_PART})${CLASS_PART}*-?\]|${CATEGORY}|\.)` +
    String.raw`|(?<open>\()|(?<close>\))|(?<bar>\|)|(?<plain>${ESCAPE}|[^()*+.?[\\\]{|}\ud800-\udfff]))` +
    String.raw`(?<times>[*+?]|\{(?<least>\d+)(?<most>,\d*)?\})?`,
  'uy',
);

/** Patterns that one search has got ready, the last few. */
export class Patterns {
  readonly #known = new LruMap<string, Pattern>(PATTERNS_KEPT);

  /** @throws GatewayError BAD_REQUEST for a pattern that is too large */
  get(text: string, extent: Extent, budget: Budget): Pattern {
    const key = `${extent} ${text}`;
    const pattern = this.#known.get(key) ?? compile(text, extent, budget);
    this.#known.set(key, pattern);
    return pattern;
  }
}

function compile(text: string, extent: Extent, budget: Budget): Pattern {
  if (text.length > LENGTH_MAX) throw tooLarge();
  const parts = partsOf(text);
  if (parts === undefined) return NEVER;
  const size = sizeOf(parts);
  if (size > SIZE_MAX) throw tooLarge();
  budget.charge(size * STEPS_TO_COMPILE);
  const engine = engineOf(parts, extent);
  if (engine === undefined) return NEVER;
  const stepsPerCharacter = 1 + Math.floor(size / SIZE_PER_STEP);
  return (given, spent) => {
    spent.charge(1 + given.length * stepsPerCharacter);
    return engine.match(given).length > 0;
  };
}

function tooLarge(): GatewayError {
  const limits = `${LENGTH_MAX} characters and ${SIZE_MAX} repetitions`;
  return new GatewayError('BAD_REQUEST', `A regular expression in a path has more than ${limits}`);
}

type PatternPart = Partial<
  Record<'class' | 'open' | 'close' | 'bar' | 'times' | 'least' | 'most', string>
>;

/** The parts of an I-Regexp with balanced brackets; `undefined` for any other text. */
function partsOf(text: string): (PatternPart & { readonly text: string })[] | undefined {
  const parts: (PatternPart & { readonly text: string })[] = [];
  let depth = 0;
  for (let at = 0; at < text.length; at = PART.lastIndex) {
    PART.lastIndex = at;
    const found = PART.exec(text);
    if (found === null) return undefined;
    const part: PatternPart = found.groups ?? {};
    depth += Number(part.open !== undefined) - Number(part.close !== undefined);
    const isQuantified = part.times !== undefined;
    if (depth < 0 || (isQuantified && (part.open ?? part.bar) !== undefined)) return undefined;
    parts.push({ ...part, text: found[0] });
  }
  return depth === 0 ? parts : undefined;
}

function sizeOf(parts: readonly PatternPart[]): number {
  const open: number[] = [];
  let size = 0;
  for (const part of parts) {
    if (part.open !== undefined) {
      open.push(size);
      size = 0;
    } else if (part.close !== undefined) size = (open.pop() ?? 0) + (size + 1) * timesOf(part);
    else size += (1 + CATEGORY_SIZE * categoriesOf(part)) * timesOf(part);
  }
  return size;
}

function categoriesOf(part: PatternPart): number {
  return part.class === undefined ? 0 : part.class.split('{').length - 1;
}

function timesOf({ least, most }: PatternPart): number {
  if (least === undefined) return 1;
  return Math.max(Number(least) + 1, most === undefined ? 0 : Number(most.slice(1)));
}

/** A dot is all but line ends. RFC 9485 §5.3. */
function engineOf(
  parts: readonly (PatternPart & { readonly text: string })[],
  extent: Extent,
): RE2Set | undefined {
  const source = parts.map((part) =>
    part.class === '.' ? `[^\\n\\r]${part.text.slice(1)}` : part.text,
  );
  try {
    // A set of one: unlike a single expression, its memory can be bounded.
    const anchor = extent === 'whole' ? RE2Set.ANCHOR_BOTH : RE2Set.UNANCHORED;
    const engine = new RE2Set(anchor, 0, MEMORY);
    engine.add(source.join(''));
    engine.compile();
    return engine;
  } catch (fault) {
    if (fault instanceof RE2JSException) return undefined; // Such as a range from z to a.
    throw fault;
  }
}
