/**
 * What runs behind a pooler in transaction mode: there each transaction may meet another session, and what
 * a call leaves in one is there for others. Contract §6, "Nothing that one caller sets".
 */
import { DatabaseError } from 'pg';
import type { Guard } from '../../../kinds/postgres/dialect/guard.ts';
import type { Parsed } from '../../../kinds/postgres/dialect/statement.ts';
import { GatewayError } from '../../../proto/errors.ts';
import type { Traces } from '../lender.ts';
import { ConnectionLost } from '../loss.ts';
import type { Connection } from './connection.ts';

/**
 * Refuses what a pooler in transaction mode cannot do.
 * @param what begins the sentence
 * @throws GatewayError NOT_SUPPORTED naming the pooler
 */
export function refuseBehindPooler({ pooled }: Pick<Connection, 'pooled'>, what: string): void {
  if (!pooled) return;
  throw new GatewayError(
    'NOT_SUPPORTED',
    `${what} not possible behind a pooler in transaction mode, such as PgBouncer, where each ` +
      'transaction may run on another connection; name the server itself in the configuration',
  );
}

/** A statement that the guard has looked at. */
interface Judged {
  readonly parsed: Parsed | undefined;
  /** Types that the request names for its parameters. */
  readonly given: readonly number[] | undefined;
  readonly read: boolean;
  readonly traces: Traces;
}

/**
 * Lets a statement pass behind a pooler that leaves nothing in its session. What a column's default takes from a sequence
 * may stay, because nothing reports it: what reads that is refused, too.
 * @throws GatewayError NOT_SUPPORTED naming the pooler
 */
export async function requirePlain(
  connection: Connection,
  guard: Guard,
  { parsed, given, read, traces }: Judged,
): Promise<void> {
  const leaves = typeof traces === 'object' ? await traces.ask() : traces !== 'none';
  const touched = parsed && guard.sequencesOf(parsed, given, read);
  if (leaves && touched !== 'left') {
    refuseBehindPooler(
      connection,
      'A statement other than a SELECT, INSERT, UPDATE or DELETE that surely leaves nothing in its session is',
    );
  }
  if (touched === 'read') {
    refuseBehindPooler(connection, 'Reading what a session last took from a sequence is');
  }
}

/** The failure of a BEGIN behind a pooler: one in statement mode ends the connection for it. */
export function beginFailure(cause: unknown): unknown {
  const said = cause instanceof ConnectionLost ? cause.cause : cause;
  if (!(said instanceof DatabaseError) || said.code !== '08P01') return cause;
  const message = 'Transactions are not possible behind a pooler in statement mode';
  return new GatewayError('NOT_SUPPORTED', message, { cause });
}
