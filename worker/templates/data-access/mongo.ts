/** MongoDB's language within requests: what of it a caller's value could be, and what it becomes instead. */
import { isJsonObject, isRawJson, type Json, numberText } from '../../../proto/json.ts';
import type { TextRole } from './text-role.ts';

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
/** Stages and operators that hold plain values or names. */
const PLAIN = new Set([
  ...['$match', '$limit', '$skip', '$sort', '$sample', '$count', '$unwind', '$literal'],
  ...EXTENDED,
]);
/** Stages that name collections and fields by members, among which pipelines are. */
const JOINS = new Set(['$lookup', '$graphLookup', '$unionWith', '$merge', '$out']);
const OF_JOINS = new Set(
  'from coll into db as localField foreignField connectToField connectFromField'.split(' '),
);
/** Names of the list of a bulk write. */
const WRITES = new Set(['operations', 'aggregates', 'requests']);
/** Options, and members of commands, that hold expressions. */
const EXPRESSIONS = new Set(['pipeline', 'projection', 'let']);

/** What is at a path of a request. */
export function roleInMongo(path: readonly string[]): TextRole {
  const [member, ...inner] = path;
  if (inner.length === 0) return member === 'command' ? 'json' : 'value';
  if (path.some((each) => CODE.has(each))) return 'fixed';
  if (member === 'command' && inner.some((each) => CODE_OF_COMMANDS.has(each))) return 'fixed';
  const last = path.at(-1);
  if (last === '$regex') return 'regex';
  if (path.includes('$regularExpression')) return last === 'pattern' ? 'regex' : 'value';
  return isExpression(path) ? 'expression' : 'value';
}

/** Whether a text that begins with `$` would name a field there. */
function isExpression(path: readonly string[]): boolean {
  let found = false;
  const start = beginningOf(path);
  if (start !== undefined) found = true;
  for (let at = start ?? 1; at < path.length; at += 1) {
    const [each = '', before = ''] = [path[at], path[at - 1]];
    if (each === '$expr') found = true;
    else if (PLAIN.has(each)) found = false;
    else if (JOINS.has(before)) found = !OF_JOINS.has(each);
  }
  return found;
}

/** Behind which member everything is an expression or a pipeline; undefined where only `$expr` begins one. */
function beginningOf(path: readonly string[]): number | undefined {
  const [member = '', first = '', second = ''] = path;
  if (member === 'pipeline') return 1;
  if (member === 'options' && EXPRESSIONS.has(first.toLowerCase())) return 2;
  if (isList(path, 0)) return 1;
  if (WRITES.has(member)) return isList(path, 3) ? 4 : undefined;
  if (member !== 'command') return undefined;
  if (first === 'documents' || second === 'documents') return undefined;
  const at = path.findIndex((each, index) => EXPRESSIONS.has(each) || isList(path, index));
  return at < 0 ? undefined : at + 1;
}

/** Whether an update is there that is a list, and so a pipeline. */
function isList(path: readonly string[], at: number): boolean {
  return /^(?:update|u|updateMods)$/.test(path[at] ?? '') && /^\d+$/.test(path[at + 1] ?? '');
}

/** Why a value may not be in a request; undefined when it may. */
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
