/** Promises of requests.ts: a request is read as the worker read it. */
import { expect, test } from 'vitest';
import { parse } from './requests.ts';
import type { CallTarget } from './target.ts';

// Only what reading looks at.
const target = (kind: string) => ({ kind, mode: 'read' }) as unknown as CallTarget;
const bytes = (text: string) => new TextEncoder().encode(text);

test.each([
  ['mongo', '"type": "find", "collection": "a"', '1e4', 10_000],
  ['mongo', '"type": "find", "collection": "a"', '250.0', 250],
  ['postgres', '"query": "SELECT 1"', '1e4', 10_000],
])('a deadline of %s may be written as any number', (kind, members, written, value) => {
  const request = parse(target(kind), bytes(`{${members}, "timeout_ms": ${written}}`));
  expect(request.timeout_ms).toBe(value);
});

test.each(['0', '1.5', '1e400', '"10"'])('a deadline of %s is refused', (written) => {
  const text = `{"type": "find", "collection": "a", "timeout_ms": ${written}}`;
  expect(() => parse(target('mongo'), bytes(text))).toThrow(/timeout_ms/);
});
