/** What a caller is told of each of the server's errors, and that no address is told. */
import cassandra from 'cassandra-driver';
import { describe, expect, test } from 'vitest';
import { GatewayError } from '../../../proto/errors.ts';
import { fromFailure, withoutAddresses } from './errors.ts';

// The driver's types say less than its constructor takes.
const ResponseError = cassandra.errors.ResponseError as unknown as new (
  code: number,
  message: string,
) => Error;
const { signal } = new AbortController();

describe('errors of the server', () => {
  test.each([
    [0x1000, 'SERVICE_UNAVAILABLE', '0x1000'],
    [0x1001, 'SERVICE_UNAVAILABLE', '0x1001'],
    [0x1003, 'OUTCOME_UNKNOWN', '0x1003'],
    [0x1100, 'OUTCOME_UNKNOWN', '0x1100'],
    [0x1200, 'TIMED_OUT', '0x1200'],
    [0x1300, 'REQUEST_FAILED', '0x1300'],
    [0x1500, 'OUTCOME_UNKNOWN', '0x1500'],
    [0x1700, 'OUTCOME_UNKNOWN', '0x1700'],
    [0x2000, 'REQUEST_FAILED', '0x2000'],
    [0x2100, 'REQUEST_FAILED', '0x2100'],
    [0x2400, 'REQUEST_FAILED', '0x2400'],
    [0x000a, 'REQUEST_FAILED', '0x000A'],
    [0x0100, 'CONNECTION_FAILED', '0x0100'],
  ])('%i is %s', (number, code, told) => {
    const cause = new ResponseError(number, 'of node /10.0.0.7:7000');
    const failure = fromFailure(cause, { uncertain: true, max: 1_000, signal });
    expect(failure).toMatchObject({
      code,
      details: [{ source: 'cassandra', code: told, message: 'of node address' }],
    });
  });
});

test('a lost connection is an unknown outcome for a change that was sent, else a lost connection', () => {
  const cause = new Error('closed');
  expect(fromFailure(cause, { uncertain: true, max: 1_000, signal })).toMatchObject({
    code: 'OUTCOME_UNKNOWN',
  });
  expect(fromFailure(cause, { uncertain: false, max: 1_000, signal })).toMatchObject({
    code: 'CONNECTION_FAILED',
  });
  const reason = new GatewayError('TIMED_OUT', 'The deadline passed');
  const aborted = AbortSignal.abort(reason);
  expect(fromFailure(cause, { uncertain: false, max: 1_000, signal: aborted })).toBe(reason);
});

test.each([
  ['Sending to /127.0.0.1:7000 now', 'Sending to address now'],
  ['from db.example.com/192.0.2.7:7000', 'from address'],
  ['to /[2001:db8::1]:7000', 'to address'],
  [
    'Undefined column name price in table shop.items',
    'Undefined column name price in table shop.items',
  ],
])('%s', (text, told) => {
  expect(withoutAddresses(text)).toBe(told);
});
