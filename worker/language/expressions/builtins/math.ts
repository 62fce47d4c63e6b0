/** `Math` and `Number`: everything of them that depends on its arguments alone. */
import type { Budget } from '../budget.ts';
import { payDigits, toNumber, toText } from '../convert.ts';
import { Callable, isExact, type Value } from '../value.ts';

const CONSTANTS = ['E', 'LN10', 'LN2', 'LOG10E', 'LOG2E', 'PI', 'SQRT1_2', 'SQRT2'] as const;
const OF_ONE = [
  ...['abs', 'acos', 'acosh', 'asin', 'asinh', 'atan', 'atanh', 'cbrt', 'ceil', 'clz32', 'cos'],
  ...['cosh', 'exp', 'expm1', 'floor', 'fround', 'log', 'log10', 'log1p', 'log2', 'round', 'sign'],
  ...['sin', 'sinh', 'sqrt', 'tan', 'tanh', 'trunc'],
];

type OfNumber = (value: number) => number;

function ofOne(name: string): Callable {
  // The list above names functions of one number only.
  const operation = Reflect.get(Math, name) as OfNumber;
  const callable = new Callable(name, 1, ([value], budget) => operation(toNumber(value, budget)));
  OPERATIONS.set(callable, operation);
  return callable;
}

const OPERATIONS = new Map<Callable, OfNumber>();

/** What a built-in does with its one number, when that is all it does. */
export function numberOperation(callable: Callable): OfNumber | undefined {
  return OPERATIONS.get(callable);
}

function ofTwo(name: string, operation: (one: number, other: number) => number): Callable {
  return new Callable(name, 2, ([one, other], budget) =>
    operation(toNumber(one, budget), toNumber(other, budget)),
  );
}

/** Of any count of numbers; the arguments are charged where they are made. */
function ofMany(name: string, operation: (numbers: readonly number[]) => number): Callable {
  return new Callable(name, Number.POSITIVE_INFINITY, (args, budget) => {
    budget.spend(args.length >> 1);
    return operation(args.map((each) => toNumber(each, budget)));
  });
}

const MANY: readonly Callable[] = [
  ofMany('max', (numbers) => numbers.reduce((one, other) => Math.max(one, other), -Infinity)),
  ofMany('min', (numbers) => numbers.reduce((one, other) => Math.min(one, other), Infinity)),
  // Few enough fit into one call; of more, the sum of squares is as good as it gets.
  ofMany('hypot', (numbers) =>
    numbers.length <= 1000
      ? Math.hypot(...numbers)
      : Math.sqrt(numbers.reduce((sum, each) => sum + each * each, 0)),
  ),
  ofTwo('atan2', Math.atan2),
  ofTwo('imul', Math.imul),
  ofTwo('pow', (one, other) => one ** other),
];

/** The members of `Math`; `random` is not among them. */
export const MATH: ReadonlyMap<string, Value> = new Map<string, Value>([
  ...CONSTANTS.map((name): [string, Value] => [name, Math[name]]),
  ...OF_ONE.map((name): [string, Value] => [name, ofOne(name)]),
  ...MANY.map((each): [string, Value] => [each.calledName, each]),
]);

function test(name: string, holds: (value: number) => boolean): Callable {
  return new Callable(name, 1, ([value]) => {
    if (typeof value === 'number') return holds(value);
    return isExact(value) && holds(Number(value.rawJSON));
  });
}

function parseInteger([value, radix]: Value[], budget: Budget): number {
  const text = toText(value, budget);
  payDigits(text, budget);
  return Number.parseInt(text, toNumber(radix, budget));
}

function parseDecimal([value]: Value[], budget: Budget): number {
  const text = toText(value, budget);
  payDigits(text, budget);
  return Number.parseFloat(text);
}

export const PARSE_INT = new Callable('parseInt', 2, parseInteger);
export const PARSE_FLOAT = new Callable('parseFloat', 1, parseDecimal);

/** The members of `Number`. */
export const NUMBER: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['EPSILON', Number.EPSILON],
  ['MAX_SAFE_INTEGER', Number.MAX_SAFE_INTEGER],
  ['MAX_VALUE', Number.MAX_VALUE],
  ['MIN_SAFE_INTEGER', Number.MIN_SAFE_INTEGER],
  ['MIN_VALUE', Number.MIN_VALUE],
  ['NaN', Number.NaN],
  ['NEGATIVE_INFINITY', Number.NEGATIVE_INFINITY],
  ['POSITIVE_INFINITY', Number.POSITIVE_INFINITY],
  ['isFinite', test('isFinite', Number.isFinite)],
  ['isInteger', test('isInteger', Number.isInteger)],
  ['isNaN', test('isNaN', Number.isNaN)],
  ['isSafeInteger', test('isSafeInteger', Number.isSafeInteger)],
  ['parseFloat', PARSE_FLOAT],
  ['parseInt', PARSE_INT],
]);
