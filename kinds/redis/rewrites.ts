/** Members that mean another member than their grammar says. Source: backends.md §4.2, §4.4, Spec: "Key-value store requests". */
import { isJsonObject, type Json, type JsonObject } from '../../proto/json.ts';
import { onlyNameOf } from '../../proto/ordered-json.ts';
import { plainName } from './grammar.ts';
import { isMembers } from './words.ts';

/** By the command's name: its members in the grammar's form. */
export const REWRITES: Readonly<Record<string, (members: JsonObject) => JsonObject>> = {
  vsim,
  'client kill': ({ filter = null, ...others }) => ({ ...others, filter: joined(filter) }),
};

/** `element` is what the vectors are like, or `{Vector: number of neighbours}`. */
function vsim({ element, ...others }: JsonObject): JsonObject {
  if (element === undefined) return others;
  const only = isMembers(element) ? onlyNameOf(element) : undefined;
  const named = only === undefined ? undefined : plainName(only);
  const isNamed = isMembers(element) && (named === 'element' || named === 'vector');
  const inner = isNamed ? (element[only ?? ''] ?? null) : element;
  const { value } = others;
  const sort = typeof value === 'string' ? plainName(value) : undefined;
  if (sort === 'ele') return { ...others, value: { ELE: inner } };
  if (sort === 'fp32') return { ...others, value: { FP32: inner } };
  if (value === undefined) return { ...others, value: { ELE: inner } };
  return named === 'vector' ? { count: inner, ...others } : { ...others, element };
}

/** Addresses as one text each, at any depth. */
function joined(value: Json): Json {
  if (Array.isArray(value)) return value.map(joined);
  if (!isJsonObject(value)) return value;
  const { ip, port, ...others } = value;
  if (ip !== undefined && port !== undefined && Object.keys(others).length === 0) {
    return `${ip}:${port}`;
  }
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, joined(each)]));
}
