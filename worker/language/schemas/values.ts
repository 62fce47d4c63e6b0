/**
 * Keywords that look at one value. The library's own round numbers, run expressions of exponential
 * time and compare or count without a bound, so these replace them, all of a schema in one.
 */
import type { Json } from '../../../proto/json.ts';
import { type Pieces, whole } from '../../../proto/work/pieces.ts';
import { compareNumbers, exactText, isMultiple, isWhole, type JsonNumber, mayBe } from './exact.ts';
import { declare } from './keyword.ts';
import type { ValueNode } from './node.ts';
import type { Pattern } from './pattern.ts';
import type { ValidationBudget } from './validation-budget.ts';

/** What each keyword asks for. */
export interface KeywordValues {
  readonly type: readonly string[];
  readonly minimum: JsonNumber;
  readonly maximum: JsonNumber;
  readonly exclusiveMinimum: JsonNumber;
  readonly exclusiveMaximum: JsonNumber;
  readonly multipleOf: JsonNumber;
  readonly minLength: number;
  readonly maxLength: number;
  readonly pattern: Pattern;
  readonly const: EqualTo;
  readonly enum: OneOf;
  readonly uniqueItems: true;
  readonly minItems: number;
  readonly maxItems: number;
  readonly minProperties: number;
  readonly maxProperties: number;
}

/** What `const` asks for. */
interface EqualTo {
  readonly value: Json;
  /** As `exactText` writes it. */
  readonly text: string;
}

/** What `enum` asks for. */
interface OneOf {
  readonly values: readonly Json[];
  /** As `exactText` writes them. */
  readonly texts: ReadonlySet<string>;
  /** Of the longest of them, in UTF-16 code units. */
  readonly longest: number;
}

/** A keyword with what it asks for. */
export interface ValueTest<Keyword extends keyof KeywordValues = keyof KeywordValues> {
  readonly keyword: Keyword;
  readonly asked: KeywordValues[Keyword];
  holds(node: ValueNode): boolean;
}

/** The library's name for all tests of a schema together. */
export const VALUE = declare<readonly ValueTest[]>('value', (tests, node) => {
  node.work.spend(tests.length);
  return tests.every((test) => test.holds(node));
});

/** A keyword of a schema as a test. */
export function valueTest<Keyword extends keyof KeywordValues>(
  keyword: Keyword,
  asked: KeywordValues[Keyword],
): ValueTest<Keyword> {
  const holds = HOLDS[keyword];
  return { keyword, asked, holds: (node) => holds(asked, node) };
}

/** Characters that are counted in a step. */
const CHARACTERS_PER_STEP = 32;

const HOLDS: {
  readonly [Keyword in keyof KeywordValues]: (
    asked: KeywordValues[Keyword],
    node: ValueNode,
  ) => boolean;
} = {
  type: isOfType,
  minimum: bound((order) => order >= 0),
  maximum: bound((order) => order <= 0),
  exclusiveMinimum: bound((order) => order > 0),
  exclusiveMaximum: bound((order) => order < 0),
  multipleOf: (divisor, node) =>
    node.type !== 'number' || isMultiple(numberOf(node), divisor, node.work),
  minLength: (least, { value, work }) =>
    typeof value !== 'string' || lengthOf(value, work) >= least,
  maxLength: (most, { value, work }) =>
    typeof value !== 'string' || value.length <= most || lengthOf(value, work) <= most,
  pattern: (pattern, { value, work }) => typeof value !== 'string' || pattern.test(value, work),
  const: ({ text }, { value, work }) =>
    mayBe(value, text.length, work) && exactText(value, work) === text,
  enum: ({ texts, longest }, { value, work }) =>
    mayBe(value, longest, work) && texts.has(exactText(value, work)),
  uniqueItems: (_, node) => equalItems(node) === undefined,
  minItems: (least, node) => node.type !== 'array' || node.size >= least,
  maxItems: (most, node) => node.type !== 'array' || node.size <= most,
  minProperties: (least, node) => node.type !== 'object' || node.size >= least,
  maxProperties: (most, node) => node.type !== 'object' || node.size <= most,
};

/** Items that are compared between two pauses, where they are small. */
const ITEMS_OF_A_PIECE = 1_024;
/** Items up to which remembering one takes next to nothing. */
const FEW_ITEMS = 16;

/** The first two items that are equal. */
export function equalItems(node: ValueNode): readonly [number, number] | undefined {
  return whole(compareItems(node));
}

/** The same in pieces; what was found out once is known from then on. */
export function* compareItems(node: ValueNode): Pieces<readonly [number, number] | undefined> {
  if (!Array.isArray(node.value) || node.equal !== undefined) return node.equal ?? undefined;
  const seen = new Map<string, number>();
  for (const [index, item] of node.value.entries()) {
    const text = exactText(item, node.work);
    if (index >= FEW_ITEMS) node.work.spend(1);
    const earlier = seen.get(text);
    if (earlier !== undefined) {
      node.equal = [earlier, index];
      return node.equal;
    }
    seen.set(text, index);
    if (index % ITEMS_OF_A_PIECE === ITEMS_OF_A_PIECE - 1) yield;
  }
  node.equal = null;
  return undefined;
}

function isOfType(types: readonly string[], node: ValueNode): boolean {
  if (types.includes(node.type)) return true;
  return node.type === 'number' && types.includes('integer') && isWhole(numberOf(node), node.work);
}

function bound(holds: (order: number) => boolean) {
  return (limit: JsonNumber, node: ValueNode): boolean =>
    node.type !== 'number' || holds(compareNumbers(numberOf(node), limit, node.work));
}

function numberOf(node: ValueNode): JsonNumber {
  return node.value as JsonNumber; // Asked of nodes of type number only.
}

/** In characters, not in halves of them. */
function lengthOf(text: string, work: ValidationBudget): number {
  work.spend(text.length / CHARACTERS_PER_STEP);
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}
