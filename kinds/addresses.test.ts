/** What is hidden of what servers say, and what stays. Contract §1, "Never in an error". */
import { expect, test } from 'vitest';
import { hideAddresses } from './addresses.ts';

test.each([
  ['no route to 127.0.0.1:5432, user shop', 'no route to (address), user shop'],
  ['url postgresql://shop:pass@db.internal/shop?x=1 is down', 'url (address) is down'],
  ['could not connect to [fd00::1]:5432', 'could not connect to (address)'],
  ['connection to db.internal:5432 failed', 'connection to (address) failed'],
  [
    'connection to server at "db.internal" (::1) failed',
    'connection to server at "(address)" ((address)) failed',
  ],
  ['could not translate host name "db.internal"', 'could not translate host name "(address)"'],
  [
    "Can't connect to server on 'db.internal' (115)",
    "Can't connect to server on '(address)' (115)",
  ],
  ['no route to fd00::12, ::1 or ::ffff:10.0.0.7', 'no route to (address), (address) or (address)'],
  ['connection to localhost:5432 failed', 'connection to (address) failed'],
])('%s: %s', (said, told) => expect(hideAddresses(said)).toBe(told));

test.each([
  'duplicate key value violates unique constraint "gifts_pkey"',
  'invalid input syntax for type timestamp: "2026-01-01 12:34:56+00"',
  'operator does not exist: text = integer',
  'syntax error at or near "$1::dec", "::int4" or "a::date"',
  'cannot cast public.mood[] to integer at 1:2',
])('%s stays', (said) => expect(hideAddresses(said)).toBe(said));
