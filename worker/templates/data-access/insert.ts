/** What becomes of a caller's value where it is put into a request: data, whatever it holds. */

import type { Kind } from '../../../kinds/index.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../proto/json.ts';
import { inOrderOf } from '../../../proto/ordered-json.ts';
import { writtenText } from '../../../proto/written-json.ts';
import { isScalar } from './placeholder.ts';

/** Where a value is put. */
export interface Where {
  readonly kind: Kind;
  /** Of the request, in lower case. */
  readonly type: string;
  /** In a transaction `{"$result": …}` means something. Contract §6, "Transactions". */
  readonly inTransaction: boolean;
  /** Within the request. */
  readonly path: readonly string[];
}

/**
 * An array or object as data: no tag, bytes or reference that its author did not write. Scalars
 * are always just that.
 */
export function asData(where: Where, value: Json): Json {
  if (isScalar(value)) return value;
  switch (where.kind) {
    case 'postgres':
      return forPostgres(where, value);
    case 'mysql':
      return forMysql(where, value);
    case 'cassandra':
      return withoutTags(value, pairsOf);
    case 'clickhouse':
      return forClickhouse(where, value);
    case 'redis':
      return forRedis(where, value);
    default:
      return value;
  }
}

/** What is bound instead of a placeholder of a statement. ClickHouse gets a type with it, and text for objects. */
export function asParameter(where: Where, value: Json): Json {
  if (where.kind === 'clickhouse') return value;
  return asData({ ...where, path: ['params', ''] }, value);
}

/** `{"Json": x}` is x as it looks: an object is JSON, and an array holds no tags. */
function forPostgres(where: Where, value: Json): Json {
  const { inTransaction, path } = where;
  if (isParams(path)) return eachOf(value, (each) => asParameter(where, each));
  const { isTop, isLiteral } = depthOf(where);
  const data = isTop && (isJsonObject(value) || hasObject(value)) ? { Json: value } : value;
  return inTransaction && !isLiteral ? { $literal: data } : data;
}

/** Arrays and objects are their JSON text, which is what they are sent as. */
function forMysql(where: Where, value: Json): Json {
  const { inTransaction, path } = where;
  if (isParams(path)) return eachOf(value, (each) => asParameter(where, each));
  const { isTop, isLiteral } = depthOf(where);
  if (isTop) return writtenText(value);
  return inTransaction && !isLiteral ? { $literal: value } : value;
}

/** Whether an array holds an object, which might look like a tag. */
function hasObject(value: Json): boolean {
  return Array.isArray(value) && value.some((each) => isJsonObject(each) || hasObject(each));
}

function isParams(path: readonly string[]): boolean {
  return path.length === 1 && path[0] === 'params';
}

/** Rows are JSON in which bytes may be anywhere; an object that is a parameter is its JSON text then. */
function forClickhouse({ path }: Where, value: Json): Json {
  if (path[0] !== 'params') return withoutTags(value, writtenText);
  const change = (each: Json): Json => {
    if (Array.isArray(each)) return each.map(change);
    return isJsonObject(each) && mentionsTag(each) ? writtenText(each) : each;
  };
  return path.length === 1 ? eachOf(value, change) : change(value);
}

/** Members of commands that are one word, and those that are a list of them. */
const WORD = /^(?:value|element|member|message|field)$/;
const WORDS = /^(?:values|elements|members|fields|keys|args)$/;

/** A word is the JSON text of an object; in what has members of its own, none of them is bytes. */
function forRedis({ path }: Where, value: Json): Json {
  const [last = '', before = ''] = path.toReversed();
  const isWord = WORD.test(last) || (/^\d+$/.test(last) && WORDS.test(before));
  if (isWord && isJsonObject(value)) return writtenText(value);
  if (isWord && last === 'value') return writtenText(value);
  if ((isWord || WORDS.test(last)) && Array.isArray(value)) {
    return value.map((each) => (isScalar(each) ? each : writtenText(each)));
  }
  return withoutTags(value, writtenText);
}

function mentionsTag(value: Json): boolean {
  if (Array.isArray(value)) return value.some(mentionsTag);
  if (!isJsonObject(value)) return false;
  const names = Object.keys(value);
  const isTag = names.length === 1 && names[0]?.startsWith('$') === true;
  return isTag || Object.values(value).some(mentionsTag);
}

/** The members of a whole `params`: each is a parameter. */
function eachOf(value: Json, change: (each: Json) => Json): Json {
  if (Array.isArray(value)) return value.map((each) => (isScalar(each) ? each : change(each)));
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([name, each]) => [name, change(each)] as const);
  return Object.fromEntries(members);
}

/** Whether a place is a parameter as a whole, and whether its author made it a literal already. */
function depthOf({ path, type }: Where) {
  const inner = path.slice(1).filter((each) => each !== '$literal');
  const isTyped = type.startsWith('query_typed');
  const isTop = inner.length === (isTyped ? 2 : 1);
  return { isTop, isLiteral: inner.length < path.length - 1 };
}

/** A map as Cassandra takes it, too. */
function pairsOf(object: JsonObject): Json {
  return Object.entries(object).map(([name, each]) => [name, withoutTags(each, pairsOf)]);
}

/** With other forms of objects whose only member might be a tag. */
function withoutTags(value: Json, other: (object: JsonObject) => Json): Json {
  if (Array.isArray(value)) return value.map((each) => withoutTags(each, other));
  if (!isJsonObject(value)) return value;
  const names = Object.keys(value);
  if (names.length === 1 && names[0]?.startsWith('$')) return other(value);
  const entries = Object.entries(value).map(
    ([name, each]) => [name, withoutTags(each, other)] as const,
  );
  return inOrderOf(Object.fromEntries(entries), value);
}
