/** Looks at a write before it runs within a transaction that may be undone: tables of some engines keep what was written to them. */
import type { Engines } from '../../../kinds/mysql/dialect/engines.ts';
import type { Parsed } from '../../../kinds/mysql/dialect/statement.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { admitted, type Execution } from './execute.ts';

/** Whether `/read` would have taken it. */
export async function letsThrough(execution: Execution, parsed: Parsed): Promise<boolean> {
  if (parsed.unreadable !== undefined) return false;
  try {
    await admitted(execution, parsed, true);
    return true;
  } catch (error) {
    if (error instanceof GatewayError) return false;
    throw error;
  }
}

/** @param why what that keeps from @throws GatewayError BAD_REQUEST naming a table whose engine would keep what is undone */
export async function refusePlain(
  { connection }: Execution,
  parsed: Parsed,
  engines: Engines,
  why: string,
): Promise<void> {
  const plain = await engines.plainTable(parsed, (query, values) => connection.rows(query, values));
  if (plain === undefined) return;
  const { table, engine } = plain;
  const message = `Table ${table} has the engine ${engine}, which has no transactions: ${why}`;
  const details = [{ rule: 'lacks', lack: 'engine', path: 'query', message }];
  throw new GatewayError('BAD_REQUEST', message, { details });
}
