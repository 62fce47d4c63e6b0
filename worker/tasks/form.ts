/** Whether values fit a task's form. Spec: workflows.md §3 `humanTask`, §6. */
import { wholeText } from '../../proto/decimal.ts';
import {
  isJsonObject,
  isRawJson,
  type Json,
  type JsonObject,
  numberText,
} from '../../proto/json.ts';

/** What is wrong with one field. */
interface FieldFault {
  readonly path: string;
  readonly message: string;
}

/** Digits of a whole number that is written with a fraction or an exponent: those of the largest double. */
const DIGITS_MAX = 309;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Every fault of a form's values. @param fields as the run made them */
export function formFaults(fields: readonly JsonObject[], values: JsonObject): FieldFault[] {
  const known = new Set(fields.map(({ id }) => id));
  const unknown = Object.keys(values)
    .filter((name) => !known.has(name))
    .map((name) => ({ path: `form.${name}`, message: 'is no field of the form' }));
  const wrong = fields.flatMap((field) => faultOf(field, values));
  return [...wrong, ...unknown];
}

function faultOf(field: JsonObject, values: JsonObject): FieldFault[] {
  const { id, required } = field;
  const name = String(id);
  const path = `form.${name}`;
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  if (value === undefined || value === null) {
    return required === true ? [{ path, message: 'is required' }] : [];
  }
  const message = mistake(field, value);
  return message === undefined ? [] : [{ path, message }];
}

/** The values that each type takes, without its options. */
const TYPES: Readonly<Record<string, { takes(value: Json): boolean; readonly message: string }>> = {
  boolean: { takes: (value) => typeof value === 'boolean', message: 'must be true or false' },
  number: { takes: isNumber, message: 'must be a number' },
  integer: { takes: isInteger, message: 'must be a whole number' },
  date: { takes: isDate, message: 'must be a date, such as 2026-01-31' },
  multiselect: { takes: Array.isArray, message: 'must be a list' },
};
const TEXT = { takes: (value: Json) => typeof value === 'string', message: 'must be a text' };

function mistake({ type, options }: JsonObject, value: Json): string | undefined {
  if (type === 'select') return choice(options, [value]);
  const { takes, message } = TYPES[String(type)] ?? TEXT;
  if (!takes(value)) return message;
  return type === 'multiselect' && Array.isArray(value) ? choice(options, value) : undefined;
}

function isNumber(value: Json): boolean {
  return typeof value === 'number' || isRawJson(value);
}

function isInteger(value: Json): boolean {
  if (typeof value !== 'number' && !isRawJson(value)) return false;
  return /^-?\d+$/.test(wholeText(numberText(value), DIGITS_MAX));
}

function isDate(value: Json): boolean {
  if (typeof value !== 'string' || !DATE.test(value)) return false;
  const time = Date.parse(`${value}T00:00:00Z`);
  return Number.isFinite(time) && new Date(time).toISOString().startsWith(value);
}

function choice(options: Json | undefined, chosen: readonly Json[]): string | undefined {
  const list = Array.isArray(options) ? options : [];
  const known = list.map((option) => (isJsonObject(option) ? option.value : option));
  const isKnown = (value: Json) => known.some((each) => each === value);
  return chosen.every(isKnown)
    ? undefined
    : `must be one of ${known.map((each) => JSON.stringify(each)).join(', ')}`;
}
