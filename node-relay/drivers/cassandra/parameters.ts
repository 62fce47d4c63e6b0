/** Writes parameters as bytes, in pieces, each by the type that the statement gives its marker. */
import cassandra from 'cassandra-driver';
import { badRequest, type GatewayError } from '../../../proto/errors.ts';
import { isJsonObject, type Json } from '../../../proto/json.ts';
import { namesOf, onlyNameOf } from '../../../proto/ordered-json.ts';
import type { Pieces } from '../../../proto/work/pieces.ts';
import { encoded, Unfit } from './encode.ts';
import { type CqlType, cqlType } from './marshal.ts';
import type { ProtocolColumn } from './metadata.ts';

/** Values of a statement's markers. */
export type Params = readonly Json[] | { readonly [name: string]: Json } | undefined;
/** The bytes of a value, null, or what leaves a column as it is. */
export type EncodedValue = Buffer | null | object;

/**
 * Values in the order of the markers.
 * @param path where the parameters are in the request
 * @throws GatewayError BAD_REQUEST
 */
export function* encodedParams(
  columns: readonly ProtocolColumn[],
  params: Params = [],
  path = 'params',
): Pieces<EncodedValue[]> {
  const each = isList(params)
    ? positional(columns, params, path)
    : namedValues(columns, params, path);
  const values: EncodedValue[] = [];
  for (const { value, type, at } of each) values.push(yield* topLevel(value, cqlType(type), at));
  return values;
}

/** The value of a marker, and where it is in the request. */
interface Marked {
  readonly value: Json;
  readonly type: ProtocolColumn['type'];
  readonly at: string;
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
): Marked[] {
  if (params.length !== columns.length) {
    throw refusal(
      path,
      `has ${params.length} values where the statement has ${columns.length} markers`,
    );
  }
  return columns.map(({ type }, index) => ({
    value: params[index] ?? null,
    type,
    at: `${path}.${index}`,
  }));
}

/** Names without quotes are in small letters on the server, whatever the statement wrote. */
function namedValues(
  columns: readonly ProtocolColumn[],
  params: { readonly [name: string]: Json },
  path: string,
): Marked[] {
  const used = new Set<string>();
  const given = new Map(namesOf(params).map((name) => [name.toLowerCase(), name]));
  const values = columns.map(({ name, type }) => {
    const own = Object.hasOwn(params, name) ? name : given.get(name);
    if (own === undefined)
      throw refusal(`${path}.${name}`, 'is required: the statement has that marker');
    used.add(own);
    return { value: params[own] ?? null, type, at: `${path}.${own}` };
  });
  const extra = namesOf(params).find((name) => !used.has(name));
  if (extra !== undefined) throw refusal(`${path}.${extra}`, 'is no marker of the statement');
  return values;
}

function* topLevel(value: Json, type: CqlType, path: string): Pieces<EncodedValue> {
  if (value === null) return null;
  if (isJsonObject(value) && value.$unset === true && onlyNameOf(value) !== undefined) {
    return cassandra.types.unset;
  }
  try {
    return yield* encoded(value, type);
  } catch (cause) {
    if (!(cause instanceof Unfit)) throw cause;
    throw refusal([path, ...cause.within].join('.'), cause.problem);
  }
}

function refusal(path: string, problem: string): GatewayError {
  return badRequest(path.slice(0, 200), problem, `${path}: ${problem}`.slice(0, 500));
}
