/** Transformers of numbers and of points in time. */
import { isRawJson, type Json, numberText } from '../../../../proto/json.ts';
import { compileExpression, type Expression } from '../../../language/expressions/index.ts';
import type { Execution } from '../execution.ts';
import { RuleFault } from '../failure.ts';
import { numberOf, type Rounding, rounded } from './decimal.ts';
import { kindOf, numberIn, type Transformer } from './transformer.ts';

/** Most decimals that a number can be rounded to. Spec silent. */
const DECIMALS_MAX = 100;
const decimals = [
  { name: 'decimals', kind: 'integer', isOptional: true, least: -DECIMALS_MAX, most: DECIMALS_MAX },
] as const;

/** Doubles from here on are written with as many digits as they have. */
const SHORT = 1e21;
/** What rounding takes, of numbers of few digits and of up to a thousand. */
const STEPS = { short: 30, long: 80 } as const;

function rounding(how: Rounding): Transformer['make'] {
  return ([places = 0]) =>
    (value, x) => {
      const number = numberIn(value);
      const isShort = typeof number === 'number' && Math.abs(number) < SHORT;
      x.spend(isShort ? STEPS.short : STEPS.long);
      return rounded(number, Number(places), how);
    };
}

export const NUMBER: readonly Transformer[] = [
  {
    name: 'toNumber',
    about: 'Makes a number of its text, with every digit; true is 1 and false is 0.',
    example: { input: ' 19.90 ', output: 19.9 },
    passesNumbers: true,
    make: () => (value, x) => toNumber(value, x),
  },
  {
    name: 'round',
    args: decimals,
    about: 'Rounds to so many decimals, none when left out; halves go away from zero.',
    example: { input: 1.005, args: [2], output: 1.01 },
    make: rounding('half'),
  },
  {
    name: 'floor',
    args: decimals,
    about: 'The nearest number of so many decimals that is not greater.',
    example: { input: -1.2, output: -2 },
    make: rounding('down'),
  },
  {
    name: 'ceil',
    args: decimals,
    about: 'The nearest number of so many decimals that is not less.',
    example: { input: 1.21, args: [1], output: 1.3 },
    make: rounding('up'),
  },
  {
    name: 'abs',
    about: 'The number without its sign.',
    example: { input: -3, output: 3 },
    make: () => (value) => {
      const number = numberIn(value);
      if (typeof number === 'number') return Math.abs(number);
      return JSON.rawJSON(number.rawJSON.replace(/^-/, ''));
    },
  },
  {
    name: 'toDate',
    about:
      'Makes ISO 8601 text in UTC, with milliseconds, of ISO text or of milliseconds since 1970.',
    example: { input: '2026-11-21T10:00:00+02:00', output: '2026-11-21T08:00:00.000Z' },
    make: () => (value, x) => {
      x.spend(12);
      return new Date(timeOf(value, x)).toISOString();
    },
  },
  {
    name: 'toTimestamp',
    about: 'Makes milliseconds since 1970 of ISO 8601 text; text without a zone is UTC.',
    example: { input: '1970-01-02', output: 86_400_000 },
    make: () => (value, x) => timeOf(value, x),
  },
];

const NUMBER_TEXT = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const LONGEST = 10_000;

function toNumber(value: Json, x: Execution): Json {
  if (typeof value === 'number' || isRawJson(value)) return value;
  if (typeof value === 'boolean') return Number(value);
  if (typeof value !== 'string') throw new RuleFault(`takes a text, not ${kindOf(value)}`);
  const text = value.length > LONGEST ? '' : value.trim();
  x.spend(10 + (text.length >> 1));
  const [, sign, digits = '', exponent = ''] = NUMBER_TEXT.exec(text) ?? [];
  if (digits === '') throw new RuleFault('takes the text of a number, such as -12.50');
  return numberOf(`${sign === '-' ? '-' : ''}${mantissa(digits)}${exponent}`);
}

/** As JSON has it: without zeros before, and with digits on both sides of the point. */
function mantissa(digits: string): string {
  const [whole = '', fraction = ''] = digits.split('.');
  const plain = whole.replace(/^0+/, '');
  return `${plain === '' ? '0' : plain}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Read by the language, so that texts mean the same in expressions. */
let parse: Expression | undefined;

function timeOf(value: Json, x: Execution): number {
  if (typeof value === 'number' || isRawJson(value)) return inRange(Number(numberText(value)));
  if (typeof value !== 'string')
    throw new RuleFault(`takes a text or a number, not ${kindOf(value)}`);
  parse ??= compileExpression('Date.parse(text)', { names: ['text'] });
  return inRange(Number(parse.run([value], x.budget)));
}

/** ECMAScript's own range of dates. */
function inRange(time: number): number {
  if (Math.abs(time) <= 8.64e15) return Math.trunc(time);
  throw new RuleFault('takes a date in ISO 8601, such as 2026-11-21T08:00:00Z');
}
