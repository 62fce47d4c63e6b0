/** Keywords that pick members by their names; the library's own run expressions of exponential time. */
import { Validation } from '@hyperjump/json-schema/experimental';
import { declare, type Evaluation } from './keyword.ts';
import type { ValueNode } from './node.ts';
import type { Pattern } from './pattern.ts';

/** What `patternProperties` asks for: a schema by expression. */
export type ByPattern = readonly (readonly [pattern: Pattern, url: string])[];

/** What `additionalProperties` asks for: a schema for members that no sibling names. */
export interface AdditionalMembers {
  readonly names: ReadonlySet<string>;
  readonly patterns: readonly Pattern[];
  readonly url: string;
}

/** By keyword, its name for the library. */
export const OF_MEMBERS = {
  patternProperties: declare<ByPattern>('patternProperties', byPattern, true),
  additionalProperties: declare<AdditionalMembers>('additionalProperties', others, true),
} as const;

function byPattern(patterns: ByPattern, node: ValueNode, evaluation: Evaluation): boolean {
  let isValid = true;
  for (const [name, value] of membersOf(node)) {
    for (const [pattern, url] of patterns) {
      if (!pattern.test(name, node.work)) continue;
      evaluation.evaluatedProperties?.add(name);
      isValid = Validation.interpret(url, value, evaluation) && isValid;
    }
  }
  return isValid;
}

function others(
  { names, patterns, url }: AdditionalMembers,
  node: ValueNode,
  evaluation: Evaluation,
): boolean {
  let isValid = true;
  for (const [name, value] of membersOf(node, names)) {
    if (patterns.some((pattern) => pattern.test(name, node.work))) continue;
    evaluation.evaluatedProperties?.add(name);
    isValid = Validation.interpret(url, value, evaluation) && isValid;
  }
  return isValid;
}

/** Names and values of an object's members; nothing is made of those that are left out. */
function membersOf(node: ValueNode, but: ReadonlySet<string> = NONE): [string, ValueNode][] {
  if (node.type !== 'object') return [];
  const members: [string, ValueNode][] = [];
  for (const { children } of node.children) {
    const [name, value] = children;
    // A member's node has both, and its name is text.
    if (!but.has(name?.value as string)) members.push([name?.value as string, value as ValueNode]);
  }
  return members;
}

const NONE: ReadonlySet<string> = new Set();
