/** What becomes of a caller's value where it is put into a request: data, whatever it holds. */
import { isJsonObject, type Json, type JsonObject } from '../../../proto/json.ts';
import type { Kind } from '../../../proto/kinds/index.ts';
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
    case 'redis':
      return withoutTags(value, (object) => JSON.stringify(object));
    default:
      return value;
  }
}

/** What is bound in place of a placeholder of a statement. */
export function asParameter(where: Where, value: Json): Json {
  return asData({ ...where, path: ['params', ''] }, value);
}

/** `{"Json": x}` is x as JSON, whatever it looks like; tags are read at a parameter's top alone. */
function forPostgres(where: Where, value: Json): Json {
  const { inTransaction, path } = where;
  if (isParams(path)) return eachOf(value, (each) => asParameter(where, each));
  const { isTop, isLiteral } = depthOf(where);
  const data = isTop && isJsonObject(value) ? { Json: value } : value;
  return inTransaction && !isLiteral ? { $literal: data } : data;
}

/** Arrays and objects are their JSON text, which is what they are sent as. */
function forMysql(where: Where, value: Json): Json {
  const { inTransaction, path } = where;
  if (isParams(path)) return eachOf(value, (each) => asParameter(where, each));
  const { isTop, isLiteral } = depthOf(where);
  if (isTop) return JSON.stringify(value);
  return inTransaction && !isLiteral ? { $literal: value } : value;
}

function isParams(path: readonly string[]): boolean {
  return path.length === 1 && path[0] === 'params';
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
  return Object.fromEntries(entries);
}
