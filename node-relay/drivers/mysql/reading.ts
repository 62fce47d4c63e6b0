/** What a read needs of its session: no open write transaction, and text that is read as the guard reads it. */
import { GatewayError } from '../../../proto/errors.ts';
import type { Connection } from './connection.ts';
import type { Execution } from './execute.ts';
import { readsAsGuard } from './session.ts';

/**
 * What goes ahead of a read so that it is one; answers whether a transaction was begun for it.
 * @throws GatewayError TRANSACTION_OPEN inside an open write transaction
 */
export async function beforeRead({ connection, place }: Execution): Promise<boolean> {
  if (connection.readOnly && place === 'call') return false;
  const { wire } = connection;
  if ((wire.inTransaction && !wire.readOnlyTransaction) || connection.tablesLocked) {
    const what = connection.tablesLocked ? 'locked tables' : 'a write transaction open';
    throw new GatewayError(
      'TRANSACTION_OPEN',
      `The session has ${what}, and takes no read inside it; send the SELECT to /write`,
    );
  }
  if (wire.inTransaction) return false;
  await connection.query('START TRANSACTION READ ONLY');
  return true;
}

/** A session's own SET may have changed how it reads what the guard has read, and how the guard is answered. @throws GatewayError BAD_REQUEST */
export async function requireReading(connection: Connection): Promise<void> {
  const [row] = await connection.rows(
    `SELECT @@SESSION.sql_mode, @@SESSION.character_set_client,
      @@SESSION.character_set_connection, @@SESSION.character_set_results LIMIT 1`,
    [],
  );
  const [mode = '', ...charsets] = row ?? [];
  const isUtf8 = charsets.length > 0 && charsets.every((each) => each.startsWith('utf8'));
  if (!readsAsGuard(mode) || !isUtf8) {
    const message =
      'A read needs a session in UTF-8 without ANSI_QUOTES, NO_BACKSLASH_ESCAPES and ORACLE';
    throw new GatewayError('BAD_REQUEST', message);
  }
}
