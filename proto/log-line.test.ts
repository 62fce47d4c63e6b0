/** Lines of logs keep their bound, whatever is in their fields. */
import { expect, test } from 'vitest';
import { boundedLine, LINE_MAX_BYTES } from './log-line.ts';

const HUGE = 20_000_000;
/** Far more than it takes; what this is to show is that work does not grow with what is given. */
const AT_ONCE_MS = 2_000;

const bytesOf = (line: string) => new TextEncoder().encode(line).byteLength;
const nested = (levels: number): Error => {
  let error = new Error('M'.repeat(1_000_000));
  for (let level = 0; level < levels; level += 1) {
    error = Object.assign(new Error('M'.repeat(1_000_000), { cause: error }), { within: error });
  }
  return error;
};
const HEAD = { time: '2026-01-01T00:00:00.000Z', level: 'warn', program: 'worker', message: 'm' };

test('what fits is told as it is', () => {
  const entry = { ...HEAD, n: 1, none: null, yes: true, list: ['a', { b: 'ü' }], left: undefined };
  expect(boundedLine(entry)).toBe(JSON.stringify(entry));
  expect(boundedLine({ at: new Date(0) })).toBe('{"at":"1970-01-01T00:00:00.000Z"}');
});

test.each<[string, () => object]>([
  [
    'a text of 20 MB in every field',
    () => {
      const text = 'M'.repeat(HUGE);
      return { ...HEAD, message: text, path: text, code: text, stack: text, cause: text };
    },
  ],
  [
    'texts that grow as they are written',
    () => ({ ...HEAD, one: '\u0000'.repeat(HUGE), two: '€"\n'.repeat(HUGE / 4) }),
  ],
  [
    'many fields',
    () => ({
      ...HEAD,
      ...Object.fromEntries(
        Array.from({ length: 20_000 }, (_, at) => [`${at}-${'n'.repeat(100)}`, at]),
      ),
    }),
  ],
  ['names of 20 MB', () => ({ ...HEAD, ['N'.repeat(HUGE)]: 1 })],
  ['an array of 20 million elements', () => ({ ...HEAD, issues: new Array(HUGE).fill(0) })],
  [
    'arrays within arrays',
    () => ({ ...HEAD, issues: JSON.parse(`${'['.repeat(5_000)}1${']'.repeat(5_000)}`) }),
  ],
  [
    'arrays of texts',
    () => ({ ...HEAD, issues: new Array(1_000_000).fill('path '.repeat(1_000)) }),
  ],
  ['nested causes', () => ({ ...HEAD, cause: nested(20), causes: [nested(3), nested(3)] })],
  [
    'what refers to itself',
    () => {
      const entry: Record<string, unknown> = { ...HEAD };
      entry.itself = entry;
      return entry;
    },
  ],
])('%s: one short line, made at once', (_, make) => {
  const entry = make();
  const started = performance.now();
  const line = boundedLine(entry);
  expect(performance.now() - started).toBeLessThan(AT_ONCE_MS);
  expect(bytesOf(line)).toBeLessThanOrEqual(LINE_MAX_BYTES);
  expect(line).not.toContain('\n');
  expect(JSON.parse(line)).toMatchObject({ time: HEAD.time, level: 'warn', cut: true });
});

test('a text that is cut keeps its beginning', () => {
  const { message } = JSON.parse(boundedLine({ message: `begin ${'M'.repeat(HUGE)}` }));
  expect(message).toMatch(/^begin M+$/);
});
