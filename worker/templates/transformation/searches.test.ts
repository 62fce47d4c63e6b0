/** A run whose searches and checks give way to others ends as one that does all at once. */
import { expect, test } from 'vitest';
import type { Json } from '../../../proto/json.ts';
import { type Pieces, whole } from '../../../proto/work/pieces.ts';
import type { RunBounds } from '../../language/expressions/index.ts';
import type { Run } from '../compiled.ts';
import { type Draft, read, runOf } from './test/run.ts';

const RECORDS = Array.from({ length: 30_000 }, (_, at) => ({ id: at, tags: ['a', { x: at }] }));
const INPUT: Json = { all: RECORDS, few: [1, 2, 3] };
const INNER = read({ transformationRules: [{ target: 'n', source: '$..x' }] });
const rules = (...transformationRules: Json[]): Draft => ({ transformationRules });
const NUMBERS: Json = { type: 'object', properties: { all: { items: { required: ['id'] } } } };

const DRAFTS: Readonly<Record<string, Draft>> = {
  'a search': rules({ target: 'x', source: '$..x' }),
  'many searches, and what others write': rules(
    { target: 'x', source: '$..x' },
    { target: 'few', source: 'few' },
    { target: 'few[1]', value: 7 },
    { target: 'y', source: '$..tags[1].x', transformers: ['reverse'] },
    { target: 'y[0]', value: 'first' },
    { target: 'z', source: '$..[?@.x > 29990]' },
    { target: 'y', source: '$..[?@.id == 5]' },
  ),
  'searches in a loop': rules({
    forEach: { array: 'few', as: 'each', index: 'i' },
    rules: [{ target: 'found[i]', source: '$.all[?@.id == 3].tags[1].x' }],
  }),
  'searches that fail': rules(
    { target: 'x', source: '$..x' },
    { target: 'y', source: '$..x', transformers: ['uppercase'], onError: { action: 'skip' } },
    { target: 'z', source: '$..x', transformers: ['uppercase'] },
  ),
  'a filter that takes too long': rules({ target: 'x', source: '$[?count($..*..*) > 1]' }),
  'a filter that looks at all for each': rules({ target: 'x', source: '$..[?count($..*..*) > 1]' }),
  'a transformer that searches': rules({
    target: 'x',
    source: 'all',
    transformers: [{ name: 'get', args: ['$..x'] }, 'reverse'],
  }),
  'a nested template': rules(
    { target: 'inner', template: 'inner', input: '$' },
    { target: 'x', source: '$..x' },
  ),
  'too many steps': rules(
    ...Array.from({ length: 60 }, (_, at) => ({ target: `x${at}`, source: '$..*' })),
  ),
  'a schema of the input': { inputSchema: NUMBERS, ...rules({ target: 'a', source: '$..id' }) },
  'a schema of the output that it does not fit': {
    outputSchema: { properties: { a: { items: { type: 'string' } } } },
    ...rules({ target: 'a', source: '$..id' }),
  },
};
const BOUNDS: Readonly<Record<string, RunBounds>> = {
  'as usual': { fuel: 12_000_000, depth: 200, outputBytes: 32 * 1024 * 1024 },
  'with little memory': { fuel: 12_000_000, depth: 200, outputBytes: 200_000 },
  'with little fuel': { fuel: 700_000, depth: 200, outputBytes: 32 * 1024 * 1024 },
};
const cases = Object.keys(DRAFTS).flatMap((name) =>
  Object.keys(BOUNDS).map((bounds) => ({ name, bounds })),
);

/** What a run ends in, and what is left of its budget. */
async function endOf(make: (run: Run) => unknown, run: Run): Promise<unknown> {
  const end = await Promise.resolve()
    .then(() => make(run))
    .catch((error: Error & { details?: unknown }) => ({
      error: error.message,
      details: error.details,
    }));
  const { fuel, memory } = run.budget;
  return { end, fuel, memory };
}

test.each(cases)('$name, $bounds', async ({ name, bounds: given }) => {
  const compiled = read(DRAFTS[name] ?? {});
  const bounds = BOUNDS[given];
  const setting = { nested: { inner: INNER }, ...(bounds && { bounds }) };
  let pauses = 0;
  const inPieces = async <Result>(pieces: Pieces<Result>): Promise<Result> => {
    pauses += 1;
    await Promise.resolve();
    return whole(pieces);
  };
  for (const make of [
    (run: Run) => compiled.run(INPUT, run),
    (run: Run) => compiled.render(INPUT, run),
  ]) {
    const atOnce = await endOf(make, runOf(setting));
    expect(await endOf(make, { ...runOf(setting), inPieces })).toEqual(atOnce);
  }
  // Filters are not divided.
  const mayNotPause = given !== 'as usual' || name.startsWith('a filter');
  expect(mayNotPause || pauses > 0).toBe(true);
});
