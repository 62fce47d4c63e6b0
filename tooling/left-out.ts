/**
 * Which real servers a machine cannot have, so that a run there leaves out what needs them and
 * says so. Where `CI` is set nothing is left out: what is missing fails.
 */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** One server besides the PostgreSQL that npm brings. */
interface Needs {
  /** The environment variable that names a server instead; without, the tests start servers of their own. */
  readonly variable?: string;
  /** Where its programs run, as `process.platform` and `process.arch` say; anywhere, without. */
  readonly platform?: string;
  /** Of the programs in each list one must be there. */
  readonly programs: readonly (readonly string[])[];
  /** Its tests, as vitest takes patterns. */
  readonly tests: readonly string[];
  /** Its pages below docs. */
  readonly pages?: readonly string[];
}

const DEBIAN = [['apt-get'], ['dpkg']];
/** They need all databases that speak SQL or CQL. */
const TEMPLATES_OF_SQL = ['test/templates/injection/{sql,types}.test.ts'];
/** They need those that its page names. */
const IDIOMS = 'test/templates/idioms.test.ts';
/** It needs the servers of all kinds. */
const WRITTEN = 'test/written.test.ts';
/** It needs those whose rows are CSV and whose columns may come before. */
const CSV = 'test/csv.test.ts';
/** Of a server of each kind that takes part in transactions, and of one that does not. */
const TOLD_ALONE = 'test/transactions/told-alone.test.ts';
/** Of the kinds that tell statements apart by their types. */
const NO_READ = 'test/transactions/no-read.test.ts';
/** Of several servers, with marks in each. */
const ONCE = ['test/once.test.ts', 'test/proofs/once/**'];
/** Its packages are built for that alone. */
const REDIS = { programs: [['python3']], platform: 'linux x64' };
const NEEDS: Readonly<Record<string, Needs>> = {
  'postgres-15': {
    variable: 'TEST_POSTGRES_15_URL',
    programs: DEBIAN,
    tests: ['node-relay/drivers/postgres/{older,changes-older}.test.ts'],
  },
  'postgres-15, with servers of its own': {
    programs: DEBIAN,
    tests: ['test/proofs/postgres-*/older.test.ts'],
  },
  'postgres-pgbouncer': {
    programs: [
      ['pgbouncer', 'apt-get'],
      ['pgbouncer', 'dpkg'],
    ],
    tests: ['node-relay/drivers/postgres/{behind-pooler,pooler,prepares-faults}.test.ts'],
  },
  mysql: {
    variable: 'TEST_MYSQL_URL',
    programs: [
      ['mariadbd', 'apt-get'],
      ['mariadb-install-db', 'dpkg'],
    ],
    tests: [
      'node-relay/drivers/mysql/**',
      'test/{caller-variables,mysql*}.test.ts',
      'test/planetscale*.test.ts',
      'node-relay/tunnel/{contract,prepares}-mysql.test.ts',
      'test/transactions/{atomic,in-doubt,interactive,lacking-level,stalled}.test.ts',
      TOLD_ALONE,
      'test/proofs/transactions/**',
      'test/proofs/histories/histories.test.ts',
      ...ONCE,
      'test/data-changes/mariadb.test.ts',
      ...TEMPLATES_OF_SQL,
      IDIOMS,
      CSV,
      WRITTEN,
    ],
    pages: ['mysql.md'],
  },
  mongo: {
    variable: 'TEST_MONGO_URL',
    programs: [['python3']],
    tests: [
      'node-relay/drivers/mongo/**',
      'node-relay/tunnel/contract-mongo.test.ts',
      ...ONCE,
      'test/mongo*.test.ts',
      'test/mongodb-crud/**',
      'test/data-changes/mongo.test.ts',
      'test/subscribe.test.ts',
      'test/transactions/{reads-without-preparing,stalled}.test.ts',
      TOLD_ALONE,
      'test/templates/injection/documents.test.ts',
      'test/templates/written.test.ts',
      WRITTEN,
    ],
    pages: ['mongo.md'],
  },
  'a generator of clients for Python': {
    programs: [['python3']],
    tests: ['test/openapi/clients.test.ts'],
  },
  cassandra: {
    variable: 'TEST_CASSANDRA_URL',
    programs: [['java'], ['mvn']],
    tests: [
      'node-relay/drivers/cassandra/**',
      'node-relay/tunnel/contract-cassandra.test.ts',
      'test/cassandra*.test.ts',
      NO_READ,
      ...TEMPLATES_OF_SQL,
      WRITTEN,
    ],
    pages: ['cassandra.md'],
  },
  clickhouse: {
    variable: 'TEST_CLICKHOUSE_URL',
    programs: [['python3']],
    tests: [
      'node-relay/drivers/clickhouse/**',
      'node-relay/tunnel/contract-clickhouse.test.ts',
      'test/clickhouse*.test.ts',
      'test/proofs/clickhouse-*/**',
      NO_READ,
      ...TEMPLATES_OF_SQL,
      IDIOMS,
      CSV,
      WRITTEN,
    ],
    pages: ['clickhouse.md'],
  },
  redis: {
    variable: 'TEST_REDIS_URL',
    ...REDIS,
    tests: [
      'test/{keys,mistakes,redis,redis-watch,stop-streams}.test.ts',
      'node-relay/drivers/redis/allow.test.ts',
      'test/transactions/in-doubt.test.ts',
      TOLD_ALONE,
      ...ONCE,
      'tooling/redis-table/effects.test.ts',
      'test/templates/injection/{documents,rights}.test.ts',
      WRITTEN,
    ],
  },
  'redis and upstash, with servers of their own': {
    ...REDIS,
    tests: [
      'node-relay/drivers/redis/{cluster,sentinel}*.test.ts',
      'node-relay/drivers/redis/{contract,corpus,differential,faults,hold,lease}.test.ts',
      'node-relay/tunnel/contract-redis.test.ts',
      'node-relay/drivers/redis/{once,run,server,server-tls,transact,watch}.test.ts',
      'test/redis-{caps,groups,loss,strangers,tls}.test.ts',
      'test/upstash*.test.ts',
      'test/servers/redis-server.test.ts',
      'tooling/redis-table/examples.test.ts',
    ],
    pages: ['redis.md', 'upstash.md'],
  },
  'clickhouse-18': {
    variable: 'TEST_CLICKHOUSE_18_URL',
    programs: DEBIAN,
    tests: ['node-relay/drivers/clickhouse/genuine.test.ts', 'test/proofs/clickhouse-tokens/**'],
  },
};

/** What is left out, and why. */
interface LeftOut {
  readonly tests: readonly string[];
  readonly pages: readonly string[];
  /** For the person who runs the tests; one each. */
  readonly sentences: readonly string[];
}

/** What a run on this machine leaves out. */
export function leftOut(
  environment: NodeJS.ProcessEnv = process.env,
  platform = `${process.platform} ${process.arch}`,
): LeftOut {
  const missing = environment.CI
    ? []
    : Object.entries(NEEDS).flatMap(([kind, needs]) => {
        const { variable = '' } = needs;
        const lacks = environment[variable]
          ? []
          : lackingOf(needs, environment.PATH ?? '', platform);
        return lacks.length === 0 ? [] : [{ kind, lacks, ...needs }];
      });
  return {
    tests: missing.flatMap(({ tests }) => tests),
    pages: missing.flatMap(({ pages = [] }) => pages),
    sentences: missing.map(({ kind, lacks, variable }) => {
      const instead = variable === undefined ? '' : ` Or name a server with ${variable}.`;
      return `Tests of ${kind} are left out: there is no ${lacks.join(' and no ')}.${instead}`;
    }),
  };
}

function lackingOf({ programs, platform: only }: Needs, path: string, platform: string): string[] {
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  const isThere = (name: string) => folders.some((folder) => existsSync(join(folder, name)));
  const lacks = programs.filter((names) => !names.some(isThere)).map((names) => names.join(' or '));
  return only === undefined || only === platform ? lacks : [...lacks, only];
}
