/** What is told of a storage that failed. */
import { expect, test } from 'vitest';
import { respondToError } from './http/respond.ts';
import { outcomeOf } from './outcome.ts';

const full = new Error('Failed query', {
  cause: new Error('D1_ERROR: database or disk is full: SQLITE_FULL'),
});

test.each([
  { written: false, status: 503, code: 'SERVICE_UNAVAILABLE', retryAfter: '5' },
  // Who is told to come again would write twice.
  { written: true, status: 502, code: 'OUTCOME_UNKNOWN', retryAfter: null },
])('a full disk is $status where the backend was changed: $written', async (expected) => {
  const { result } = await outcomeOf((known) => {
    known.written = expected.written;
    return Promise.reject(full);
  });
  const reply = respondToError(result, { requestId: 'request-1' }, '/');
  expect({
    status: reply.status,
    retryAfter: reply.headers.get('Retry-After'),
    code: (await reply.json<{ code: string }>()).code,
    written: expected.written,
  }).toEqual(expected);
});
