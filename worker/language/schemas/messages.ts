/** Says what is wrong with a value, in our words. */
import type { Json } from '../../../proto/json.ts';
import { type Fault, faultAt } from './faults.ts';
import { OF_LIBRARY } from './keyword.ts';
import type { ValueNode } from './node.ts';
import { equalItems, type KeywordValues } from './values.ts';

/** A value that does not do what a keyword asks for. */
export interface Failure {
  /** A keyword that looks at one value, or the library's name of another. */
  readonly id: string;
  /** What it asks for, in the form that nodes.ts gave it. */
  readonly asked: unknown;
  readonly node: ValueNode;
  /** How many of the schemas that it holds the value did not fit. */
  readonly failed: number;
}

/** Instead of a keyword: the schema `false`. */
export const NEVER = 'never';

/** Longer texts of a schema are cut in messages. */
const LONGEST = 100;

/** The faults of a failure; for missing members, one fault each. */
export function failureFaults(failure: Failure): readonly Fault[] {
  const { id, asked, node } = failure;
  if (id === OF_LIBRARY.required) {
    return missing(node, asked as string[]).map((name) => fault(node, 'is required', name));
  }
  if (id === OF_LIBRARY.dependentRequired) return missingBeside(failure);
  const words = wordsOf(failure);
  return [fault(node, node.isName ? `has a name that ${words}` : words)];
}

function wordsOf(failure: Failure): string {
  const { id, asked, node } = failure;
  // The two belong together: nodes.ts makes both.
  if (id in OF_ASKED) return OF_ASKED[id as keyof KeywordValues](asked as never, node);
  return OF_HELD[id]?.(failure) ?? 'does not fit the schema';
}

const OF_ASKED: {
  readonly [Keyword in keyof KeywordValues]: (
    asked: KeywordValues[Keyword],
    node: ValueNode,
  ) => string;
} = {
  type: (types) => `is not ${anyOf(types.map(withArticle))}`,
  const: ({ value }) => `is not ${shown(value)}`,
  enum: ({ values }) => `is not ${anyOf(values.map(shown))}`,
  minimum: (least) => `is less than the minimum ${shown(least)}`,
  maximum: (most) => `is greater than the maximum ${shown(most)}`,
  exclusiveMinimum: (least) => `is not greater than ${shown(least)}`,
  exclusiveMaximum: (most) => `is not less than ${shown(most)}`,
  multipleOf: (divisor) => `is not a multiple of ${shown(divisor)}`,
  minLength: (least) => `is shorter than ${counted(least, 'character')}`,
  maxLength: (most) => `is longer than ${counted(most, 'character')}`,
  pattern: ({ source }) => `does not match the pattern ${cut(source)}`,
  uniqueItems: (_, node) => `has equal items: ${equalItems(node)?.join(' and ')}`,
  minItems: (least) => `has fewer than ${counted(least, 'item')}`,
  maxItems: (most) => `has more than ${counted(most, 'item')}`,
  minProperties: (least) => `has fewer than ${counted(least, 'member')}`,
  maxProperties: (most) => `has more than ${counted(most, 'member')}`,
};

const OF_HELD: Readonly<Record<string, (failure: Failure) => string>> = {
  [NEVER]: () => 'is not allowed',
  [OF_LIBRARY.contains]: containing,
  [OF_LIBRARY.anyOf]: () => 'fits none of the schemas in anyOf',
  [OF_LIBRARY.oneOf]: ({ asked, failed }) =>
    failed === (asked as unknown[]).length
      ? 'fits none of the schemas in oneOf'
      : 'fits more than one of the schemas in oneOf',
  [OF_LIBRARY.not]: () => 'fits the schema in not, which it must not',
};

function containing({ asked, node, failed }: Failure): string {
  const { minContains, maxContains } = asked as { minContains: number; maxContains: number };
  return node.children.length - failed < minContains
    ? `has fewer than ${counted(minContains, 'item')} as in contains`
    : `has more than ${counted(maxContains, 'item')} as in contains`;
}

function missingBeside({ asked, node }: Failure): readonly Fault[] {
  return (asked as [name: string, required: string[]][])
    .filter(([name]) => missing(node, [name]).length === 0)
    .flatMap(([name, required]) =>
      missing(node, required).map((other) => fault(node, `is required with ${cut(name)}`, other)),
    );
}

function missing({ value }: ValueNode, names: readonly string[]): string[] {
  return names.filter((name) => !Object.hasOwn(value as object, name)); // Asked of objects only.
}

function fault(node: ValueNode, message: string, member?: string): Fault {
  return faultAt(node.path(member), message);
}

const ARTICLES: Readonly<Record<string, string>> = {
  array: 'an array',
  integer: 'an integer',
  null: 'null',
  object: 'an object',
};

function withArticle(type: string): string {
  return ARTICLES[type] ?? `a ${type}`;
}

function anyOf(texts: readonly string[]): string {
  const [last = '', ...others] = [...new Set(texts)].reverse();
  return cut(others.length === 0 ? last : `${others.reverse().join(', ')} or ${last}`);
}

function counted(count: number, of: string): string {
  return `${count} ${of}${count === 1 ? '' : 's'}`;
}

/** A value of a schema, as JSON. */
function shown(value: Json): string {
  return cut(JSON.stringify(value));
}

function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
