/** Prepared transactions on a real PostgreSQL that is killed and started again. */
import { describe } from 'vitest';
import { debianPostgres } from '../../../test/servers/postgres/debian-program.ts';
import { describePrepares } from '../contract-prepares.ts';
import { postgresPrepares } from './test/prepares.ts';

describe.each([
  ['of the year 2026', undefined],
  ['of the year 2022', debianPostgres],
])('PostgreSQL %s', (_, programOf) => {
  describePrepares(...postgresPrepares(programOf));
});
