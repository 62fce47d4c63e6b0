/** A machine without a server's programs leaves its tests out and says so; CI does not. */
import { globSync, readFileSync } from 'node:fs';
import { basename, join, matchesGlob } from 'node:path';
import { expect, test } from 'vitest';
import { leftOut } from './left-out.ts';

const ROOT = join(import.meta.dirname, '..');

test('a machine with nothing leaves out all but what npm brings', () => {
  const { tests, pages, sentences } = leftOut({ PATH: '/nowhere' });
  const named = ['mysql', 'mongo', 'cassandra', 'clickhouse', 'redis', 'upstash'];
  expect(pages).toEqual(named.map((each) => `${each}.md`));
  const ofPostgres = globSync('node-relay/drivers/postgres/*.test.ts', { cwd: ROOT });
  const left = ofPostgres.filter((file) => tests.some((pattern) => matchesGlob(file, pattern)));
  expect(left.map((file) => basename(file)).sort()).toEqual([
    'behind-pooler.test.ts',
    'changes-older.test.ts',
    'older.test.ts',
    'pooler.test.ts',
    'prepares-faults.test.ts',
  ]);
  expect(sentences).toContain(
    'Tests of cassandra are left out: there is no java and no mvn. Or name a server with TEST_CASSANDRA_URL.',
  );
});

test('a server that the environment names is enough', () => {
  const { pages } = leftOut({ PATH: '', TEST_CASSANDRA_URL: 'cassandra://host/keyspace' });
  expect(pages).toEqual(['mysql.md', 'mongo.md', 'clickhouse.md', 'redis.md', 'upstash.md']);
});

test('a named server does not stand for those that tests start by themselves', () => {
  const { tests, sentences } = leftOut({ PATH: '', TEST_REDIS_URL: 'redis://host' }, 'linux x64');
  expect(tests.some((pattern) => matchesGlob('test/redis.test.ts', pattern))).toBe(false);
  expect(tests).toContain('test/upstash*.test.ts');
  expect(sentences).toContain(
    'Tests of redis and upstash, with servers of their own are left out: there is no python3.',
  );
});

test('programs that run elsewhere alone are not here', () => {
  const { PATH } = process.env;
  expect(leftOut({ PATH }, 'darwin arm64').sentences.join('\n')).toMatch(
    /Tests of redis are left out: there is no (?:python3 and no )?linux x64\. Or name/,
  );
});

test.each([
  ['a pooler', /\bstartPgbouncer\b|backend\('postgres-pgbouncer'\)/],
  ['a server of Redis', /\b(?:ownRedis|startRedis|startCluster|startSentinels|TestSession)\b/],
  [
    "the run's other databases",
    /(?:backend|proveOn)\('(?:postgres-15|postgres-pgbouncer|mysql|mongo|cassandra|clickhouse|clickhouse-18)'\)/,
  ],
  ["the run's Redis", /\bredisEndpoint\b|backend\('(?:redis|redis-7|valkey)'\)/],
])('every test that needs %s is left out where there is none', (_, uses) => {
  const { tests } = leftOut({ PATH: '/nowhere' });
  const needy = globSync('{node-relay,server,tooling,test}/**/*.test.ts', { cwd: ROOT }).filter(
    (file) =>
      !file.endsWith('left-out.test.ts') && uses.test(readFileSync(join(ROOT, file), 'utf8')),
  );
  expect(needy.length).toBeGreaterThan(1);
  const kept = needy.filter((file) => !tests.some((pattern) => matchesGlob(file, pattern)));
  expect(kept).toEqual([]);
});

test('in CI nothing is left out', () => {
  expect(leftOut({ CI: 'true', PATH: '/nowhere' })).toEqual({
    tests: [],
    pages: [],
    sentences: [],
  });
});
