/** A machine without a server's programs leaves its tests out and says so; CI does not. */
import { expect, test } from 'vitest';
import { leftOut } from './left-out.ts';

test('a machine with nothing leaves out all but what npm brings', () => {
  const { tests, pages, sentences } = leftOut({ PATH: '/nowhere' });
  const named = ['mysql', 'mongo', 'cassandra', 'clickhouse', 'redis', 'upstash'];
  expect(pages).toEqual(named.map((each) => `${each}.md`));
  expect(tests.some((pattern) => pattern.includes('postgres'))).toBe(false);
  expect(sentences).toContain(
    'Tests of cassandra are left out: there is no java and no mvn. Or name a server with TEST_CASSANDRA_URL.',
  );
});

test('a server that the environment names is enough', () => {
  const { pages } = leftOut({ PATH: '', TEST_CASSANDRA_URL: 'cassandra://host/keyspace' });
  expect(pages).toEqual(['mysql.md', 'mongo.md', 'clickhouse.md', 'redis.md', 'upstash.md']);
});

test('in CI nothing is left out', () => {
  expect(leftOut({ CI: 'true', PATH: '/nowhere' })).toEqual({
    tests: [],
    pages: [],
    sentences: [],
  });
});
