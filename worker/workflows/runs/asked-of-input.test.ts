/** What a start asks of its input is asked in pieces: an input may be as large as a body. */
import { expect, test } from 'vitest';
import { whole } from '../../../proto/work/pieces.ts';
import { compileSchema } from '../../language/schemas/compile.ts';
import { inputFaults } from './asked-of-input.ts';

const schema = { properties: { all: { items: { properties: { a: { type: 'integer' } } } } } };
const workflow = { input: { schema, compiled: compileSchema(schema) } };
const all = Array.from({ length: 50_000 }, (_, at) => ({ a: at < 49_999 ? at : 'no number' }));

test('a large input is checked in many pieces, a small one at once', () => {
  const pieces = inputFaults(workflow, { all });
  let pauses = 0;
  while (!pieces.next().done) pauses += 1;
  expect(pauses).toBeGreaterThan(10);
  expect(inputFaults(workflow, { all: all.slice(0, 10) }).next()).toEqual({
    done: true,
    value: [],
  });
});

test('its faults are told below the body', () => {
  expect(whole(inputFaults(workflow, { all }))).toEqual([
    { path: 'all[49999].a', message: 'is not an integer' },
  ]);
  expect(
    whole(inputFaults({ input: { schema: false, compiled: compileSchema(false) } }, 1)),
  ).toEqual([expect.objectContaining({ path: 'body' })]);
});
