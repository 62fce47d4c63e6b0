/** What programs may have left open on a connection: a transaction is undone, and with an XA transaction the connection ends. */
import type { ServerError } from '../../../kinds/mysql/dialect/failures.ts';
import type { Connection } from './connection.ts';
import { tellsOfXa } from './errors.ts';

/** Of one connection. */
export class LeftOpen {
  /** An error does not say what was open by then. */
  #hasFailed = false;
  #isUnfit = false;

  /** A statement has failed. */
  note(failure: ServerError): void {
    this.#hasFailed = true;
    this.#isUnfit ||= tellsOfXa(failure);
  }

  /**
   * Undoes what is open, ahead of a reset, which lets go of a prepared XA transaction: no change of a table succeeds
   * on the connection any more then. Answers false where one is, or was, there.
   * @throws ServerError where the server refuses it because of one
   */
  async undo(connection: Pick<Connection, 'wire' | 'query'>): Promise<boolean> {
    if (this.#isUnfit) return false;
    if (connection.wire.inTransaction || this.#hasFailed) await connection.query('ROLLBACK');
    this.#hasFailed = false;
    return true;
  }
}
