/** Keywords as the evaluating library takes them: the names of its own, and how ours are declared. */
import {
  addKeyword,
  type Keyword,
  type ValidationContext,
} from '@hyperjump/json-schema/experimental';
import '@hyperjump/json-schema/draft-2020-12';
import type { ValueNode } from './node.ts';

const LIBRARY = 'https://json-schema.org/keyword/';

/** The library's keywords that schemas are built of; it does what the draft says about each. */
export const OF_LIBRARY = {
  allOf: `${LIBRARY}allOf`,
  anyOf: `${LIBRARY}anyOf`,
  /** `if`, `then` and `else` at once. */
  conditional: `${LIBRARY}conditional`,
  contains: `${LIBRARY}contains`,
  dependentRequired: `${LIBRARY}dependentRequired`,
  dependentSchemas: `${LIBRARY}dependentSchemas`,
  dynamicRef: `${LIBRARY}draft-2020-12/dynamicRef`,
  items: `${LIBRARY}items`,
  not: `${LIBRARY}not`,
  oneOf: `${LIBRARY}oneOf`,
  prefixItems: `${LIBRARY}prefixItems`,
  properties: `${LIBRARY}properties`,
  propertyNames: `${LIBRARY}propertyNames`,
  ref: `${LIBRARY}ref`,
  required: `${LIBRARY}required`,
  unevaluatedItems: `${LIBRARY}unevaluatedItems`,
  unevaluatedProperties: `${LIBRARY}unevaluatedProperties`,
} as const;

/** What the library keeps while it evaluates a keyword. */
export interface Evaluation extends ValidationContext {
  /** Members that some keyword has looked at, where `unevaluatedProperties` asks. */
  readonly evaluatedProperties?: Set<string>;
}

/** Declares a keyword of ours; build.ts makes its value, so the library never reads a schema. */
export function declare<Value>(
  name: string,
  interpret: (value: Value, node: ValueNode, evaluation: Evaluation) => boolean,
  isApplicator = false,
): string {
  const keyword: Keyword<Value> = {
    id: `causeway:${name}`,
    compile: () => Promise.reject(new Error('The library reads no schemas.')),
    // Every node of a check is one of ours: check.ts starts with nodeOf().
    interpret: (value, node, evaluation) => interpret(value, node as ValueNode, evaluation),
    simpleApplicator: isApplicator,
  };
  addKeyword(keyword);
  return keyword.id;
}
