/** Changes that are done by the time something fails. Contract §2, "Result too large". */
import { GatewayError } from '../../../../proto/errors.ts';
import { applied } from './reply.ts';

/** More came than the vendor hands on: it has undone the change. */
export class Undone extends GatewayError {}

/** The statement that a failure is about. */
export interface SentStatement {
  /** Whether it is one at all. */
  readonly changes: boolean;
  readonly source: 'postgres' | 'mysql';
  /** The error that a caller gets when the reply cannot be written as a result. */
  told(error: unknown): unknown;
}

/**
 * Sends, then writes what came. Where the statement is a change, it is done by then, and what
 * fails afterwards says so.
 */
export async function sendThenWrite<Sent, Result>(
  { changes, source, told }: SentStatement,
  send: () => Promise<Sent>,
  write: (sent: Sent) => Result | Promise<Result>,
): Promise<Result> {
  let sent: Sent;
  try {
    sent = await send();
  } catch (error) {
    // The reply had begun: the change has happened, unless the vendor has undone it.
    const isOver = error instanceof GatewayError && error.code === 'RESULT_TOO_LARGE';
    throw changes && isOver && !(error instanceof Undone) ? applied(error, source) : error;
  }
  try {
    return await write(sent);
  } catch (error) {
    throw changes ? applied(told(error), source) : error;
  }
}
