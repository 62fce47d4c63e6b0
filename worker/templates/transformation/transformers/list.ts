/** Transformers of arrays; some take texts as well. */
import {
  isJsonObject,
  isRawJson,
  type Json,
  numberText,
  type RawJson,
} from '../../../../proto/json.ts';
import { plainNumber } from '../../../../proto/passed.ts';
import { sortedText } from '../checks.ts';
import type { Execution } from '../execution.ts';
import { RuleFault } from '../failure.ts';
import { numberFrom, sumOf } from './decimal.ts';
import { order, sorted } from './sort.ts';
import {
  chargedArray,
  chargedText,
  kindOf,
  memberSteps,
  numberIn,
  type Transformer,
  textIn,
} from './transformer.ts';

const by = { name: 'by', kind: 'name', isOptional: true } as const;

export const LIST: readonly Transformer[] = [
  {
    name: 'join',
    args: [{ name: 'separator', kind: 'text', isOptional: true }],
    about: 'Makes one text of the elements, with a comma or another separator between.',
    example: { input: ['a', 1, true], args: [' '], output: 'a 1 true' },
    make:
      ([separator = ',']) =>
      (value, x) =>
        joined(chargedArray(value, x), textIn(separator), x),
  },
  {
    name: 'first',
    about: 'The first element of an array; of an empty one nothing.',
    example: { input: [3, 2, 1], output: 3 },
    make: () => (value) => arrayIn(value)[0],
  },
  {
    name: 'last',
    about: 'The last element of an array; of an empty one nothing.',
    example: { input: [3, 2, 1], output: 1 },
    make: () => (value) => arrayIn(value).at(-1),
  },
  {
    name: 'length',
    about: 'How many elements an array, members an object, or characters a text has.',
    example: { input: ['a', 'b'], output: 2 },
    make: () => (value, x) => {
      if (typeof value === 'string') return charactersOf(value, x).length;
      if (!isJsonObject(value)) return arrayIn(value).length;
      const { length } = Object.keys(value);
      x.spend(memberSteps(length));
      return length;
    },
  },
  {
    name: 'slice',
    args: [
      { name: 'start', kind: 'integer' },
      { name: 'end', kind: 'integer', isOptional: true },
    ],
    about:
      'Elements of an array, or characters of a text, from one place up to another; negative from the end.',
    example: { input: [1, 2, 3, 4], args: [1, -1], output: [2, 3] },
    make:
      ([start, end]) =>
      (value, x) => {
        const [from, to] = [Number(start), end === undefined ? undefined : Number(end)];
        if (typeof value === 'string') return charactersOf(value, x).slice(from, to).join('');
        return chargedArray(value, x).slice(from, to);
      },
  },
  {
    name: 'reverse',
    about: 'The elements of an array, or the characters of a text, from last to first.',
    example: { input: [1, 2, 3], output: [3, 2, 1] },
    make: () => (value, x) => {
      if (typeof value === 'string') return charactersOf(value, x).reverse().join('');
      return chargedArray(value, x).toReversed();
    },
  },
  {
    name: 'unique',
    args: [by],
    about: 'Without elements that were there before; `by` compares that member of theirs alone.',
    example: { input: [1, 2, 1, '1'], output: [1, 2, '1'] },
    make:
      ([name]) =>
      (value, x) =>
        unique(chargedArray(value, x), keyOf(name), x),
  },
  {
    name: 'sort',
    args: [by, { name: 'order', kind: ['ascending', 'descending'], isOptional: true }],
    about:
      'Sorts numbers by value and texts by their characters, `by` a member of theirs; equal ones keep their order, and null is last.',
    example: {
      input: [{ n: 10 }, { n: 9 }],
      args: ['n'],
      output: [{ n: 9 }, { n: 10 }],
    },
    make:
      ([name, order]) =>
      (value, x) =>
        sorted(chargedArray(value, x), keyOf(name), order === 'descending' ? -1 : 1, x),
  },
  {
    name: 'flatten',
    args: [{ name: 'levels', kind: 'integer', isOptional: true, least: 1, most: 100 }],
    about: 'Puts the elements of arrays within in their place, one level or as many as asked for.',
    example: { input: [1, [2, [3]]], output: [1, 2, [3]] },
    make:
      ([levels = 1]) =>
      (value, x) => {
        const flat: Json[] = [];
        flattenInto(flat, chargedArray(value, x), Number(levels), x);
        return flat;
      },
  },
  {
    name: 'compact',
    about: 'Without elements that are null or an empty text.',
    example: { input: ['a', '', null, 0], output: ['a', 0] },
    make: () => (value, x) => chargedArray(value, x).filter((each) => each !== null && each !== ''),
  },
  {
    name: 'pluck',
    args: [{ name: 'name', kind: 'name' }],
    about: 'That member of each element; null where it is not there.',
    example: { input: [{ id: 1 }, { id: 2 }, {}], args: ['id'], output: [1, 2, null] },
    make:
      ([name]) =>
      (value, x) =>
        chargedArray(value, x).map((each) => keyOf(name)(each) ?? null),
  },
  {
    name: 'sum',
    about: 'The sum of an array of numbers, with every digit: 0.1 and 0.2 make 0.3.',
    example: { input: [0.1, 0.2], output: 0.3 },
    make: () => (value, x) => sum(numbersIn(value, x), x),
  },
  {
    name: 'average',
    about:
      'The sum of an array of numbers divided by their count, as a double; of an empty one nothing.',
    example: { input: [1, 2], output: 1.5 },
    make: () => (value, x) => {
      const numbers = numbersIn(value, x);
      if (numbers.length === 0) return undefined;
      return Number(numberText(numberIn(sum(numbers, x)))) / numbers.length;
    },
  },
  {
    name: 'min',
    about: 'The least of an array of numbers; of an empty one nothing.',
    example: { input: [3, 1, 2], output: 1 },
    make: () => (value, x) => extreme(numbersIn(value, x), -1),
  },
  {
    name: 'max',
    about: 'The greatest of an array of numbers; of an empty one nothing.',
    example: { input: [3, 1, 2], output: 3 },
    make: () => (value, x) => extreme(numbersIn(value, x), 1),
  },
];

function arrayIn(value: Json): readonly Json[] {
  if (Array.isArray(value)) return value;
  throw new RuleFault(`takes an array, not ${kindOf(value)}`);
}

function numbersIn(value: Json, x: Execution): readonly (number | RawJson)[] {
  const array = chargedArray(value, x);
  let digits = 0;
  const numbers = array.map((each, at) => {
    if (typeof each === 'number') return each;
    if (!isRawJson(each)) throw new RuleFault(noNumber(each, at));
    digits += each.rawJSON.length;
    return each;
  });
  x.spend(2 * array.length + (digits >> 1));
  return numbers;
}

/** Characters of a text that a message repeats. */
const SHOWN_MAX = 32;

/** Columns of decimals are texts: how a sum takes them. */
function noNumber(value: Json, at: number): string {
  const message = `takes numbers, and element ${at} is ${kindOf(value)}`;
  if (typeof value !== 'string') return message;
  const shown = JSON.stringify(value.slice(0, SHOWN_MAX));
  return `${message}, ${shown}: make numbers first, by an expression such as rows.map(({ n }) => Number(n))`;
}

/** What a sum takes besides, and what each of its numbers takes once one is no safe integer. */
const SUM_STEPS = { all: 15, each: 20 } as const;

function sum(numbers: readonly (number | RawJson)[], x: Execution): Json {
  const isLong = numbers.some((each) => !Number.isSafeInteger(each));
  x.spend(SUM_STEPS.all + (isLong ? SUM_STEPS.each * numbers.length : 0));
  return numberFrom(sumOf(numbers));
}

function extreme(numbers: readonly (number | RawJson)[], sign: 1 | -1): Json | undefined {
  let best = numbers[0];
  for (const each of numbers) if (best !== undefined && sign * order(each, best) > 0) best = each;
  return best;
}

/** What the shortest text of a double that is no integer takes. */
const FRACTION_STEPS = 6;

function joined(array: readonly Json[], separator: string, x: Execution): string {
  const between = separator.length * array.length;
  x.take(between);
  x.spend(between >> 5);
  const pieces = array.map((each, at) => {
    const text = pieceOf(each, at);
    x.take(text.length);
    x.spend(1 + (text.length >> 5));
    if (typeof each === 'number' && !Number.isSafeInteger(each)) x.spend(FRACTION_STEPS);
    return text;
  });
  return pieces.join(separator);
}

function pieceOf(value: Json, at: number): string {
  if (value === null) return '';
  if (typeof value === 'object' && !isRawJson(value)) {
    throw new RuleFault(`takes texts, numbers and booleans, and element ${at} is ${kindOf(value)}`);
  }
  return typeof value === 'object' ? numberText(plainNumber(value)) : String(value);
}

/** What an element is compared by: itself, or its member of that name. */
function keyOf(name: Json | undefined): (element: Json) => Json | undefined {
  if (typeof name !== 'string') return (element) => element;
  return (element) =>
    isJsonObject(element) && Object.hasOwn(element, name) ? element[name] : undefined;
}

/** Each is a text of its own for a while. */
function charactersOf(value: string, x: Execution): string[] {
  const text = chargedText(value, x);
  x.spend(text.length >> 2);
  return [...text];
}

/** Its text is put together from those of its parts. */
function isNested(value: Json | undefined): boolean {
  return typeof value === 'object' && value !== null && !isRawJson(value);
}

function unique(
  array: readonly Json[],
  key: (element: Json) => Json | undefined,
  x: Execution,
): Json[] {
  const seen = new Set<string>();
  return array.filter((each) => {
    const value = key(each);
    const text = value === undefined ? '' : sortedText(value);
    x.spend(4 + (isNested(value) ? text.length : text.length >> 2));
    x.take(32 + text.length);
    if (seen.has(text)) return false;
    seen.add(text);
    return true;
  });
}

function flattenInto(flat: Json[], array: readonly Json[], levels: number, x: Execution): void {
  x.spend(array.length);
  x.take(8 * array.length);
  for (const each of array) {
    if (levels > 0 && Array.isArray(each)) flattenInto(flat, each, levels - 1, x);
    else flat.push(each);
  }
}
