/** Keywords that hold schemas, or may take long by themselves, in pieces: each as the library does it at once. */
import type { ValidationContext } from '@hyperjump/json-schema/experimental';
import type { JsonObject } from '../../../proto/json.ts';
import type { Pieces } from '../../../proto/work/pieces.ts';
import { OF_LIBRARY } from './keyword.ts';
import { type AdditionalMembers, type ByPattern, OF_MEMBERS } from './members.ts';
import { itemOf, type ValueNode } from './node.ts';
import { compareItems, VALUE, type ValueTest } from './values.ts';

/** What the library and its plugins keep while they evaluate. */
export interface Evaluating extends ValidationContext {
  dynamicAnchors?: Readonly<Record<string, string>>;
  readonly evaluatedProperties?: Set<string>;
  readonly evaluatedItems?: Set<number>;
  readonly schemaEvaluatedProperties?: ReadonlySet<string>;
  readonly schemaEvaluatedItems?: ReadonlySet<number>;
}

/** Evaluates a schema, by its URL, for a value. */
type Evaluate = (url: string, node: ValueNode, context: Evaluating) => Pieces<boolean>;
/** A keyword that holds schemas, or may take long by itself. */
type Interpret<Asked> = (
  asked: Asked,
  node: ValueNode,
  context: Evaluating,
  evaluate: Evaluate,
) => Pieces<boolean>;

/** By the library's names. */
export const INTERPRETERS: Readonly<Record<string, Interpret<never>>> = {
  [OF_LIBRARY.allOf]: function* (urls: readonly string[], node, context, evaluate) {
    return (yield* fitting(urls, node, context, evaluate)) === urls.length;
  },
  [OF_LIBRARY.anyOf]: function* (urls: readonly string[], node, context, evaluate) {
    return (yield* fitting(urls, node, context, evaluate)) > 0;
  },
  [OF_LIBRARY.oneOf]: function* (urls: readonly string[], node, context, evaluate) {
    return (yield* fitting(urls, node, context, evaluate)) === 1;
  },
  [OF_LIBRARY.not]: function* (url: string, node, context, evaluate) {
    return !(yield* evaluate(url, node, context));
  },
  [OF_LIBRARY.ref]: (url: string, node, context, evaluate) => evaluate(url, node, context),
  [OF_LIBRARY.dynamicRef]: dynamicReference,
  [OF_LIBRARY.conditional]: conditional,
  [OF_LIBRARY.dependentSchemas]: dependentSchemas,
  [OF_LIBRARY.required]: required,
  [OF_LIBRARY.dependentRequired]: dependentRequired,
  [OF_LIBRARY.properties]: properties,
  [OF_LIBRARY.propertyNames]: propertyNames,
  [OF_LIBRARY.unevaluatedProperties]: unevaluatedProperties,
  [OF_LIBRARY.items]: items,
  [OF_LIBRARY.prefixItems]: prefixItems,
  [OF_LIBRARY.contains]: contains,
  [OF_LIBRARY.unevaluatedItems]: unevaluatedItems,
  [OF_MEMBERS.patternProperties]: patternProperties,
  [OF_MEMBERS.additionalProperties]: additionalProperties,
  [VALUE]: values,
};

/** How many of the schemas a value fits. */
function* fitting(
  urls: readonly string[],
  node: ValueNode,
  context: Evaluating,
  evaluate: Evaluate,
): Pieces<number> {
  let count = 0;
  for (const url of urls) if (yield* evaluate(url, node, context)) count += 1;
  return count;
}

function* dynamicReference(
  [resource, name, url]: readonly [string, string, string],
  node: ValueNode,
  context: Evaluating,
  evaluate: Evaluate,
): Pieces<boolean> {
  const anchors = context.ast.metaData[resource]?.dynamicAnchors ?? {};
  if (!(name in anchors)) return yield* evaluate(url, node, context);
  context.dynamicAnchors = { ...anchors, ...context.dynamicAnchors };
  return yield* evaluate(context.dynamicAnchors[name] ?? url, node, context);
}

function* conditional(
  urls: readonly string[],
  node: ValueNode,
  context: Evaluating,
  evaluate: Evaluate,
): Pieces<boolean> {
  const [asked = '', then = '', otherwise = ''] = urls;
  const isMeant = yield* evaluate(asked, node, context);
  return yield* evaluate(isMeant ? then : otherwise, node, context);
}

function* dependentSchemas(
  pairs: readonly (readonly [name: string, url: string])[],
  node: ValueNode,
  context: Evaluating,
  evaluate: Evaluate,
): Pieces<boolean> {
  let isValid = true;
  for (const [name, url] of pairs) {
    if (hasMember(node, name)) isValid = (yield* evaluate(url, node, context)) && isValid;
  }
  return isValid;
}

function* required(names: readonly string[], node: ValueNode): Pieces<boolean> {
  return node.type !== 'object' || names.every((name) => hasMember(node, name));
}

function* dependentRequired(
  pairs: readonly (readonly [name: string, names: readonly string[]])[],
  node: ValueNode,
): Pieces<boolean> {
  return pairs.every(
    ([name, names]) => !hasMember(node, name) || names.every((other) => hasMember(node, other)),
  );
}

function hasMember(node: ValueNode, name: string): boolean {
  return node.type === 'object' && Object.hasOwn(node.value as JsonObject, name);
}

function* properties(
  urls: Readonly<Record<string, string>>,
  node: ValueNode,
  context: Evaluating,
  evaluate: Evaluate,
): Pieces<boolean> {
  let isValid = true;
  for (const name of node.names) {
    const url = urls[name]; // Without a prototype: nodes.ts makes it.
    if (url === undefined) continue;
    isValid = (yield* evaluate(url, node.member(name).value, context)) && isValid;
    context.evaluatedProperties?.add(name);
  }
  return isValid;
}

function* propertyNames(
  url: string,
  node: ValueNode,
  context: Evaluating,
  evaluate: Evaluate,
): Pieces<boolean> {
  let isValid = true;
  for (const name of node.names) {
    isValid = (yield* evaluate(url, node.member(name).name, context)) && isValid;
  }
  return isValid;
}

function* unevaluatedProperties(
  url: string,
  node: ValueNode,
  context: Evaluating,
  evaluate: Evaluate,
): Pieces<boolean> {
  let isValid = true;
  const known = context.schemaEvaluatedProperties;
  for (const name of node.names) {
    if (known?.has(name)) continue;
    isValid = (yield* evaluate(url, node.member(name).value, context)) && isValid;
    context.evaluatedProperties?.add(name);
  }
  return isValid;
}

function* patternProperties(
  patterns: ByPattern,
  node: ValueNode,
  context: Evaluating,
  evaluate: Evaluate,
): Pieces<boolean> {
  let isValid = true;
  for (const name of node.names) {
    for (const [pattern, url] of patterns) {
      if (!pattern.test(name, node.work)) continue;
      context.evaluatedProperties?.add(name);
      isValid = (yield* evaluate(url, node.member(name).value, context)) && isValid;
    }
  }
  return isValid;
}

function* additionalProperties(
  { names, patterns, url }: AdditionalMembers,
  node: ValueNode,
  context: Evaluating,
  evaluate: Evaluate,
): Pieces<boolean> {
  let isValid = true;
  for (const name of node.names) {
    if (names.has(name) || patterns.some((pattern) => pattern.test(name, node.work))) continue;
    context.evaluatedProperties?.add(name);
    isValid = (yield* evaluate(url, node.member(name).value, context)) && isValid;
  }
  return isValid;
}

/** How many items an array has; none of anything else. */
function lengthOf({ value }: ValueNode): number {
  return Array.isArray(value) ? value.length : 0;
}

function* items(
  [first, url]: readonly [first: number, url: string],
  node: ValueNode,
  context: Evaluating,
  evaluate: Evaluate,
): Pieces<boolean> {
  let isValid = true;
  for (let index = first; index < lengthOf(node); index += 1) {
    isValid = (yield* evaluate(url, itemOf(node, index), context)) && isValid;
    context.evaluatedItems?.add(index);
  }
  return isValid;
}

function* prefixItems(
  urls: readonly string[],
  node: ValueNode,
  context: Evaluating,
  evaluate: Evaluate,
): Pieces<boolean> {
  let isValid = true;
  for (const [index, url] of urls.slice(0, lengthOf(node)).entries()) {
    isValid = (yield* evaluate(url, itemOf(node, index), context)) && isValid;
    context.evaluatedItems?.add(index);
  }
  return isValid;
}

function* contains(
  asked: { contains: string; minContains: number; maxContains: number },
  node: ValueNode,
  context: Evaluating,
  evaluate: Evaluate,
): Pieces<boolean> {
  if (node.type !== 'array') return true;
  let count = 0;
  for (let index = 0; index < lengthOf(node); index += 1) {
    if (!(yield* evaluate(asked.contains, itemOf(node, index), context))) continue;
    count += 1;
    context.evaluatedItems?.add(index);
  }
  return count >= asked.minContains && count <= asked.maxContains;
}

function* unevaluatedItems(
  url: string,
  node: ValueNode,
  context: Evaluating,
  evaluate: Evaluate,
): Pieces<boolean> {
  let isValid = true;
  const known = context.schemaEvaluatedItems;
  for (let index = 0; index < lengthOf(node); index += 1) {
    if (known?.has(index)) continue;
    isValid = (yield* evaluate(url, itemOf(node, index), context)) && isValid;
    context.evaluatedItems?.add(index);
  }
  return isValid;
}

function* values(tests: readonly ValueTest[], node: ValueNode): Pieces<boolean> {
  node.work.spend(tests.length);
  if (tests.some(({ keyword }) => keyword === 'uniqueItems')) yield* compareItems(node);
  return tests.every((test) => test.holds(node));
}
