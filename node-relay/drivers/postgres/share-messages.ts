/** What begins and what prepares a share, each by itself or in the message of one of its statements. Spec: transactions.md §3. */
import type { Statement } from '../../../kinds/postgres/dialect/ask.ts';
import { OWN_ROLE, settingStatements } from '../../../kinds/postgres/dialect/caller-settings.ts';
import type { FieldValue } from '../../../kinds/postgres/dialect/encode.ts';
import type { Call, Mode } from '../../../proto/driver.ts';
import { GatewayError } from '../../../proto/errors.ts';
import type { Beginning } from '../../../proto/prepares.ts';
import type { Connection } from './connection.ts';
import { statementMessages } from './messages.ts';
import { OwnRows } from './own-rows.ts';

/** A process that works on a share calls more often: a server that hears nothing for so long from a relay that is cut off undoes it. */
const IDLE_MAX = '60s';
/** The transaction's number, which says later what became of it. */
export const NUMBER: Statement = { text: 'SELECT pg_catalog.pg_current_xact_id()::text' };

/** What names mean, and how texts are read. */
export const MEANINGS = `pg_catalog.current_setting('search_path'), current_user, pg_catalog.pg_my_temp_schema(),
  pg_catalog.current_setting('standard_conforming_strings'), pg_catalog.current_setting('client_encoding')`;

/** Statements of a share's own in one message, and where the rows of one of them go. */
export interface OwnStatements {
  readonly all: readonly Statement[];
  readonly main: number;
  readonly sink: OwnRows;
}

/** Sends them by themselves. @param ends no transaction is open afterwards */
async function send({ wire }: Connection, own: OwnStatements, ends?: true): Promise<void> {
  const { all, main, sink } = own;
  const bytes = statementMessages(all, 'sync');
  await wire.exchange({ bytes, until: 'ready', main, sink, ...(ends ? { ends } : {}) });
}

/** What begins a share. In one message with its first statement a failure of the one keeps the server from the other. */
export class Opening {
  readonly #connection: Connection;
  readonly #own: OwnStatements;
  #isTaken = false;

  constructor(connection: Connection, beginning: Beginning, call: Call) {
    this.#connection = connection;
    const begin = { text: beginText(beginning, call.mode) };
    const before = [begin, ...connection.preamble, ...settingStatements(call.session, undefined)];
    const all = [...before, announcement(beginning)];
    this.#own = { all, main: before.length, sink: new OwnRows() };
  }

  /** Nothing in it can be refused because of what the caller or the endpoint has set. */
  get isPlain(): boolean {
    return this.#own.main === 1;
  }

  /** What names meant when the share began; undefined before it has begun. */
  get meanings(): readonly FieldValue[] | undefined {
    return this.#own.sink.rows[0];
  }

  /** Sends it by itself, if it was not sent yet. */
  async send(): Promise<void> {
    const own = this.take();
    if (own) await send(this.#connection, own);
  }

  /**
   * For the message of the share's next statement; undefined where it was sent.
   * @throws GatewayError SESSION_NOT_FOUND where it was sent and the share did not begin: what follows would stand alone
   */
  take(): OwnStatements | undefined {
    if (!this.#isTaken) {
      this.#isTaken = true;
      return this.#own;
    }
    if (this.meanings) return undefined;
    throw new GatewayError('SESSION_NOT_FOUND', 'The share did not begin');
  }
}

function beginText({ isolation }: Beginning, mode: Mode): string {
  const level = isolation === undefined ? '' : ` ISOLATION LEVEL ${isolation.toUpperCase()}`;
  return `BEGIN${level}${mode === 'read' ? ' READ ONLY' : ''}`;
}

/**
 * Shows the share's name to other sessions while it is open, and answers what names mean. As a query it also fixes the
 * level: SET TRANSACTION comes too late.
 */
function announcement({ name }: Beginning): Statement {
  return {
    text: `SELECT ${MEANINGS}, pg_catalog.set_config('application_name', $1, true) IS NULL,
      pg_catalog.set_config('idle_in_transaction_session_timeout', '${IDLE_MAX}', true) IS NULL`,
    values: [name],
  };
}

/** What prepares a share. Behind its last statement it is skipped where that fails; where it fails itself, that statement has not. */
export class Preparing {
  readonly own: OwnStatements;
  #failure: Error | undefined;

  constructor(name: string, session: Call['session']) {
    const ownRole = session?.role === undefined ? [] : [OWN_ROLE];
    const all = [NUMBER, ...ownRole, { text: `PREPARE TRANSACTION '${name}'` }];
    this.own = { all, main: 0, sink: new OwnRows() };
  }

  /** Whether all of it has come to its end, once nothing is under way. */
  get isDone(): boolean {
    return this.own.sink.rows.length > 0 && this.#failure === undefined;
  }

  /** Sends it by itself. */
  async send(connection: Connection): Promise<void> {
    try {
      await send(connection, this.own, true);
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error));
    }
  }

  /** Notes why it failed behind a statement. */
  failed(error: Error): void {
    this.#failure = error;
  }

  /** The transaction's number, once it is prepared. @throws Error why it is not */
  number(): string {
    if (this.#failure) throw this.#failure;
    return this.own.sink.rows[0]?.[0] ?? '';
  }
}
