/** What operations take out of results before them: right, and each result read once. */
import { expect, test } from 'vitest';
import { type Pieces, whole } from '../proto/work/pieces.ts';
import { writtenText } from '../proto/written-json.ts';
import { Pointed } from './pointed.ts';
import { pointIn } from './result-references.ts';

const nothing = pointIn(() => undefined);
const inTurn = <Value>(pieces: Pieces<Value>) => Promise.resolve(whole(pieces));
const use = (path: string) => ({ params: [{ $result: path }] });

test('answers what each path points to, null too, and what others know', async () => {
  const operations = [use('[0].rows[1].id'), { a: { b: use('[0].none') } }, use('[1]')];
  const pointed = await Pointed.by(operations, undefined);
  await pointed.take(0, () => '{"rows": [{}, {"id": 7}], "none": null}');
  const point = pointed.at(pointIn((place) => (place === 1 ? 'other' : undefined)));
  expect(['[0].rows[1].id', '[0].none', '[1]'].map(point)).toEqual([7, null, 'other']);
});

test('refuses what points to nothing when it is used, not when its result comes', async () => {
  const pointed = await Pointed.by([use('[0].missing')], undefined);
  await pointed.take(0, () => '{}');
  expect(() => pointed.at(nothing)('[0].missing')).toThrow(
    expect.objectContaining({ code: 'BAD_REQUEST', message: expect.stringContaining('nothing') }),
  );
});

test('reads a large result once, in pieces, however often it is used', async () => {
  const work: unknown[] = [];
  const pointed = await Pointed.by(
    Array.from({ length: 1000 }, () => use('[0].rows[7]')),
    async (pieces) => {
      work.push(pieces);
      for (;;) {
        const piece = pieces.next();
        if (piece.done) return piece.value;
      }
    },
  );
  let read = 0;
  const rows = Array.from({ length: 20_000 }, (_, index) => index);
  await pointed.take(0, () => {
    read += 1;
    return JSON.stringify({ rows });
  });
  const point = pointed.at(nothing);
  expect(Array.from({ length: 1000 }, () => point('[0].rows[7]'))).toEqual(Array(1000).fill(7));
  expect([read, work.length]).toEqual([1, 2]);
});

test('a result that nothing uses is not read', async () => {
  const pointed = await Pointed.by([use('[1]')], undefined);
  let read = 0;
  await pointed.take(0, () => {
    read += 1;
    return '{}';
  });
  expect(read).toBe(0);
});

test.each([
  { size: 'small', rest: '' },
  { size: 'large', rest: 'x'.repeat(20_000) },
])('keeps numbers and members of a $size result as they were written', async ({ rest }) => {
  const written = '{"b":19.90,"a":1E2,"1":-0,"0":12345678901234567890}';
  const pointed = await Pointed.by([use('[0].rows[0]')], inTurn);
  await pointed.take(0, () => `{"rows":[${written}],"rest":"${rest}"}`);
  expect(writtenText(pointed.at(nothing)('[0].rows[0]'))).toBe(written);
});

test.each([
  { size: 'small', deep: 1_001 },
  { size: 'large', deep: 20_000 },
])(
  'refuses what points into a $size result that nests too deep, where it is used',
  async ({ deep }) => {
    const pointed = await Pointed.by([use('[0].id')], inTurn);
    await pointed.take(0, () => `{"id":1.0,"deep":${'['.repeat(deep)}${']'.repeat(deep)}}`);
    expect(() => pointed.at(nothing)('[0].id')).toThrow(
      expect.objectContaining({
        code: 'BAD_REQUEST',
        message: expect.stringMatching(
          /^The reference \[0\]\.id points into a result that .*nests/,
        ),
      }),
    );
  },
);
