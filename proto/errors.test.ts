/** What every failed connection says, whichever driver reports it. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CONNECTION_FAILED_PREFIX, GatewayError } from './errors.ts';

const said = (words: string) => new GatewayError('CONNECTION_FAILED', words).message;

test.each([
  ['connection refused', 'Unable to connect to database: connection refused'],
  ['The server cannot be reached', 'Unable to connect to database: the server cannot be reached'],
  ['TLS failed', 'Unable to connect to database: TLS failed'],
  ['Upstash could not answer', 'Unable to connect to database: Upstash could not answer'],
])('%s', (words, message) => {
  expect(said(words)).toBe(message);
});

test('every failed connection begins so once, however often it is told on', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.array(fc.constantFrom('operations.0: ', 'shop: ', '')),
      (words, tellers) => {
        const message = tellers.reduce((told, teller) => said(`${teller}${told}`), said(words));
        expect(message.split(CONNECTION_FAILED_PREFIX)).toEqual(['', expect.any(String)]);
        expect(message.toLowerCase()).toContain(words.toLowerCase());
      },
    ),
  );
});

test('other failures say what they were given', () => {
  fc.assert(
    fc.property(fc.string(), (words) => {
      expect(new GatewayError('OUTCOME_UNKNOWN', words).message).toBe(words);
    }),
  );
});
