/** Patches make the other value of the one, whatever both are. RFC 6902. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareDecimals } from '../../../proto/decimal.ts';
import {
  isJsonObject,
  isRawJson,
  type Json,
  type JsonObject,
  numberText,
  setMember,
} from '../../../proto/json.ts';
import { parseAsWritten, writtenText } from '../../../proto/written-json.ts';
import { TIMES } from '../../test/runs.ts';
import { patchBetween } from './json-patch.ts';

const names = fc.constantFrom(
  ...['a', 'b', '1', '0', '10', 'rawJSON', '__proto__', 'constructor', 'length', '-', ''],
  ...['x/y', '~', '~1', 'é', 'toString', '\ud800'],
);
const leaves = fc.constantFrom(
  ...['1', '1.0', '1.10', '1.1', '11e-1', '1e400', '1E+400', '-1e400', '0', '-0', '0e5', '100'],
  ...['1e2', '12345678901234567891', '12345678901234567890', '0.1', '0.10000000000000000001'],
  ...['null', 'true', 'false', '""', '"1"', '"rawJSON"', '"\\ud800"', '{}', '[]'],
);
/** Texts of JSON, so that each way to write a number comes. */
const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaves,
    fc.array(tie('json'), { maxLength: 6 }).map((each) => `[${each.join()}]`),
    fc
      .uniqueArray(fc.tuple(names, tie('json')), { maxLength: 5, selector: ([name]) => name })
      .map((each) => `{${each.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`),
  ),
}));

/** Two texts of which one may have parts of the other. */
const pairs = fc
  .tuple(json, json, fc.array(json, { maxLength: 4 }), fc.nat(7), fc.nat(7))
  .map(([a, b, rest, from, to]): [string, string] =>
    from === 7
      ? [a, b]
      : [
          `{"1":[${[a, ...rest, b].slice(from).join()}]}`,
          `{"1":[${[b, ...rest].slice(to).join()}]}`,
        ],
  );

const isNumber = (value: Json) => typeof value === 'number' || isRawJson(value);

/** Whether both are the same by RFC 6902, §4.6. */
function isSame(a: Json, b: Json): boolean {
  if (isNumber(a) && isNumber(b)) {
    return compareDecimals(numberText(a as number), numberText(b as number)) === 0;
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((each, at) => isSame(each, b[at] ?? null));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return a === b;
  const own = Object.keys(a);
  return (
    own.length === Object.keys(b).length &&
    own.every((name) => Object.hasOwn(b, name) && isSame(a[name] ?? null, b[name] ?? null))
  );
}

/** Applies a patch as RFC 6902 says; what it does not allow throws. */
function applied(value: Json, patch: readonly JsonObject[]): Json {
  const whole: JsonObject = { root: value };
  for (const { op, path, value: put } of patch) {
    const tokens = `/root${String(path)}`.slice(1).split('/');
    const last = decoded(tokens.pop() ?? '');
    let at: Json = whole;
    for (const token of tokens) at = memberOf(at, decoded(token));
    if (Array.isArray(at)) changeList(at, String(op), last, put);
    else changeObject(at, String(op), last, put);
  }
  return whole.root ?? null;
}

const decoded = (token: string) => token.replaceAll('~1', '/').replaceAll('~0', '~');

function memberOf(value: Json, name: string): Json {
  if (Array.isArray(value)) return value[placeIn(name, value.length - 1)] ?? null;
  if (!isJsonObject(value) || !Object.hasOwn(value, name)) throw new Error(`There is no ${name}`);
  return value[name] ?? null;
}

function placeIn(token: string, most: number): number {
  if (!/^(?:0|[1-9]\d*)$/.test(token) || Number(token) > most)
    throw new Error(`No place: ${token}`);
  return Number(token);
}

function changeList(list: Json[], op: string, token: string, put: Json | undefined): void {
  const { length } = list;
  if (op === 'add') list.splice(token === '-' ? length : placeIn(token, length), 0, put ?? null);
  else if (op === 'remove') list.splice(placeIn(token, length - 1), 1);
  else list.splice(placeIn(token, length - 1), 1, put ?? null);
}

function changeObject(object: Json, op: string, name: string, put: Json | undefined): void {
  if (!isJsonObject(object)) throw new Error('It is no object');
  if (Object.hasOwn(object, name) === (op === 'add')) throw new Error(`${op} of ${name}`);
  if (op === 'remove') delete object[name];
  else setMember(object, name, put ?? null);
}

/** The patch as a reader has it. */
const told = (a: string, b: string) => {
  const text = writtenText(patchBetween(parseAsWritten(a), parseAsWritten(b)));
  return { text, patch: parseAsWritten(text) as JsonObject[] };
};

describe('a patch', () => {
  test('makes the other value of the one, and is empty where both are the same', async () => {
    const numRuns = 3_000 * TIMES;
    await fc.assert(
      fc.property(pairs, ([a, b]) => {
        const { patch } = told(a, b);
        expect(isSame(applied(parseAsWritten(a), patch), parseAsWritten(b))).toBe(true);
        expect(patch.length === 0).toBe(isSame(parseAsWritten(a), parseAsWritten(b)));
      }),
      { numRuns },
    );
  });

  test('has values as they were written', async () => {
    await fc.assert(
      fc.property(pairs, ([a, b]) => {
        for (const { value } of told(a, b).patch) {
          if (value !== undefined) expect(b).toContain(writtenText(value));
        }
      }),
      { numRuns: 1_000 * TIMES },
    );
  });

  test.each([
    ['{"n":1.10}', '{"n":1.20}', '[{"op":"replace","path":"/n","value":1.20}]'],
    [
      '{"n":{"a":[1e400]}}',
      '{"n":{"a":[1e401]}}',
      '[{"op":"replace","path":"/n/a/0","value":1e401}]',
    ],
    ['1e400', '12345678901234567891', '[{"op":"replace","path":"","value":12345678901234567891}]'],
    ['{"rawJSON":"2"}', '1e400', '[{"op":"replace","path":"","value":1e400}]'],
    [
      '{"a":1}',
      '{"a":1,"b":{"2":1.0,"1":2}}',
      '[{"op":"add","path":"/b","value":{"2":1.0,"1":2}}]',
    ],
    ['[1.0,2,3]', '[2.0,3,4]', '[{"op":"remove","path":"/0"},{"op":"add","path":"/-","value":4}]'],
    ['[{"a":1,"b":2},5]', '[{"a":1,"b":3},5.0]', '[{"op":"replace","path":"/0/b","value":3}]'],
    [
      '{"~/":1,"__proto__":1}',
      '{"~/":2}',
      '[{"op":"remove","path":"/__proto__"},{"op":"replace","path":"/~0~1","value":2}]',
    ],
    ['{"a":1.0,"b":1e2}', '{"b":100,"a":1}', '[]'],
  ])('of %s and %s', (a, b, expected) => {
    expect(told(a, b).text).toBe(expected);
  });
});

describe('values that cost a lot to compare', () => {
  const list = (length: number, of: (at: number) => string) =>
    `[${Array.from({ length }, (_, at) => of(at)).join()}]`;
  const nested = (seed: number) => list(150, (i) => list(150, (j) => `${(i * j + seed) % 7}`));
  const name = 'x'.repeat(20_000);

  test.each([
    ['one element and many', '[7]', list(30_000, () => '0')],
    ['many elements and none', list(30_000, () => '0'), '[]'],
    ['a list that is too long', list(600, String), list(600, (at) => `${at + 1_000}`)],
    ['lists in lists', nested(0), nested(1)],
    [
      'a long name before many',
      `{"${name}":${list(400, () => '0')}}`,
      `{"${name}":${list(400, () => '1')}}`,
    ],
  ])('%s cost little, in few characters', (_what, a, b) => {
    const began = performance.now();
    const { text, patch } = told(a, b);
    expect(performance.now() - began).toBeLessThan(2_000);
    expect(text.length).toBeLessThan(a.length + b.length + 100_000);
    expect(isSame(applied(parseAsWritten(a), patch), parseAsWritten(b))).toBe(true);
  });

  test('a list that is too long is replaced as a whole, unless it is the same', () => {
    const [a, b] = [list(600, (at) => `${at}.0`), list(600, (at) => `${at}`)];
    expect(told(`{"l":${a}}`, `{"l":${b}}`).text).toBe('[]');
    const other = b.replace('[0,', '[1,');
    const expected = `[{"op":"replace","path":"/l","value":${other}}]`;
    expect(told(`{"l":${a}}`, `{"l":${other}}`).text).toBe(expected);
  });
});
