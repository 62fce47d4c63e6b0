/** Rows whose strings were looked at ahead are read as those whose strings were not, whatever they hold. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { whole } from '../../../proto/work/pieces.ts';
import { longStringsIn } from './long-strings.ts';
import { rowWriter } from './rows.ts';

const columns = [
  { name: 'a', type: 'String' },
  { name: 'b', type: 'Array(String)' },
];
const write = rowWriter(columns, { numbersAsStrings: false, rowFormat: 'array' });

/** Of strings, and at times of what is none. */
const part = fc.constantFrom(
  'x',
  '\\\\',
  '\\"',
  '\\n',
  '\\u00e9',
  'é',
  '[',
  ',',
  '\\',
  '\\u12',
  '"',
  '\\x',
);
const string = fc.array(part, { maxLength: 5 }).map((parts) => `"${parts.join('')}"`);
const row = fc
  .tuple(string, fc.array(string, { maxLength: 3 }))
  .map(([first, others]) => `[${first},[${others.join()}]]\n`);

function read(text: string, ends: ReadonlyMap<number, number> | undefined): string[] {
  const cursor = { text, at: 0, utf8: true, depth: 0, ends };
  const rows: string[] = [];
  try {
    for (; cursor.at < text.length; cursor.at += 1) rows.push(write(cursor));
  } catch (error) {
    rows.push(String(error));
  }
  return rows;
}

test('rows', () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 4 }), (rows) => {
      const text = rows.join('');
      expect(read(text, whole(longStringsIn(text, 0)))).toEqual(read(text, undefined));
    }),
    { numRuns: 3_000 },
  );
});

test('a long string gives way, and is found', () => {
  const text = `["${'\\"'.repeat(200_000)}",[]]\n`;
  const pieces = longStringsIn(text);
  let pauses = 0;
  let next = pieces.next();
  for (; !next.done; next = pieces.next()) pauses += 1;
  expect(pauses).toBeGreaterThan(4);
  expect([...next.value]).toEqual([[1, text.indexOf('",[') + 1]]);
});
