/** What keeps a MySQL or MariaDB server from preparing. Spec: transactions.md §2, §3. */
import { ServerError } from '../../../kinds/mysql/dialect/failures.ts';
import type { Lack } from '../../../proto/prepares.ts';
import type { Connection } from './connection.ts';
import { listed } from './finish.ts';

/** The first whose prepared transactions outlive their connection. Source: MySQL 5.7.7 and MariaDB 10.5 release notes. */
const SINCE = { mysql: [5, 7, 7], mariadb: [10, 5, 0] } as const;

/** Nothing when the server can prepare. */
export async function lacksOf(connection: Connection): Promise<Lack[]> {
  const [[version = ''] = []] = await connection.rows('SELECT VERSION()', []);
  const known = lackOfVersion(version);
  if (known !== undefined) return [known];
  const [[, galera = ''] = []] = await connection.rows("SHOW VARIABLES LIKE 'wsrep_on'", []);
  if (galera.toUpperCase() === 'ON') {
    return [{ code: 'cluster', message: 'XA transactions: a Galera cluster has none' }];
  }
  return lackOfRecovery(connection);
}

/** By the server's own text of its version, such as `10.11.6-MariaDB-0+deb12u1`. */
export function lackOfVersion(version: string): Lack | undefined {
  const isMariadb = /mariadb/i.test(version);
  // Some put the version that old clients expect before their own.
  const numbers =
    /(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?=-mariadb)/i.exec(version) ??
    /(\d{1,9})\.(\d{1,9})\.(\d{1,9})/.exec(version);
  const found = (numbers ?? []).slice(1).map(Number);
  const since = isMariadb ? SINCE.mariadb : SINCE.mysql;
  const differs = since.findIndex((number, at) => found[at] !== number);
  if (differs < 0 || Number(found[differs]) > Number(since[differs])) return undefined;
  const message =
    'prepared transactions that outlive their connection: MySQL has them since 5.7.7, MariaDB since 10.5';
  return { code: 'version', message };
}

/** XAER_RMERR, and access denied. */
const DENIED = new Set([1401, 1227, 1044, 1142]);

async function lackOfRecovery(connection: Connection): Promise<Lack[]> {
  try {
    await listed(connection);
    return [];
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    if (!DENIED.has(error.errno)) {
      return [{ code: 'version', message: 'XA transactions: the server does not know XA RECOVER' }];
    }
    const message =
      'the privilege to find its prepared transactions again: GRANT XA_RECOVER_ADMIN ON *.* to its user';
    return [{ code: 'privilege', message }];
  }
}
