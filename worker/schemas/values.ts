/**
 * Keywords that look at one value. The library's own round numbers, run expressions of exponential
 * time and compare values without a bound, so these stand in their place.
 */
import type { Json } from '../../proto/json.ts';
import { compareNumbers, isMultiple, isWhole, type JsonNumber, textOf } from './exact.ts';
import { declare } from './keyword.ts';
import type { ValueNode } from './node.ts';
import type { Pattern } from './pattern.ts';
import type { Work } from './work.ts';

/** Characters that are counted in a step. */
const CHARACTERS_PER_STEP = 32;

/** By keyword, its name for the library. */
export const OF_VALUES = {
  type: declare<readonly string[]>('type', (types, node) => isOfType(types, node)),
  minimum: declareBound('minimum', (order) => order >= 0),
  maximum: declareBound('maximum', (order) => order <= 0),
  exclusiveMinimum: declareBound('exclusiveMinimum', (order) => order > 0),
  exclusiveMaximum: declareBound('exclusiveMaximum', (order) => order < 0),
  multipleOf: declare<JsonNumber>(
    'multipleOf',
    (divisor, node) => node.type !== 'number' || isMultiple(numberOf(node), divisor),
  ),
  minLength: declare<number>(
    'minLength',
    (least, { value, work }) => typeof value !== 'string' || lengthOf(value, work) >= least,
  ),
  maxLength: declare<number>('maxLength', (most, { value, work }) => {
    if (typeof value !== 'string' || value.length <= most) return true;
    return lengthOf(value, work) <= most;
  }),
  pattern: declare<Pattern>(
    'pattern',
    (pattern, { value, work }) => typeof value !== 'string' || pattern.test(value, work),
  ),
  const: declare<EqualTo>('const', ({ text }, { value, work }) => textOf(value, work) === text),
  enum: declare<OneOf>('enum', ({ texts }, { value, work }) => texts.has(textOf(value, work))),
  uniqueItems: declare<true>('uniqueItems', (_, node) => equalItems(node) === undefined),
} as const;

/** What `const` asks for. */
export interface EqualTo {
  readonly value: Json;
  /** As `textOf` writes it. */
  readonly text: string;
}

/** What `enum` asks for. */
export interface OneOf {
  readonly values: readonly Json[];
  /** As `textOf` writes them. */
  readonly texts: ReadonlySet<string>;
}

/** The first two items that are equal. */
export function equalItems(node: ValueNode): readonly [number, number] | undefined {
  if (!Array.isArray(node.value)) return undefined;
  const seen = new Map<string, number>();
  for (const [index, item] of node.value.entries()) {
    const text = textOf(item, node.work);
    const earlier = seen.get(text);
    if (earlier !== undefined) return [earlier, index];
    seen.set(text, index);
  }
  return undefined;
}

function declareBound(name: string, holds: (order: number) => boolean): string {
  return declare<JsonNumber>(
    name,
    (bound, node) => node.type !== 'number' || holds(compareNumbers(numberOf(node), bound)),
  );
}

function isOfType(types: readonly string[], node: ValueNode): boolean {
  if (types.includes(node.type)) return true;
  return node.type === 'number' && types.includes('integer') && isWhole(numberOf(node));
}

function numberOf(node: ValueNode): JsonNumber {
  return node.value as JsonNumber; // Asked of nodes of type number only.
}

/** In characters, not in halves of them. */
function lengthOf(text: string, work: Work): number {
  work.spend(text.length / CHARACTERS_PER_STEP);
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}
