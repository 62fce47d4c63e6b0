/** Types of ClickHouse for values that say nothing about their column: out of a fixed list, by the value. Contract §8. */
import {
  isJsonObject,
  isRawJson,
  type Json,
  numberText,
  type RawJson,
} from '../../../proto/json.ts';
import { isScalar } from './placeholder.ts';

/** Digits of ClickHouse's largest decimal. Source: ClickHouse manual, "Decimal". */
const DECIMAL_DIGITS = 76;

/** A value with the type that it is bound as. */
interface Typed {
  readonly type: string;
  readonly value: Json;
}

/** Objects are their JSON text; arrays are arrays of what their elements have in common. */
export function typedValue(value: Json): Typed {
  const type = typeOf(value);
  return { type, value: asType(value, type) };
}

function typeOf(value: Json): string {
  if (value === null) return 'Nullable(String)';
  if (typeof value === 'boolean') return 'Bool';
  if (typeof value === 'number' || isRawJson(value)) return numberType([numberText(value)]);
  return Array.isArray(value) ? `Array(${elementType(value)})` : 'String';
}

function elementType(values: readonly Json[]): string {
  const there = values.filter((each) => each !== null);
  if (there.length > 0 && there.every(Array.isArray)) return `Array(${elementType(there.flat())})`;
  const type = commonType(there);
  return there.length < values.length ? `Nullable(${type})` : type;
}

function commonType(values: readonly Json[]): string {
  const numbers = values.filter((each) => typeof each === 'number' || isRawJson(each));
  if (numbers.length > 0 && numbers.length === values.length) {
    return numberType(numbers.map(numberText));
  }
  const isAll = values.length > 0 && values.every((each) => typeof each === 'boolean');
  return isAll ? 'Bool' : 'String';
}

const LONG = 2n ** 63n;
const UNSIGNED = 2n ** 64n;
const LARGEST = 2n ** 255n;

/** What holds all of them without losing a digit; text where nothing does. */
function numberType(texts: readonly string[]): string {
  if (texts.every((text) => /^-?\d+$/.test(text))) return integerType(texts.map(BigInt));
  const isDouble = texts.every((text) => /e/i.test(text) || text.replace(/\D/g, '').length <= 15);
  if (isDouble) return 'Float64';
  if (texts.some((text) => /e/i.test(text))) return 'String';
  const scale = Math.max(...texts.map((text) => text.split('.')[1]?.length ?? 0));
  const whole = Math.max(...texts.map((text) => text.replace(/\..*|-/g, '').length));
  return scale + whole <= DECIMAL_DIGITS ? `Decimal(${DECIMAL_DIGITS}, ${scale})` : 'String';
}

function integerType(values: readonly bigint[]): string {
  if (values.every((value) => value >= -LONG && value < LONG)) return 'Int64';
  if (values.every((value) => value >= 0n && value < UNSIGNED)) return 'UInt64';
  return values.every((value) => value >= -LARGEST && value < LARGEST) ? 'Int256' : 'String';
}

function asType(value: Json, type: string): Json {
  if (value === null) return null;
  if (Array.isArray(value) && type.startsWith('Array(')) {
    const inner = type.slice('Array('.length, -1);
    return value.map((each) => asType(each, inner));
  }
  if (isJsonObject(value) || !isScalar(value)) return JSON.stringify(value);
  const isText = type === 'String' || type === 'Nullable(String)';
  if (!isText || typeof value === 'string') return value;
  return typeof value === 'boolean' ? String(value) : numberText(value as number | RawJson); // Nothing else is left.
}
