/** Whether a session's connection, as its caller left it, may take a read. */
import type { StatementScope } from '../../../kinds/postgres/dialect/admit.ts';
import { GatewayError } from '../../../proto/errors.ts';
import type { Connection } from './connection.ts';

/**
 * Contract §6: `/read` in a session runs under the same guards and not inside a write transaction,
 * and its text is the one that was checked.
 * @throws GatewayError TRANSACTION_OPEN, BAD_REQUEST
 */
export async function requireReadable(
  connection: Connection,
  place: StatementScope,
): Promise<void> {
  const { inTransaction, idle } = connection.wire;
  if (connection.readOnly || !(inTransaction || connection.altered)) return;
  const [[readOnly, conforming, encoding] = []] = await connection.rows({ text: READABLE });
  if (inTransaction && place !== 'transaction' && readOnly !== 'on') {
    throw new GatewayError(
      'TRANSACTION_OPEN',
      'The session has a write transaction open, and takes no read inside it; send the SELECT to /write',
    );
  }
  // Outside a transaction the first is restored ahead of each read.
  if ((!idle && conforming !== 'on') || encoding !== 'UTF8') {
    throw new GatewayError(
      'BAD_REQUEST',
      'A read needs standard_conforming_strings to be on and client_encoding to be UTF8',
    );
  }
}

const READABLE =
  "SELECT pg_catalog.current_setting('transaction_read_only'), " +
  "pg_catalog.current_setting('standard_conforming_strings'), " +
  "pg_catalog.current_setting('client_encoding')";
