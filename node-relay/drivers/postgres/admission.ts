/** Lets a statement run: what the guards say of it, and what it will leave on its connection. */

import { makesUnusable } from '../../../kinds/postgres/dialect/admit.ts';
import type { Inquirer } from '../../../kinds/postgres/dialect/inquirer.ts';
import type { Parsed } from '../../../kinds/postgres/dialect/statement.ts';
import type { Call } from '../../../proto/driver.ts';
import type { Traces } from '../lender.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';
import type { Execution } from './execute.ts';
import { inquirerOn } from './inquire.ts';
import { requirePlain } from './pooler.ts';
import { requireReadable } from './readable.ts';

/** How a statement may run, and what it will leave on the connection. */
export interface Admitted {
  readonly traces: Traces;
  /** None of it may stay: a read that is not known whole. */
  readonly undone: boolean;
  /** The types that its parameters have to have. */
  readonly types?: readonly number[];
}

/**
 * Lets a read pass the guard, and answers how a statement may run.
 * @param given types that the request names for its parameters
 * @throws GatewayError BAD_REQUEST, TRANSACTION_OPEN; NOT_SUPPORTED behind a pooler for what may leave something
 */
export async function admitted(
  execution: Execution,
  parsed: Parsed | undefined,
  read: boolean,
  given?: readonly number[],
): Promise<Admitted> {
  await demandMayRun(execution, parsed, given);
  const admission = await admissionOf(execution, parsed, read, given);
  const { database, connection } = execution;
  if (!connection.pooled) return admission;
  const { traces } = admission;
  await requirePlain(connection, database.guard, { parsed, given, read, traces });
  return { ...admission, traces: 'none' };
}

/** Whether every statement is looked at, writes too: callers may not set what is told of them, or not name everything. */
export function isWatched({ database, call }: Pick<Execution, 'database' | 'call'>): boolean {
  return database.allowGuard !== undefined || isHeld(call);
}

/** Whether a caller's statements may not set what the server is told of them. */
function isHeld({ session }: Pick<Call, 'session'>): boolean {
  return session !== undefined && !session.maySet;
}

/**
 * Refuses what names more than `config.allow` opens, and what could set what the server is told of a caller who is no
 * Admin: every statement of a caller passes here, on every way in.
 * @throws GatewayError FORBIDDEN
 */
export async function demandMayRun(
  { database, connection, call }: Execution,
  parsed: Parsed | undefined,
  given?: readonly number[],
  inquirer?: Inquirer,
): Promise<void> {
  if (!isWatched({ database, call })) return;
  const on = inquirer ?? inquirerOn(connection);
  await database.allowGuard?.admit(parsed, given, on);
  if (isHeld(call)) await database.setterGuard.admit(parsed, given, on);
}

async function admissionOf(
  { database, connection, place }: Execution,
  parsed: Parsed | undefined,
  read: boolean,
  given?: readonly number[],
): Promise<Admitted> {
  if (read && parsed) {
    await requireReadable(connection, place);
    const inquirer = inquirerOn(connection);
    const { plain, types } = await database.guard.admit(parsed, given, inquirer);
    return { traces: plain ? 'none' : 'some', undone: !plain, ...(types ? { types } : {}) };
  }
  return { traces: tracesOf(database, connection, parsed, given), undone: false };
}

/** What a statement that is no read leaves on its connection, beyond its transaction. */
export function tracesOf(
  { guard }: Database,
  connection: Connection,
  parsed: Parsed | undefined,
  given: readonly number[] | undefined,
): Traces {
  if (!parsed || makesUnusable(parsed)) return 'unusable';
  const told = (traces: boolean) => {
    connection.suspect = guard.sequencesOf(parsed, given, false) !== 'left';
    return traces;
  };
  const known = guard.leavesTraces(parsed, given);
  if (known !== undefined) return told(known) ? 'some' : 'none';
  // What the statement set must not answer for it, so the question comes after a reset.
  const ask = async () =>
    (await connection.clear()) === 'unusable' ||
    told(await guard.learnTraces(parsed, given, inquirerOn(connection)));
  return { ask };
}
