/** All public suites, by the names that `npm run conformance` takes. */
import { openapiFuzz } from './openapi-fuzz.ts';
import { upstashRatelimitPy } from './python.ts';
import { mariadbTests } from './sql/mariadb.ts';
import { postgresRegress } from './sql/postgres.ts';
import type { Suite } from './suite.ts';
import { upstashSuites } from './upstash.ts';
import { vectorSuites } from './vectors.ts';

export const suites: Readonly<Record<string, Suite>> = {
  ...vectorSuites,
  'openapi-fuzz': openapiFuzz,
  ...upstashSuites,
  'upstash-ratelimit-py': upstashRatelimitPy,
  'postgres-regress': postgresRegress,
  'mariadb-tests': mariadbTests,
};
