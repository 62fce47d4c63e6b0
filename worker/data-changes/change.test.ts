/** What filters and mappings see of a change, by what a relay reports it. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Json, type JsonObject, parseJson } from '../../proto/json.ts';
import { whole } from '../../proto/work/pieces.ts';
import { keyTextOf, rootOf, type ToldChange, toldOf } from './change.ts';

const encoder = new TextEncoder();
const bytes = (json: Json | undefined) =>
  encoder.encode(json === undefined ? '' : JSON.stringify(json));

interface Told {
  readonly operation?: string;
  readonly before?: Json;
  readonly after?: Json;
  readonly absent?: string[];
  readonly keyOnly?: boolean;
}

function told({ operation = 'update', before, after, absent = [], keyOnly = false }: Told) {
  const change: ToldChange = {
    ...{ id: '0/16B3748', collection: 'public.orders', watched: ['orders'], operation },
    ...{ key: bytes({ id: 7 }), before: bytes(before), after: bytes(after), absent, keyOnly },
    time: '2026-01-01T00:00:00.000Z',
    mark: '',
  };
  return change;
}

const SOURCE = { id: 'receipt', endpoint: 'shop' };
const of = (change: Told) => whole(rootOf(told(change), SOURCE));

test('a change has all members that it may have', () => {
  expect(of({ before: { id: 7, paid: false }, after: { id: 7, paid: true } })).toEqual({
    operation: 'update',
    endpoint: 'shop',
    collection: 'public.orders',
    key: { id: 7 },
    before: { id: 7, paid: false },
    after: { id: 7, paid: true },
    changes: { paid: { before: false, after: true } },
    id: 'receipt',
    time: '2026-01-01T00:00:00.000Z',
  });
});

describe('changes', () => {
  test.each<[string, Told, JsonObject]>([
    [
      'of an insert are all members',
      { operation: 'insert', after: { a: 1, b: null } },
      { a: { after: 1 }, b: { after: null } },
    ],
    [
      'of a delete are all members',
      { operation: 'delete', before: { a: 1 } },
      { a: { before: 1 } },
    ],
    ['of an update whose before is not known are none', { after: { a: 1 } }, {}],
    [
      'of an update are those that differ',
      { before: { a: 1, b: 2 }, after: { a: 1, b: 3 } },
      { b: { before: 2, after: 3 } },
    ],
    [
      'tell members that came and went',
      { before: { a: 1 }, after: { b: 2 } },
      { a: { before: 1 }, b: { after: 2 } },
    ],
    [
      'of an update of which the key alone is known before are those of the key',
      { keyOnly: true, before: { id: 1 }, after: { id: 2, name: 'x' } },
      { id: { before: 1, after: 2 } },
    ],
    [
      'do not count the order of members',
      { before: { a: { x: 1, y: 2 } }, after: { a: { y: 2, x: 1 } } },
      {},
    ],
    [
      'count the order of elements',
      { before: { a: [1, 2] }, after: { a: [2, 1] } },
      { a: { before: [1, 2], after: [2, 1] } },
    ],
    [
      'tell a null from what is not there',
      { before: { a: null }, after: {} },
      { a: { before: null } },
    ],
  ])('%s', (_what, change, changes) => {
    expect(of(change).changes).toEqual(changes);
  });

  test('tell numbers apart that no double holds', () => {
    const [before, after] = ['{"n":9007199254740993}', '{"n":9007199254740992}'].map(parseJson);
    expect(JSON.stringify(of({ before, after } as Told).changes)).toBe(
      '{"n":{"before":9007199254740993,"after":9007199254740992}}',
    );
  });

  test('make what is of what was, and none are told of what stayed', () => {
    const row = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 5 });
    fc.assert(
      fc.property(row, row, (one, other) => {
        const [before, after] = [one, other].map((each) => parseJson(JSON.stringify(each)));
        const changes = of({ before, after } as Told).changes as { [name: string]: JsonObject };
        const made = new Map(Object.entries(before as JsonObject));
        for (const [name, change] of Object.entries(changes)) {
          expect(change.before).not.toEqual(change.after);
          if (Object.hasOwn(change, 'after')) made.set(name, change.after as Json);
          else made.delete(name);
        }
        const text = (json: unknown) => JSON.stringify(Object.entries(json as object).sort());
        expect(text(Object.fromEntries(made))).toBe(text(after));
      }),
    );
  });
});

test('a member that the server left out because it stayed is taken from before, where that is known', () => {
  const { after, changes } = of({
    before: { id: 7, text: 'long' },
    after: { id: 7 },
    absent: ['text'],
  });
  expect({ after, changes }).toEqual({ after: { id: 7, text: 'long' }, changes: {} });
  expect(of({ after: { id: 7 }, absent: ['text'] }).after).toEqual({ id: 7 });
});

test('the run is told of the change without its body', () => {
  expect(toldOf(of({ before: { a: 1 }, after: { a: 2 } }))).toEqual({
    change: {
      operation: 'update',
      endpoint: 'shop',
      collection: 'public.orders',
      key: { id: 7 },
      id: 'receipt',
      time: '2026-01-01T00:00:00.000Z',
    },
  });
});

test('changes of one key are told of as one', () => {
  const key = (text: string) => keyTextOf({ key: parseJson(text) });
  expect(key('{"a":1,"b":"x"}')).toBe(key('{ "a": 1, "b": "x" }'));
  expect(key('{"a":1}')).not.toBe(key('{"a":"1"}'));
});

test('an operation that there is none of is refused', () => {
  expect(() => of({ operation: 'truncate' })).toThrow('The node answered what is no reply');
});

test('a change of very many members is compared in pieces, each of a few', () => {
  const wide = (value: number) =>
    Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`m${at}`, value]));
  for (const within of [
    wide,
    (value: number) => ({ same: wide(0), all: [wide(0), wide(value)] }),
  ]) {
    const pieces = rootOf(told({ before: within(1), after: within(2) }), SOURCE);
    let count = 0;
    for (let piece = pieces.next(); !piece.done; piece = pieces.next()) count += 1;
    expect(count).toBeGreaterThan(100);
  }
});

test('a member changes where its JSON does, whatever the order of what it holds', () => {
  const turned = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(turned);
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value).map(([name, each]) => [name, turned(each)] as const);
    return Object.fromEntries(members.toReversed());
  };
  fc.assert(
    // As JSON is: without -0.
    fc.property(fc.json(), fc.json(), (oneText, otherText) => {
      const [one, other] = [JSON.parse(oneText) as Json, JSON.parse(otherText) as Json];
      expect(of({ before: { a: one }, after: { a: turned(one) } })).toMatchObject({ changes: {} });
      const isOther = JSON.stringify(ordered(one)) !== JSON.stringify(ordered(other));
      const { changes } = of({ before: { a: one }, after: { a: other } });
      expect(Object.keys(changes ?? {})).toEqual(isOther ? ['a'] : []);
    }),
  );
});

/** Members by their names. */
function ordered(value: Json): Json {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, each]) => [name, ordered(each)] as const);
  return Object.fromEntries(members.sort(([one], [other]) => (one < other ? -1 : 1)));
}

test('a value that nests deeper than a request may is its text', () => {
  const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
  const change = { ...told({ operation: 'insert' }), after: new TextEncoder().encode(deep) };
  expect(whole(rootOf(change, SOURCE))).toMatchObject({ after: deep, changes: {} });
});
