/** Requests that are read once come to the same as those whose text is read twice. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson } from '../proto/json.ts';
import { parseWritten, writtenText } from '../proto/written-json.ts';
import { kindSpec, SPECIFIED_KINDS } from './index.ts';
import { ofWritten, withPassed } from './passed.ts';

const names = fc.constantFrom(
  ...['query', 'params', 'rows', 'body', 'queries', 'request', 'operations', 'timeout_ms'],
  ...['1', '07', '__proto__', 'vector', 'values'],
);
const numbers = fc.constantFrom(
  ...['1', '-0', '1.0', '1.10', '1e2', '1E400', '12345678901234567890', '0.1', '1e-7', '3e0'],
);
/** JSON text. */
const { text: texts } = fc.letrec<{ text: string }>((tie) => ({
  text: fc.oneof(
    { depthSize: 'small' },
    numbers,
    fc.constantFrom('"a"', 'true', 'null', '""'),
    fc.array(tie('text'), { maxLength: 4 }).map((all) => `[${all.join()}]`),
    fc
      .array(fc.tuple(names, tie('text')), { maxLength: 5 })
      .map((all) => `{${all.map(([name, value]) => `"${name}": ${value}`).join()}}`),
  ),
}));

test('each kind has the same of a text that is read as it was written alone', () => {
  let different = 0;
  const both = fc.tuple(fc.constantFrom(...SPECIFIED_KINDS), texts);
  fc.assert(
    fc.property(both, ([kind, text]) => {
      if (kindSpec(kind).passes === undefined) return;
      const [plain, written] = [parseJson(text), parseWritten(text)];
      const told = writtenText(ofWritten(kind, written));
      expect(told).toBe(writtenText(withPassed(kind, plain, written)));
      if (told !== writtenText(written)) different += 1;
    }),
    { numRuns: 4_000 },
  );
  expect(different).toBeGreaterThan(100);
});
