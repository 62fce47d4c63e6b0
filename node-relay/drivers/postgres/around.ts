/** What goes around statements in their transaction: what makes a read one, and what says who calls. */
import type { Statement } from '../../../kinds/postgres/dialect/ask.ts';
import { settingStatements } from '../../../kinds/postgres/dialect/caller-settings.ts';
import type { Parsed } from '../../../kinds/postgres/dialect/statement.ts';
import type { Connection } from './connection.ts';
import type { Execution } from './execute.ts';
import { undoing } from './inquire.ts';

/** Makes the implicit transaction read-only, and restores what the guard's parser relies on. */
const READ_ONLY_NOW: Statement = {
  text:
    "SELECT pg_catalog.set_config('transaction_read_only', 'on', true), " +
    "pg_catalog.set_config('standard_conforming_strings', 'on', true)",
};

/** What goes around a read, in its transaction, so that it is one, and leaves nothing where it is to be undone. */
export function aroundRead(
  { connection, call }: Execution,
  undone: boolean,
  parsed: Parsed | undefined,
): { readonly before: readonly Statement[]; readonly after: readonly Statement[] } {
  const { wire, preamble, readOnly } = connection;
  const caller = settingStatements(call.session, parsed);
  const ahead = [...preamble, ...caller];
  const first = readOnly || !wire.idle ? ahead : [READ_ONLY_NOW, ...ahead];
  if (!undone) return { before: first, after: [] };
  const { before, after } = undoing(connection, 'READ ONLY');
  return { before: [...before, ...first], after };
}

/** Ends a transaction that a read was to be undone in, when it failed there; one of the caller's stays as it is. */
export async function endUndone({ wire }: Connection, wasIdle: boolean): Promise<void> {
  if (wasIdle && !wire.idle && !wire.lost) await undo(() => wire.abandon());
}

/** What goes ahead of a statement that is no read, in its transaction. */
export function aheadOf(
  { connection, call }: Execution,
  parsed: Parsed | undefined,
): readonly Statement[] {
  return [...connection.preamble, ...settingStatements(call.session, parsed)];
}

/** Undoes what a failure left; when that fails too, the connection is lost and the server undoes it. */
export async function undo(work: () => Promise<unknown>): Promise<void> {
  await work().catch(() => {});
}
