/** JSON values that transformers find hard: deep, wide, long names, long numbers, equal and almost equal members. */
import { type Json, type JsonObject, setMember } from '../../../proto/json.ts';
import type { Choices } from '../random.ts';
import type { Shape } from './shapes.ts';
import { NAMED as TEXTS, shapeOf as textShapeOf } from './shapes.ts';

/** No body nests deeper than a thousand. */
const DEPTH = 300;

function list(size: number, each: number, make: (at: number) => Json): Json[] {
  return Array.from({ length: Math.max(1, Math.floor(size / each)) }, (_, at) => make(at));
}

function object(
  size: number,
  each: number,
  nameOf: (at: number) => string,
  make: (at: number) => Json,
) {
  const made: JsonObject = {};
  for (const [at, value] of list(size, each, make).entries()) setMember(made, nameOf(at), value);
  return made;
}

function deep(depth: number, wrap: (inner: Json) => Json, inner: Json): Json {
  let made = inner;
  for (let left = depth; left > 0; left -= 1) made = wrap(made);
  return made;
}

const raw = (digits: string) => JSON.rawJSON(digits) as Json;

const SHAPES: Readonly<Record<string, (size: number) => Json>> = {
  'arrays in arrays, again and again': (size) =>
    list(size, 2 * DEPTH, () => deep(DEPTH, (inner) => [inner], 1)),
  'objects in objects, again and again': (size) =>
    list(size, 6 * DEPTH, () => deep(DEPTH, (inner) => ({ a: inner }), 1)),
  'one chain with brothers': (size) => deep(DEPTH, (inner) => [inner, 'x'.repeat(size / DEPTH)], 1),
  'one chain of objects with brothers': (size) =>
    deep(
      DEPTH,
      (inner) =>
        object(
          size / DEPTH,
          12,
          (at) => `b${at}`,
          () => 1,
        ) && { a: inner, b: list(size / DEPTH, 2, () => 1) },
      1,
    ),
  'many members': (size) =>
    object(
      size,
      10,
      (at) => `a${at}`,
      () => 1,
    ),
  'many indexes for names': (size) =>
    object(
      size,
      10,
      (at) => String(at),
      () => 1,
    ),
  'indexes for names, the last first': (size) =>
    object(
      size,
      10,
      (at) => String(1_000_000 - at),
      () => 1,
    ),
  'long names': (size) =>
    object(
      size,
      1000,
      (at) => 'a'.repeat(990) + at,
      () => 1,
    ),
  'one long name': (size) => ({ ['a'.repeat(size)]: 1 }),
  'one name of dots': (size) => ({
    [`${'a.'.repeat(Math.min(400, size / 2))}a`]: 'x'.repeat(size),
  }),
  'one name of escapes': (size) => ({ ['\\.'.repeat(size / 2)]: 1 }),
  'one name of brackets': (size) => ({ ['a[0]'.repeat(size / 4)]: 1 }),
  'dotted names': (size) =>
    object(
      size,
      20,
      (at) => `a.b${at}.c[${at % 10}]`,
      () => 1,
    ),
  'dotted names below one another': (size) =>
    object(
      size,
      500,
      (at) => `a${at}${'.a'.repeat(240)}`,
      () => 1,
    ),
  'dotted names of alternate parents': (size) =>
    object(
      size,
      14,
      (at) => `a${at % 2}.b${at}`,
      () => 1,
    ),
  'elements from the last one': (size) =>
    object(
      size,
      16,
      (at) => `a[${Math.floor(size / 16) - at}]`,
      () => 1,
    ),
  'many numbers': (size) => list(size, 5, (at) => at),
  'many long numbers': (size) => list(size, 22, (at) => raw(`123456789012345678${at % 10}0`)),
  'many large exponents': (size) => list(size, 9, () => raw('1e999999')),
  'large exponents of two signs': (size) =>
    list(size, 10, (at) => raw(at % 2 ? '1e999999' : '1e-999999')),
  'a number of many digits': (size) => raw(`1${'7'.repeat(size)}`),
  'a number of many zeros': (size) => raw(`1${'0'.repeat(size)}`),
  'a fraction of many zeros': (size) => raw(`0.${'0'.repeat(size)}1`),
  'a fraction of many digits': (size) => [
    raw(`0.${'3'.repeat(size)}`),
    raw(`0.${'3'.repeat(size / 2)}`),
  ],
  'an exponent of many digits': (size) => raw(`1e${'9'.repeat(size)}`),
  'an exponent of many zeros': (size) => raw(`1e-${'0'.repeat(size)}5`),
  'a text of zeros before a letter': (size) => `${'0'.repeat(size)}x`,
  'a text of digits before a letter': (size) => `-${'7'.repeat(size)}x`,
  'a text of blanks before a letter': (size) => `${' '.repeat(size)}x`,
  'many texts': (size) => list(size, 8, (at) => `t${at}`),
  'equal texts': (size) => list(size, 8, () => 'abcdef'),
  'equal objects': (size) => list(size, 12, () => ({ a: 1, b: 2 })),
  'objects of one list': (size) => ({ list: list(size, 12, (at) => ({ a: at, b: [at] })) }),
  'long texts with a common beginning': (size) => list(size, 1000, (at) => 'a'.repeat(990) + at),
  'empty arrays': (size) => list(size, 3, () => []),
  'empty objects': (size) => list(size, 3, () => ({})),
  nulls: (size) => list(size, 5, () => null),
  'pairs of name and value': (size) => list(size, 12, (at) => [`a${at}`, at]),
  'references to results': (size) => list(size, 24, () => ({ $result: '[0].rows[0].id' })),
  'a long reference to a result': (size) => ({ $result: `[0]${'.a[0]'.repeat(size / 5)}` }),
  'bytes in base64': (size) => ({ $bytes: 'QUJD'.repeat(size / 4) }),
  'a query of one operator in another': (size) =>
    list(size, 9 * DEPTH, () => deep(DEPTH, (inner) => ({ $not: inner }), 1)),
};

/** All that have a name, and texts. */
export const NAMED: readonly Shape<Json>[] = [
  ...Object.entries(SHAPES).map(([name, make]) => ({ name, make })),
  ...TEXTS.map(({ name, make }) => ({ name: `text ${name}`, make })),
];

/** A value by chance: one of the named, or one within the other, or a text. */
export function shapeOf(choices: Choices): Shape<Json> {
  if (choices.chance(0.4)) {
    const { name, make } = textShapeOf(choices);
    return choices.chance(0.5)
      ? { name: `text ${name}`, make }
      : {
          name: `name ${name}`,
          make: (size) =>
            object(
              size,
              size,
              () => make(size),
              () => 1,
            ),
        };
  }
  const [outer, inner] = [choices.pickAny(Object.entries(SHAPES)), choices.pickAny(NAMED)];
  if (outer === undefined || inner === undefined) throw new Error('There are shapes.');
  const parts = 2 + Math.floor(choices.next() * 20);
  return {
    name: `${outer[0]}, and ${parts} times ${inner.name}`,
    make: (size) => [outer[1](size / 2), ...list(parts, 1, () => inner.make(size / 2 / parts))],
  };
}
