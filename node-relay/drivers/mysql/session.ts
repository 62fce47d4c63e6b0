/** What every session is set to before its first call and after each reset. */
import { randomInt } from 'node:crypto';
import type { Mode } from '../../../proto/driver.ts';

/** The guard reads statements by the rules without these. */
const QUOTING = ['ANSI_QUOTES', 'NO_BACKSLASH_ESCAPES'];
/** Names of groups that hold ANSI_QUOTES and more; set, they bring it back. */
const GROUPS = ['ANSI', 'DB2', 'MAXDB', 'MSSQL', 'ORACLE', 'POSTGRESQL', 'MYSQL323', 'MYSQL40'];

const WHO = "SELECT COALESCE(CURRENT_ROLE(), ''), COALESCE(DATABASE(), '')";
/** Asks for what a reset does not restore, the second of servers without profiles. */
export const IDENTITY = [
  `${WHO}, IF(EXISTS (SELECT 1 FROM information_schema.PROFILING), 'profiled', '')`,
  WHO,
];

/** Whether the server takes text apart as the guard does under such an `sql_mode`. */
export function readsAsGuard(sqlMode: string): boolean {
  return !sqlMode.split(',').some((each) => [...QUOTING, ...GROUPS].includes(each));
}

/** Of the server's default, what leaves quoting as the guard reads it. */
export function sessionSettings(mode: Mode): string[] {
  const refused = [...QUOTING, ...GROUPS].map((each) => `'${each}'`);
  // Wrapped in commas, so that a name is only found whole.
  const cleaned = refused.reduce(
    (text, name) => `REPLACE(${text}, CONCAT(',', ${name}, ','), ',')`,
    "CONCAT(',', @@GLOBAL.sql_mode, ',')",
  );
  return [
    'SET NAMES utf8mb4',
    `SET SESSION sql_mode = TRIM(BOTH ',' FROM ${cleaned}), time_zone = '+00:00', autocommit = 1`,
    // A reset keeps them, and they reveal what rand() answers next.
    `SET SESSION rand_seed1 = ${seed()}, rand_seed2 = ${seed()}`,
    ...(mode === 'read' ? ['SET SESSION TRANSACTION READ ONLY'] : []),
  ];
}

/** Below the servers' own bound of 2^30 - 1. */
function seed(): number {
  return randomInt(1, 0x3fff_ffff);
}
