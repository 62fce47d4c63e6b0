/** Requests of very many members: refused before they are copied and compared. */
import { expect, test } from 'vitest';
import { parseRequest } from './index.ts';

const request = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, 1]));

test('a request of more than 1,000 members is refused with their number', () => {
  expect(() => parseRequest('postgres', request(1_001))).toThrow(
    'has 1001 members: a request has 1000 at most',
  );
  expect(() => parseRequest('postgres', { request: request(1_001) })).toThrow(
    'has 1001 members: a request has 1000 at most',
  );
});

test('one of 1,000 is told which of them are wrong, and a value may have any number', () => {
  expect(() => parseRequest('postgres', request(1_000))).toThrow('query: is required');
  const params = [request(5_000)];
  const { request: read } = parseRequest('postgres', { query: 'select $1::json', params });
  expect(read).toMatchObject({ params });
});
