/** The stand-in for Pinecone: its arithmetic against the formulas, its conditions, its paths as the vendor's own client takes them. */
import { Pinecone } from '@pinecone-database/pinecone';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compileFilter } from './filter.ts';
import { type PineconeStandIn, startPinecone } from './index.ts';
import { type Metric, SCORES, single, sparseDotProduct } from './score.ts';
import { VectorIndex } from './vector-index.ts';

const component = fc
  .float({ min: -8, max: 8, noNaN: true })
  .filter((value) => Math.abs(value) > 1e-3);
const vector = fc.array(component, { minLength: 4, maxLength: 4 });

/** The same by the textbook, one sum at a time. */
const BY_FORMULA: Record<Metric, (a: number[], b: number[]) => number> = {
  dotproduct(a, b) {
    let sum = 0;
    for (let at = 0; at < a.length; at += 1) sum += (a[at] ?? 0) * (b[at] ?? 0);
    return sum;
  },
  cosine(a, b) {
    const length = (of: number[]) => Math.hypot(...of);
    return BY_FORMULA.dotproduct(a, b) / (length(a) * length(b));
  },
  euclidean(a, b) {
    return Math.hypot(...a.map((value, at) => value - (b[at] ?? 0))) ** 2;
  },
};
const METRICS = Object.keys(BY_FORMULA) as Metric[];

describe.each(METRICS)('by %s', (metric) => {
  test('a score is what the formula says', () => {
    fc.assert(
      fc.property(vector, vector, (one, other) => {
        expect(SCORES[metric](one, other)).toBeCloseTo(BY_FORMULA[metric](one, other), 6);
      }),
    );
  });

  test('the nearest records are found, the nearest first', () => {
    const records = fc.array(vector, { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(records, vector, fc.integer({ min: 1, max: 40 }), (vectors, sought, topK) => {
        const index = new VectorIndex(4, metric);
        const rows = vectors.map((values, at) => ({ id: String(at), values }));
        index.upsert('n', rows);
        const found = index.query('n', { vector: sought, topK });
        const nearness = metric === 'euclidean' ? -1 : 1;
        const best = rows
          .map(({ values }) => BY_FORMULA[metric](values, sought))
          .sort((a, b) => nearness * (b - a))
          .slice(0, topK);
        expect(found.length).toBe(best.length);
        for (const [at, { score }] of found.entries()) expect(score).toBeCloseTo(best[at] ?? 0, 3);
      }),
      { numRuns: 40 },
    );
  });
});

test("Pinecone's own example: eight components a tenth apart are 0.08 apart", () => {
  const index = new VectorIndex(8, 'euclidean');
  const of = (value: number) => Array<number>(8).fill(value);
  index.upsert('n', [
    { id: 'B', values: of(0.2) },
    { id: 'C', values: of(0.3) },
    { id: 'D', values: of(0.4) },
  ]);
  const found = index.query('n', { vector: of(0.3), topK: 3 });
  expect(found.map(({ id }) => id)).toEqual(['C', 'B', 'D']);
  expect(found.map(({ score }) => Number(score.toFixed(6)))).toEqual([0, 0.08, 0.08]);
});

test('components are kept in 32 bits and told with as few digits as name them', () => {
  expect([0.1, 0.568879, 1, 16_777_217, -3.4e38].map(single)).toEqual([
    0.1, 0.568879, 1, 16_777_216, -3.4e38,
  ]);
  fc.assert(
    fc.property(
      fc
        .double({ min: -1e30, max: 1e30, noNaN: true })
        .filter((value) => !Object.is(Math.fround(value), -0)),
      (value) => {
        expect(Math.fround(single(value))).toBe(Math.fround(value));
      },
    ),
  );
});

test('sparse components count where both have them', () => {
  const one = new Map([
    [1, 2],
    [7, 3],
  ]);
  const other = new Map([
    [7, 5],
    [9, 1],
  ]);
  expect(sparseDotProduct(one, other)).toBe(15);
  const index = new VectorIndex(2, 'dotproduct');
  index.upsert('n', [
    { id: 'a', values: [1, 0], sparseValues: { indices: [7], values: [4] } },
    { id: 'b', values: [3, 0] },
  ]);
  const sparseVector = { indices: [7], values: [0.5] };
  expect(
    index.query('n', { vector: [1, 1], sparseVector, topK: 2 }).map(({ id, score }) => [id, score]),
  ).toEqual([
    ['a', 3],
    ['b', 3],
  ]);
});

const METADATA = { genre: 'drama', year: 2020, seen: true, tags: ['a', 'b'] };
test.each<[filter: object, meets: boolean]>([
  [{}, true],
  [{ genre: 'drama' }, true],
  [{ genre: { $eq: 'comedy' } }, false],
  [{ genre: { $ne: 'comedy' } }, true],
  [{ absent: { $ne: 'x' } }, false],
  [{ absent: { $nin: ['x'] } }, false],
  [{ $or: [{ absent: { $ne: 'x' } }, { absent: { $exists: false } }] }, true],
  [{ absent: 'x' }, false],
  [{ year: { $gt: 2019, $lt: 2021 } }, true],
  [{ year: { $gte: 2020, $lte: 2020 } }, true],
  [{ year: { $gt: 2020 } }, false],
  [{ genre: { $gt: 1 } }, false],
  [{ year: '2020' }, false],
  [{ seen: true }, true],
  [{ seen: { $ne: true } }, false],
  [{ tags: 'b' }, true],
  [{ tags: { $ne: 'b' } }, false],
  [{ tags: { $in: ['c', 'a'] } }, true],
  [{ tags: { $nin: ['c', 'a'] } }, false],
  [{ tags: { $nin: ['c'] } }, true],
  [{ year: { $in: [1999, 2020] } }, true],
  [{ genre: { $exists: true } }, true],
  [{ absent: { $exists: true } }, false],
  [{ absent: { $exists: false } }, true],
  [{ genre: 'drama', year: 1999 }, false],
  [{ $and: [{ genre: 'drama' }, { year: 2020 }] }, true],
  [{ $or: [{ genre: 'comedy' }, { $and: [{ seen: true }, { tags: 'a' }] }] }, true],
  [{ $or: [{ genre: 'comedy' }, { year: 1999 }] }, false],
  [{ toString: { $exists: false } }, true],
])('the condition %j is %s', (filter, meets) => {
  expect(compileFilter(filter)(METADATA)).toBe(meets);
});

test.each([
  [{ $eq: 'drama' }],
  [{ year: { $gt: '2019' } }],
  [{ year: { $near: 1 } }],
  [{ $or: [] }],
  [{ genre: { $in: 'drama' } }],
  [{ genre: null }],
  ['drama'],
])('%j is no condition', (filter) => {
  expect(() => compileFilter(filter)).toThrow(expect.objectContaining({ code: 3 }));
});

describe("the vendor's own client", () => {
  let standIn: PineconeStandIn;
  const clientOf = (apiKey: string) => {
    const client = new Pinecone({ apiKey, controllerHostUrl: standIn.url, maxRetries: 0 });
    return client.index({ host: standIn.url });
  };
  beforeAll(async () => {
    standIn = await startPinecone({ dimension: 2 });
  });
  afterAll(() => standIn.stop());

  test('writes, finds, pages and deletes', async () => {
    const own = clientOf(standIn.apiKey).namespace('films');
    const ids = Array.from({ length: 120 }, (_, at) => `f${String(at).padStart(3, '0')}`);
    await own.upsert({ records: ids.map((id, at) => ({ id, values: [at + 1, 1] })) });
    const { matches } = await own.query({ vector: [1, 1], topK: 2 });
    expect(matches.map(({ id, score }) => [id, score])).toEqual([
      ['f000', 1],
      ['f001', single(3 / Math.sqrt(10))],
    ]);
    const first = await own.listPaginated({ prefix: 'f' });
    expect(first.vectors?.length).toBe(100);
    const paginationToken = first.pagination?.next ?? '';
    const rest = await own.listPaginated({ prefix: 'f', paginationToken });
    expect(rest.vectors?.map(({ id }) => id)).toEqual(ids.slice(100));
    expect(rest.pagination).toBeUndefined();
    await own.update({ id: 'f001', metadata: { seen: true } });
    expect((await own.fetch({ ids: ['f001', 'none'] })).records).toEqual({
      f001: { id: 'f001', values: [2, 1], metadata: { seen: true } },
    });
    await own.deleteMany({ filter: { seen: { $eq: true } } });
    await own.deleteMany({ ids: ['f002'] });
    expect((await own.describeIndexStats()).namespaces).toEqual({ films: { recordCount: 118 } });
    await own.deleteAll();
    await expect(own.deleteAll()).rejects.toThrow('404');
  });

  test('is told what is wrong', async () => {
    const own = clientOf(standIn.apiKey);
    await expect(own.upsert({ records: [{ id: 'a', values: [1] }] })).rejects.toThrow(
      'Vector dimension 1 does not match the dimension of the index 2',
    );
    await expect(own.upsert({ records: [{ id: 'a', values: [0, 0] }] })).rejects.toThrow('zero');
    const metadata = { text: 'x'.repeat(41_000) };
    await expect(own.upsert({ records: [{ id: 'a', values: [1, 1], metadata }] })).rejects.toThrow(
      'exceeds the limit of 40960 bytes',
    );
    await expect(own.query({ vector: [1, 1], topK: 10_001 })).rejects.toThrow('topK');
    await expect(clientOf('wrong').describeIndexStats()).rejects.toThrow('rejected');
  });
});
