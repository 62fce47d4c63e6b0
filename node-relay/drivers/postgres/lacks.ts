/** What keeps a PostgreSQL server from preparing. Spec: transactions.md §2. */
import { DatabaseError } from 'pg';
import type { Lack } from '../../../proto/prepares.ts';
import type { Connection } from './connection.ts';

/** The first whose transactions can be asked after by their numbers as we do. */
const VERSION_MIN = 130_000;
const VERSION: Lack = { code: 'version', message: 'a server of PostgreSQL 13 or newer' };

const ASK = `SELECT current_setting('server_version_num'), current_setting('max_prepared_transactions'),
  pg_is_in_recovery()`;

/** Nothing when the server can prepare. */
export async function lacksOf(connection: Connection): Promise<Lack[]> {
  if (connection.pooled) {
    const message =
      'a connection to the server itself: a pooler in transaction mode stands before it';
    return [{ code: 'pooler', message }];
  }
  try {
    const [[version, prepared, standby] = []] = await connection.catalogRows({ text: ASK });
    return lacksBy(Number(version), Number(prepared), standby === 't');
  } catch (error) {
    // A server that is only like PostgreSQL.
    if (error instanceof DatabaseError && error.code?.startsWith('42')) return [VERSION];
    throw error;
  }
}

function lacksBy(version: number, prepared: number, standby: boolean): Lack[] {
  const lacks: Lack[] = [];
  if (!(version >= VERSION_MIN)) lacks.push(VERSION);
  if (!(prepared > 0)) {
    const message =
      'prepared transactions: max_prepared_transactions is 0 (ALTER SYSTEM SET max_prepared_transactions = 100, then restart the server)';
    lacks.push({ code: 'prepared_transactions_off', message });
  }
  if (standby) {
    lacks.push({
      code: 'standby',
      message: 'a primary: the server is a standby and takes no writes',
    });
  }
  return lacks;
}
