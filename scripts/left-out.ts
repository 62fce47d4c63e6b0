/**
 * Which real servers a machine cannot have, so that a run there leaves out what needs them and
 * says so. Where `CI` is set nothing is left out: what is missing fails.
 */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** One server beside PostgreSQL, which npm brings. */
interface Needs {
  /** The environment variable that names a server instead. */
  readonly variable: string;
  /** Each list has programs of which one must be there. */
  readonly programs: readonly (readonly string[])[];
  /** Its tests, as vitest takes patterns. */
  readonly tests: readonly string[];
  /** Its page below docs/backends. */
  readonly page?: string;
}

const DEBIAN = [['apt-get'], ['dpkg']];
const NEEDS: Readonly<Record<string, Needs>> = {
  mysql: {
    variable: 'TEST_MYSQL_URL',
    programs: [
      ['mariadbd', 'apt-get'],
      ['mariadb-install-db', 'dpkg'],
    ],
    tests: ['node-relay/drivers/mysql/**', 'test/mysql*.test.ts', 'test/planetscale*.test.ts'],
    page: 'mysql.md',
  },
  mongo: {
    variable: 'TEST_MONGO_URL',
    programs: [['python3']],
    tests: [
      'node-relay/drivers/mongo/**',
      'test/mongo*.test.ts',
      'test/mongodb-crud/**',
      'test/subscribe.test.ts',
    ],
    page: 'mongo.md',
  },
  cassandra: {
    variable: 'TEST_CASSANDRA_URL',
    programs: [['java'], ['mvn']],
    tests: ['node-relay/drivers/cassandra/**', 'test/cassandra*.test.ts'],
    page: 'cassandra.md',
  },
  clickhouse: {
    variable: 'TEST_CLICKHOUSE_URL',
    programs: [['python3']],
    tests: ['node-relay/drivers/clickhouse/**', 'test/clickhouse*.test.ts'],
    page: 'clickhouse.md',
  },
  redis: {
    variable: 'TEST_REDIS_URL',
    programs: [['python3']],
    tests: [
      'node-relay/drivers/redis/**',
      'test/redis*.test.ts',
      'scripts/redis*/**',
      'scripts/redis*.test.ts',
    ],
    page: 'redis.md',
  },
  // The vendor is stood in for by a server of Redis.
  upstash: {
    variable: 'TEST_REDIS_URL',
    programs: [['python3']],
    tests: ['test/upstash*.test.ts'],
    page: 'upstash.md',
  },
  'clickhouse-18': {
    variable: 'TEST_CLICKHOUSE_18_URL',
    programs: DEBIAN,
    tests: ['node-relay/drivers/clickhouse/genuine.test.ts'],
  },
};

/** What is left out, and why. */
export interface LeftOut {
  readonly tests: readonly string[];
  readonly pages: readonly string[];
  /** For the person who runs the tests; one each. */
  readonly sentences: readonly string[];
}

/** What a run on this machine leaves out. */
export function leftOut(environment: NodeJS.ProcessEnv = process.env): LeftOut {
  const missing = environment.CI
    ? []
    : Object.entries(NEEDS).flatMap(([kind, needs]) => {
        const lacks = environment[needs.variable] ? [] : lackingOf(needs, environment.PATH ?? '');
        return lacks.length === 0 ? [] : [{ kind, lacks, ...needs }];
      });
  return {
    tests: missing.flatMap(({ tests }) => tests),
    pages: missing.flatMap(({ page }) => (page === undefined ? [] : [page])),
    sentences: missing.map(
      ({ kind, lacks, variable }) =>
        `Tests of ${kind} are left out: there is no ${lacks.join(' and no ')}. Or name a server with ${variable}.`,
    ),
  };
}

function lackingOf({ programs }: Needs, path: string): string[] {
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  const isThere = (name: string) => folders.some((folder) => existsSync(join(folder, name)));
  return programs.filter((names) => !names.some(isThere)).map((names) => names.join(' or '));
}
