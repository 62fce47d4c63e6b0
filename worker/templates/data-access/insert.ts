/** What becomes of a caller's value where it is put into a request: data, whatever it holds. */
import { GatewayError } from '../../../proto/errors.ts';
import { isJsonObject, isRawJson, type Json, type JsonObject } from '../../../proto/json.ts';
import type { Kind } from '../../../proto/kinds/index.ts';
import { textOf } from './placeholder.ts';

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

/**
 * The value as it stands in the request.
 * @param place where: in a URL it is encoded, as a name it may be no operator
 * @throws GatewayError BAD_REQUEST for what the backend would take for an operator
 */
export function insert(kind: Kind, place: string, value: Json, name: string): Json {
  if (place === 'url') {
    return isScalar(value) ? encodedPath(textOf(value)) : value;
  }
  if (kind === 'mongo') refuseOperators(value, place, name);
  if ((kind === 'postgres' || kind === 'mysql') && isJsonObject(value)) return literal(value);
  return value;
}

function isScalar(value: Json): boolean {
  return typeof value !== 'object' || value === null || isRawJson(value);
}

/** A whole path: its slashes part segments, all else is data. */
function encodedPath(text: string): string {
  return text.split('/').map(encodeURIComponent).join('/');
}

/** An object whose only member is a tag or a reference is data as well: said so by one more member that is none. */
function literal(value: JsonObject): Json {
  const [only, ...others] = Object.keys(value);
  const mayMean = only !== undefined && others.length === 0;
  return mayMean ? JSON.stringify(value) : value;
}

function refuseOperators(value: Json, place: string, name: string): void {
  if (typeof value === 'string') {
    if (place === 'name' && value.startsWith('$')) throw operator(name);
    return;
  }
  if (Array.isArray(value)) {
    for (const each of value) refuseOperators(each, 'value', name);
  } else if (isJsonObject(value)) {
    for (const [member, each] of Object.entries(value)) {
      if (member.startsWith('$') && !EXTENDED.has(member)) throw operator(name);
      refuseOperators(each, 'value', name);
    }
  }
}

function operator(name: string): GatewayError {
  const message = "may hold no operator: names that begin with $ are the template's alone";
  return new GatewayError('BAD_REQUEST', `${name}: ${message}`, {
    details: [{ path: name, message }],
  });
}
