/** Says what is wrong with a value, in our words. */
import type { Json } from '../../proto/json.ts';
import type { Fault } from './faults.ts';
import { OF_LIBRARY } from './keyword.ts';
import type { ValueNode } from './node.ts';
import type { Pattern } from './pattern.ts';
import { type EqualTo, equalItems, OF_VALUES, type OneOf } from './values.ts';

/** A value that does not do what a keyword asks for. */
export interface Failure {
  /** The keyword's name for the library. */
  readonly id: string;
  /** What it asks for. */
  readonly value: unknown;
  readonly node: ValueNode;
  /** How many of the schemas that it holds the value did not fit. */
  readonly failed: number;
}

/** In place of a keyword: the schema `false`. */
export const NEVER = 'causeway:never';

/** Longer texts of a schema are cut in messages. */
const LONGEST = 100;

/** What is told of a failure; of missing members one fault each. */
export function faultsOf(failure: Failure): readonly Fault[] {
  const { id, value, node } = failure;
  if (id === OF_LIBRARY.required) {
    return missing(node, value as string[]).map((name) => fault(node, 'is required', name));
  }
  if (id === OF_LIBRARY.dependentRequired) return missingBeside(failure);
  const words = WORDS[id]?.(failure) ?? 'does not fit the schema';
  return [fault(node, node.isName ? `has a name that ${words}` : words)];
}

type Words = (failure: Failure) => string;

/** By the keyword's name for the library; each knows what build.ts makes of it. */
const WORDS: Readonly<Record<string, Words>> = {
  [NEVER]: () => 'is not allowed',
  [OF_VALUES.type]: ({ value }) => `is not ${anyOf((value as string[]).map(withArticle))}`,
  [OF_VALUES.const]: ({ value }) => `is not ${shown((value as EqualTo).value)}`,
  [OF_VALUES.enum]: ({ value }) => `is not ${anyOf((value as OneOf).values.map(shown))}`,
  [OF_VALUES.minimum]: ({ value }) => `is less than the minimum ${shown(value)}`,
  [OF_VALUES.maximum]: ({ value }) => `is greater than the maximum ${shown(value)}`,
  [OF_VALUES.exclusiveMinimum]: ({ value }) => `is not greater than ${shown(value)}`,
  [OF_VALUES.exclusiveMaximum]: ({ value }) => `is not less than ${shown(value)}`,
  [OF_VALUES.multipleOf]: ({ value }) => `is not a multiple of ${shown(value)}`,
  [OF_VALUES.minLength]: ({ value }) => `is shorter than ${counted(value, 'character')}`,
  [OF_VALUES.maxLength]: ({ value }) => `is longer than ${counted(value, 'character')}`,
  [OF_VALUES.pattern]: ({ value }) =>
    `does not match the pattern ${cut((value as Pattern).source)}`,
  [OF_VALUES.uniqueItems]: ({ node }) => `has equal items: ${equalItems(node)?.join(' and ')}`,
  [OF_LIBRARY.minItems]: ({ value }) => `has fewer than ${counted(value, 'item')}`,
  [OF_LIBRARY.maxItems]: ({ value }) => `has more than ${counted(value, 'item')}`,
  [OF_LIBRARY.minProperties]: ({ value }) => `has fewer than ${counted(value, 'member')}`,
  [OF_LIBRARY.maxProperties]: ({ value }) => `has more than ${counted(value, 'member')}`,
  [OF_LIBRARY.contains]: containing,
  [OF_LIBRARY.anyOf]: () => 'fits none of the schemas in anyOf',
  [OF_LIBRARY.oneOf]: ({ value, failed }) =>
    failed === (value as unknown[]).length
      ? 'fits none of the schemas in oneOf'
      : 'fits more than one of the schemas in oneOf',
  [OF_LIBRARY.not]: () => 'fits the schema in not, which it must not',
};

function containing({ value, node, failed }: Failure): string {
  const { minContains, maxContains } = value as { minContains: number; maxContains: number };
  const found = node.children.length - failed;
  return found < minContains
    ? `has fewer than ${counted(minContains, 'item')} as in contains`
    : `has more than ${counted(maxContains, 'item')} as in contains`;
}

function missingBeside({ value, node }: Failure): readonly Fault[] {
  return (value as [name: string, required: string[]][])
    .filter(([name]) => missing(node, [name]).length === 0)
    .flatMap(([name, required]) =>
      missing(node, required).map((other) => fault(node, `is required beside ${cut(name)}`, other)),
    );
}

function missing({ value }: ValueNode, names: readonly string[]): string[] {
  return names.filter((name) => !Object.hasOwn(value as object, name)); // Asked of objects only.
}

function fault(node: ValueNode, message: string, member?: string): Fault {
  return { path: node.path(member), message };
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

function counted(count: unknown, of: string): string {
  return `${count} ${of}${count === 1 ? '' : 's'}`;
}

/** A value of a schema, as JSON. */
function shown(value: unknown): string {
  return cut(JSON.stringify(value as Json));
}

function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
