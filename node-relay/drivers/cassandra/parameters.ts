/** Writes parameters as bytes, each by the type that the statement gives its marker. */
import cassandra from 'cassandra-driver';
import { badRequest, type GatewayError } from '../../../proto/errors.ts';
import { isJsonObject, type Json, numberText, type RawJson } from '../../../proto/json.ts';
import { namesOf, onlyNameOf } from '../../../proto/ordered-json.ts';
import { type CqlType, cqlType, fixedLength, typeName } from './marshal.ts';
import type { ProtocolColumn } from './metadata.ts';
import { vint } from './numbers.ts';
import { isNumber, SIMPLE_WRITERS } from './scalars.ts';

/** Values of a statement's markers. */
export type Params = readonly Json[] | { readonly [name: string]: Json } | undefined;
/** The bytes of a value, null, or what leaves a column as it is. */
type EncodedValue = Buffer | null | object;

/**
 * Values in the order of the markers.
 * @param path where the parameters are in the request
 * @throws GatewayError BAD_REQUEST
 */
export function encodedParams(
  columns: readonly ProtocolColumn[],
  params: Params = [],
  path = 'params',
): EncodedValue[] {
  return isList(params) ? positional(columns, params, path) : namedValues(columns, params, path);
}

function isList(
  params: readonly Json[] | { readonly [name: string]: Json },
): params is readonly Json[] {
  return Array.isArray(params);
}

function positional(
  columns: readonly ProtocolColumn[],
  params: readonly Json[],
  path: string,
): EncodedValue[] {
  if (params.length !== columns.length) {
    throw refusal(
      path,
      `has ${params.length} values where the statement has ${columns.length} markers`,
    );
  }
  return columns.map(({ type }, index) =>
    topLevel(params[index] ?? null, cqlType(type), `${path}.${index}`),
  );
}

/** Names without quotes are in small letters on the server, whatever the statement wrote. */
function namedValues(
  columns: readonly ProtocolColumn[],
  params: { readonly [name: string]: Json },
  path: string,
): EncodedValue[] {
  const used = new Set<string>();
  const given = new Map(namesOf(params).map((name) => [name.toLowerCase(), name]));
  const values = columns.map(({ name, type }) => {
    const own = Object.hasOwn(params, name) ? name : given.get(name);
    if (own === undefined)
      throw refusal(`${path}.${name}`, 'is required: the statement has that marker');
    used.add(own);
    return topLevel(params[own] ?? null, cqlType(type), `${path}.${own}`);
  });
  const extra = namesOf(params).find((name) => !used.has(name));
  if (extra !== undefined) throw refusal(`${path}.${extra}`, 'is no marker of the statement');
  return values;
}

function topLevel(value: Json, type: CqlType, path: string): EncodedValue {
  if (value === null) return null;
  if (isJsonObject(value) && value.$unset === true && onlyNameOf(value) !== undefined) {
    return cassandra.types.unset;
  }
  return bytesOf(value, type, path);
}

function bytesOf(value: Json, type: CqlType, path: string): Buffer {
  switch (type.kind) {
    case 'simple':
      return scalar(value, type.name, path);
    case 'list':
    case 'set': {
      const items = arrayOf(value, type, path);
      return counted(
        items.length,
        items.map((item, index) => cell(item, type.of, `${path}.${index}`)),
      );
    }
    case 'map': {
      const pairs = pairsOf(value, type, path);
      const parts = pairs.flatMap(([key, inner]) => {
        const at = `${path}.${shown(key)}`;
        return [cell(key, type.key, at), cell(inner, type.value, at)];
      });
      return counted(pairs.length, parts);
    }
    case 'tuple':
      return Buffer.concat(
        sized(value, type, type.of.length, path).map((item, index) =>
          nullable(item, type.of[index] ?? type, `${path}.${index}`),
        ),
      );
    case 'vector':
      return vectorOf(sized(value, type, type.size, path), type, path);
    case 'udt':
      return userDefined(value, type, path);
  }
}

/** Writes a value of a type that contains no others. */
function scalar(value: Json, name: string, path: string): Buffer {
  const write = SIMPLE_WRITERS[name];
  const result = write?.(value) ?? `cannot be a value of type ${name}`;
  if (typeof result === 'string') throw refusal(path, result);
  return result;
}

function userDefined(value: Json, type: CqlType & { kind: 'udt' }, path: string): Buffer {
  if (!isJsonObject(value)) throw refusal(path, `must be an object for type ${type.name}`);
  const known = new Set(type.fields.map(({ name }) => name));
  const extra = namesOf(value).find((name) => !known.has(name));
  if (extra !== undefined) throw refusal(`${path}.${extra}`, `is no field of type ${type.name}`);
  return Buffer.concat(
    type.fields.map((field) => {
      const own = Object.hasOwn(value, field.name) ? value[field.name] : null;
      return nullable(own ?? null, field.type, `${path}.${field.name}`);
    }),
  );
}

function vectorOf(items: Json[], type: CqlType & { kind: 'vector' }, path: string): Buffer {
  const isFixed = fixedLength(type.of) !== undefined;
  const parts = items.map((item, index) => {
    const at = `${path}.${index}`;
    if (item === null) throw refusal(at, 'must not be null');
    const bytes = bytesOf(item, type.of, at);
    return isFixed ? bytes : Buffer.concat([vint(BigInt(bytes.length)), bytes]);
  });
  return Buffer.concat(parts);
}

function arrayOf(value: Json, type: CqlType, path: string): Json[] {
  if (!Array.isArray(value)) throw refusal(path, `must be an array for type ${typeName(type)}`);
  return value;
}

function sized(value: Json, type: CqlType, size: number, path: string): Json[] {
  const items = arrayOf(value, type, path);
  if (items.length === size) return items;
  throw refusal(path, `must have ${size} elements for type ${typeName(type)}`);
}

/** An object, or an array of `[key, value]`. */
function pairsOf(value: Json, type: CqlType, path: string): (readonly [Json, Json])[] {
  if (isJsonObject(value)) return namesOf(value).map((name) => [name, value[name] ?? null]);
  if (Array.isArray(value)) {
    return value.map((pair, index) => {
      if (!Array.isArray(pair) || pair.length !== 2) {
        throw refusal(`${path}.${index}`, 'must be an array of a key and a value');
      }
      return [pair[0] ?? null, pair[1] ?? null] as const;
    });
  }
  const forms = 'an object, or an array of [key, value],';
  throw refusal(path, `must be ${forms} for type ${typeName(type)}`);
}

function shown(key: Json): string {
  if (typeof key === 'string') return key;
  return isNumber(key) ? numberText(key as number | RawJson) : JSON.stringify(key).slice(0, 64);
}

function counted(count: number, parts: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(4);
  head.writeInt32BE(count);
  return Buffer.concat([head, ...parts]);
}

function cell(value: Json, type: CqlType, path: string): Buffer {
  if (value === null) throw refusal(path, 'must not be null inside a collection');
  return nullable(value, type, path);
}

function nullable(value: Json, type: CqlType, path: string): Buffer {
  const head = Buffer.alloc(4);
  if (value === null) {
    head.writeInt32BE(-1);
    return head;
  }
  const bytes = bytesOf(value, type, path);
  head.writeInt32BE(bytes.length);
  return Buffer.concat([head, bytes]);
}

function refusal(path: string, problem: string): GatewayError {
  return badRequest(path.slice(0, 200), problem, `${path}: ${problem}`.slice(0, 500));
}
