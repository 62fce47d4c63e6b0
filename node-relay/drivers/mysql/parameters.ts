/** Turns JSON values into the parameters of a prepared statement, without losing a digit. */
import { GatewayError } from '../../../proto/errors.ts';
import { isJsonObject, isRawJson, type Json, numberText } from '../../../proto/json.ts';
import { COMMAND, command, lengthPrefix } from './packets.ts';
import { TYPE } from './types.ts';
import type { Prepared } from './wire.ts';

/** One parameter: the type it is sent as, and its bytes; null is NULL. */
interface Bound {
  readonly type: number;
  readonly unsigned: boolean;
  readonly bytes: Buffer | null;
}

const NULL: Bound = { type: TYPE.null, unsigned: false, bytes: null };
const LONG_MAX = 2n ** 63n;
const INTEGER = /^-?\d+$/;
/** Digits that a DECIMAL can have. */
const DECIMAL_MAX = 65;
const PLAIN_DECIMAL = /^-?\d+\.\d+$/;

/**
 * The command that executes a statement. Source: MySQL Internals, "COM_STMT_EXECUTE".
 * @throws GatewayError BAD_REQUEST for a wrong number of values, or one that cannot be bound
 */
export function executeCommand(prepared: Prepared, values: readonly Json[]): Buffer {
  if (values.length !== prepared.parameters) {
    const message = `The statement has ${prepared.parameters} parameters, and ${values.length} values were given`;
    throw new GatewayError('BAD_REQUEST', message, { details: [{ path: 'params', message }] });
  }
  const head = Buffer.alloc(10);
  head[0] = COMMAND.execute;
  head.writeUInt32LE(prepared.id, 1);
  // No cursor; the count of iterations is always 1.
  head.writeUInt32LE(1, 6);
  if (values.length === 0) return command(head);
  const bound = values.map(boundValue);
  const nulls = Buffer.alloc((bound.length + 7) >> 3);
  const types = Buffer.alloc(1 + 2 * bound.length);
  types[0] = 1;
  for (const [index, { type, unsigned, bytes }] of bound.entries()) {
    if (bytes === null) nulls[index >> 3] = (nulls[index >> 3] ?? 0) | (1 << (index & 7));
    types[1 + 2 * index] = type;
    types[2 + 2 * index] = unsigned ? 0x80 : 0;
  }
  const bytes = bound.flatMap((each) => (each.bytes === null ? [] : [each.bytes]));
  return command(Buffer.concat([head, nulls, types, ...bytes]));
}

function boundValue(value: Json, index: number): Bound {
  if (value === null) return NULL;
  if (typeof value === 'string') return text(TYPE.varstring, value);
  if (typeof value === 'boolean') {
    return { type: TYPE.tiny, unsigned: false, bytes: Buffer.from([value ? 1 : 0]) };
  }
  if (typeof value === 'number' || isRawJson(value)) return boundNumber(numberText(value));
  if (isJsonObject(value) && '$bytes' in value && Object.keys(value).length === 1) {
    return boundBytes(value.$bytes, index);
  }
  if (isJsonObject(value) && '$date' in value && Object.keys(value).length === 1) {
    return text(TYPE.varstring, utcText(value.$date, index));
  }
  return text(TYPE.varstring, JSON.stringify(value));
}

/** A moment of RFC 3339: its date and time, its fraction, its zone. */
const MOMENT = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(\.\d{1,6})?(Z|[+-]\d\d:\d\d)$/;

/** As servers read it, in the session's zone, which is UTC: they take no `Z`. */
function utcText(value: Json | undefined, index: number): string {
  const [, date, time, fraction = '', zone] = MOMENT.exec(String(value)) ?? [];
  const moment = new Date(`${date}T${time}${zone}`);
  if (typeof value !== 'string' || Number.isNaN(moment.getTime())) {
    throw badValue(`params.${index}.$date`, 'is not a date and time with a zone');
  }
  return moment.toISOString().replace('T', ' ').slice(0, 19) + fraction;
}

function text(type: number, value: string): Bound {
  const bytes = Buffer.from(value);
  return { type, unsigned: false, bytes: Buffer.concat([lengthPrefix(bytes.length), bytes]) };
}

/** Integers of 64 bits and decimals exactly; what neither holds as a double. */
function boundNumber(digits: string): Bound {
  if (INTEGER.test(digits)) {
    const value = BigInt(digits);
    const signed = value < LONG_MAX && value >= -LONG_MAX;
    if (signed || (value > 0n && value < 2n * LONG_MAX)) {
      const bytes = Buffer.alloc(8);
      bytes.writeBigUInt64LE(BigInt.asUintN(64, value));
      return { type: TYPE.longlong, unsigned: !signed, bytes };
    }
    if (digits.length <= DECIMAL_MAX) return text(TYPE.newdecimal, digits);
  }
  if (PLAIN_DECIMAL.test(digits) && digits.length <= DECIMAL_MAX + 2) {
    return text(TYPE.newdecimal, digits);
  }
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(Number(digits));
  return { type: TYPE.double, unsigned: false, bytes };
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

function boundBytes(value: Json | undefined, index: number): Bound {
  if (typeof value !== 'string' || !BASE64.test(value)) {
    throw badValue(`params.${index}.$bytes`, 'is not base64');
  }
  const bytes = Buffer.from(value, 'base64');
  return {
    type: TYPE.blob,
    unsigned: false,
    bytes: Buffer.concat([lengthPrefix(bytes.length), bytes]),
  };
}

/**
 * The values in the order of a statement's names.
 * @throws GatewayError BAD_REQUEST naming a value that is missing or that no name asks for
 */
export function namedValues(
  names: readonly string[],
  params: { readonly [name: string]: Json },
): readonly Json[] {
  const unknown = Object.keys(params).find((name) => !names.includes(name));
  if (unknown !== undefined) throw badName(unknown, 'the statement has no parameter of that name');
  return names.map((name) => {
    const value = Object.hasOwn(params, name) ? params[name] : undefined;
    if (value === undefined) throw badName(name, 'is required by the statement');
    return value;
  });
}

function badName(name: string, problem: string): GatewayError {
  return badValue(`params.${name.slice(0, 64)}`, problem);
}

function badValue(path: string, message: string): GatewayError {
  return new GatewayError('BAD_REQUEST', `${path}: ${message}`, { details: [{ path, message }] });
}
