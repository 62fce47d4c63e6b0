/** MongoDB's language within requests: what of it a caller's value could be, and what it becomes instead. */
import { isJsonObject, isRawJson, type Json, numberText } from '../../../proto/json.ts';
import type { Place } from './places.ts';

/** Types of Extended JSON: values, no operators. */
const EXTENDED = new Set([
  '$oid',
  '$date',
  '$numberLong',
  '$numberInt',
  '$numberDouble',
  '$numberDecimal',
  '$binary',
  '$uuid',
  '$timestamp',
  '$minKey',
  '$maxKey',
]);
/** Members whose texts are JavaScript. */
const CODE = new Set(['$where', '$function', '$accumulator', '$code', '$scope']);
/** The same of commands. */
const CODE_OF_COMMANDS = new Set(['map', 'reduce', 'finalize', 'scope', '$eval', 'eval']);
/** Members that begin expressions, in which a text that begins with `$` names a field. */
const EXPRESSIONS = new Set(['pipeline', '$expr', 'projection', 'let']);
/** Within those, what holds plain values or names. */
const PLAIN = new Set(
  [
    '$match $limit $skip $sort $sample $count $unwind $out $merge $unionWith $literal',
    'from coll into db as localField foreignField connectToField connectFromField index',
    ...EXTENDED,
  ]
    .join(' ')
    .split(' '),
);
/** What a text of an update is a pipeline in, when it is a list. */
const UPDATES = new Set(['update', 'u', 'updateMods']);

/** What stands at a path of a request. */
export function placeInMongo(path: readonly string[]): Place {
  const [member, ...inner] = path;
  if (inner.length === 0) return member === 'command' ? 'json' : 'value';
  if (path.some((each) => CODE.has(each))) return 'fixed';
  if (member === 'command' && inner.some((each) => CODE_OF_COMMANDS.has(each))) return 'fixed';
  const last = path.at(-1);
  if (last === '$regex') return 'regex';
  if (path.includes('$regularExpression')) return last === 'pattern' ? 'regex' : 'value';
  return isExpression(path) ? 'expression' : 'value';
}

function isExpression(path: readonly string[]): boolean {
  let found = false;
  for (const [at, each] of path.entries()) {
    if (EXPRESSIONS.has(each)) found = true;
    else if (PLAIN.has(each)) found = false;
    else if (UPDATES.has(each) && /^\d+$/.test(path[at + 1] ?? '')) found = true;
  }
  return found;
}

/** Why a value may not stand in a request; undefined when it may. */
export function operatorIn(value: Json): string | undefined {
  if (Array.isArray(value)) return firstOf(value, operatorIn);
  if (!isJsonObject(value)) return undefined;
  const names = Object.keys(value);
  const [only = ''] = names;
  if (names.length === 1 && EXTENDED.has(only)) return undefined;
  return firstOf(Object.entries(value), ([name, each]) => faultOfName(name) ?? operatorIn(each));
}

function firstOf<Item>(
  items: readonly Item[],
  find: (item: Item) => string | undefined,
): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Why a name is not one that a caller may give: `$` begins operators, also behind a dot. */
export function faultOfName(name: string): string | undefined {
  if (!/(?:^|\.)\$/.test(name)) return undefined;
  return "may hold no operator: names that begin with $ are the template's alone";
}

/** A value within an expression: nothing in it names a field. */
export function asLiteral(value: Json): Json {
  return mentionsField(value) ? { $literal: value } : value;
}

function mentionsField(value: Json): boolean {
  if (typeof value === 'string') return value.startsWith('$');
  if (Array.isArray(value)) return value.some(mentionsField);
  return isJsonObject(value) && Object.values(value).some(mentionsField);
}

/** Types whose values are digits in a text. */
const DIGITS = new Set(['$numberLong', '$numberInt', '$numberDouble', '$numberDecimal']);

/** A number within a type of Extended JSON that wants its text. */
export function asDigits(path: readonly string[], value: Json): Json {
  const isNumber = typeof value === 'number' || isRawJson(value);
  return isNumber && DIGITS.has(path.at(-1) ?? '') ? numberText(value) : value;
}
