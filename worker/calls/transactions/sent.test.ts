/** What backends are sent of operations is the same whether it is made at once or in pieces, and a large one gives way. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Kind } from '../../../kinds/index.ts';
import type { JsonObject } from '../../../proto/json.ts';
import { whole } from '../../../proto/work/pieces.ts';
import { parseWritten } from '../../../proto/written-json.ts';
import { sentInPieces, sentOf } from './sent.ts';

const number = fc.constantFrom('1', '1.10', '1e2', '-0', '12345678901234567890', '0.1');
const value = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    number,
    fc.string().map((text) => JSON.stringify(text)),
    fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join()}]`),
    fc
      .array(fc.tuple(fc.constantFrom('b', 'a', '2', '1'), tie('value')), { maxLength: 3 })
      .map((members) => `{${members.map(([name, of]) => `"${name}":${of}`).join()}}`),
  ),
})).value;

/** A request of each sort of kind: passed on in part, as a whole, as its text, and parsed. */
const bodies: readonly (readonly [Kind, (value: string) => string])[] = [
  ['postgres', (of) => `{"query":"SELECT $1","params":[${of}]}`],
  ['mongo', (of) => `{"type":"insert_one","collection":"a","document":{"v":${of}}}`],
  ['http', (of) => `{"method":"POST","path":"/a","body":${of}}`],
  ['redis', (of) => `{"type":"set","key":"a","value":${JSON.stringify(of)}}`],
];

test.each(bodies)('of %s', (kind, bodyOf) => {
  fc.assert(
    fc.property(value, (of) => {
      const body = parseWritten(bodyOf(of)) as JsonObject; // As it is written here.
      const { text: atOnce, ...others } = sentOf(kind, body);
      const { text, ...inPieces } = whole(sentInPieces(kind, body));
      expect(inPieces).toEqual(others);
      expect(text()).toBe(atOnce());
    }),
    { numRuns: 300 },
  );
});

test('of a large operation gives way', () => {
  const params = [Array.from({ length: 200_000 }, () => [1, 'a'])];
  let pauses = 0;
  const pieces = sentInPieces('postgres', { query: 'SELECT $1', params });
  while (!pieces.next().done) pauses += 1;
  expect(pauses).toBeGreaterThan(20);
});
