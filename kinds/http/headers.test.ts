/** Which headers of a reply are a result's. RFC 9110, section 7.6.1. */
import { expect, test } from 'vitest';
import { headersOfResult } from './headers.ts';

test('a result has no header of the connection, nor one that the connection names', () => {
  const headers = [
    ['connection', 'close, X-Hop'],
    ['connection', ' x-other ,'],
    ['x-hop', '1'],
    ['x-other', '2'],
    ['x-kept', '3'],
    ['x-kept', '4'],
    ['keep-alive', 'timeout=5'],
    ['content-length', '9'],
    ['set-cookie', 'a=1'],
  ] as const;
  expect(headersOfResult(headers, true)).toEqual({ 'x-kept': '3, 4', 'set-cookie': ['a=1'] });
  expect(headersOfResult(headers, false)).toMatchObject({ 'content-length': '9' });
});
