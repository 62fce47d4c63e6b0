/** A share of a transaction over many databases on one connection. Spec: transactions.md §1, §2. */

import {
  isRead,
  oneStatement,
  operationFrom,
  type RowsRequest,
} from '../../../kinds/postgres/dialect/admit.ts';
import type { Statement } from '../../../kinds/postgres/dialect/ask.ts';
import { OWN_ROLE, settingStatements } from '../../../kinds/postgres/dialect/caller-settings.ts';
import { parametersOf } from '../../../kinds/postgres/dialect/parameters.ts';
import type { Parsed } from '../../../kinds/postgres/dialect/statement.ts';
import type { PostgresRequest } from '../../../kinds/postgres/index.ts';
import { resolveReferences } from '../../../kinds/result-references.ts';
import { checkEach, type OperationContext, runEach } from '../../../kinds/transaction.ts';
import type { Call, Mode } from '../../../proto/driver.ts';
import { GatewayError } from '../../../proto/errors.ts';
import type { Json } from '../../../proto/json.ts';
import type { OnceMark } from '../../../proto/once.ts';
import type { Beginning, Performed, Prepared, Share } from '../../../proto/prepares.ts';
import { jsonList } from '../byte-text.ts';
import type { Lacks } from '../lacks.ts';
import { attempt, type Traces } from '../lender.ts';
import { ConnectionLost } from '../loss.ts';
import { forestalled } from '../once.ts';
import type { OpenShare, ShareSteps } from '../participant.ts';
import { bound } from './bound.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';
import { type Admitted, demandMayRun, type Execution, execute, tracesOf } from './execute.ts';
import { inquirerBeside } from './inquire.ts';
import { statementMessages } from './messages.ts';
import { asItself, type OnceTables } from './once-tables.ts';
import { OwnRows } from './own-rows.ts';
import { refuseBehindPooler } from './pooler.ts';
import { tracesTogether } from './share-traces.ts';
import { withStatements } from './statement-reader.ts';

/** A process that works on a share calls more often: a server that hears nothing for so long from a relay that is cut off undoes it. */
const IDLE_MAX = '60s';
/** The transaction's number, which says later what became of it. */
const NUMBER: Statement = { text: 'SELECT pg_catalog.pg_current_xact_id()::text' };

/** What shares of one pool have in common. */
interface ShareParts {
  readonly database: Database;
  readonly lacks: Lacks;
  readonly tables: OnceTables;
  /** Lends another connection than the share's own. */
  beside<Value>(call: Call, work: (connection: Connection) => Promise<Value>): Promise<Value>;
}

/** What begins shares. */
export function postgresShares(parts: ShareParts): ShareSteps<PostgresRequest, Connection> {
  return {
    async begin(connection, beginning, call) {
      refuseBehindPooler(connection, 'Transactions over many databases are');
      const begin = { text: beginText(beginning, call.mode) };
      const caller = settingStatements(call.session, undefined);
      const before = [begin, ...connection.preamble, ...caller];
      const announced = { all: [...before, announcement(beginning)], main: before.length };
      const [meanings] = await exchangeAll(connection, announced);
      const { name } = beginning;
      return new PostgresShare(parts, connection, { name, meanings: JSON.stringify(meanings) });
    },
  };
}

function beginText({ isolation }: Beginning, mode: Mode): string {
  const level = isolation === undefined ? '' : ` ISOLATION LEVEL ${isolation.toUpperCase()}`;
  return `BEGIN${level}${mode === 'read' ? ' READ ONLY' : ''}`;
}

/** What names mean, and how texts are read. */
const MEANINGS = `pg_catalog.current_setting('search_path'), current_user, pg_catalog.pg_my_temp_schema(),
  pg_catalog.current_setting('standard_conforming_strings'), pg_catalog.current_setting('client_encoding')`;

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

/** Statements of the driver's own for one exchange, and which of them answers. */
interface Several {
  readonly all: readonly Statement[];
  readonly main: number;
  /** No transaction is open afterwards. */
  readonly ends?: true;
}

async function exchangeAll(
  { wire }: Connection,
  { all, main, ends }: Several,
): Promise<OwnRows['rows']> {
  const sink = new OwnRows();
  const bytes = statementMessages(all, 'sync');
  await wire.exchange({ bytes, until: 'ready', main, sink, ...(ends ? { ends } : {}) });
  return sink.rows;
}

/** An operation that may be run. */
interface Operation {
  readonly request: RowsRequest;
  readonly mode: Mode;
  readonly timeout_ms?: number | undefined;
}

class PostgresShare implements OpenShare<PostgresRequest> {
  readonly #parts: ShareParts;
  readonly #connection: Connection;
  readonly #name: string;
  /** What names meant when it began. */
  readonly #meanings: string;
  #onlyRead = true;
  /** What each operation has left on the connection. */
  readonly #left: Traces[] = [];
  #isEnded = false;

  constructor(
    parts: ShareParts,
    connection: Connection,
    { name, meanings }: { readonly name: string; readonly meanings: string },
  ) {
    this.#parts = parts;
    this.#connection = connection;
    this.#name = name;
    this.#meanings = meanings;
  }

  /** What the driver sets by itself ends with the transaction. */
  get traces(): Traces {
    // Of one that failed nobody knows how far its statements came.
    return this.#isEnded ? tracesTogether(this.#connection, this.#left) : 'some';
  }

  perform(share: Share<PostgresRequest>, call: Call): Promise<Performed> {
    const requests = share.operations.map(({ request }) => request);
    return withStatements(requests, call.signal, () => this.#perform(share, call));
  }

  async prepare(call: Call): Promise<Prepared> {
    if (this.#onlyRead) {
      await this.commit(call);
      return { prepared: false, recovery: '' };
    }
    call.signal.throwIfAborted();
    const prepare = { text: `PREPARE TRANSACTION '${this.#name}'` };
    const own = call.session?.role === undefined ? [] : [OWN_ROLE];
    const several = { all: [NUMBER, ...own, prepare], main: 0, ends: true } as const;
    const send = () => exchangeAll(this.#connection, several);
    const rows = await this.#parts.lacks.during(send).catch((cause: unknown) => {
      if (!(cause instanceof ConnectionLost) || call.signal.aborted) throw cause;
      const message = 'The connection to the database was lost while it prepared';
      throw new GatewayError('CONNECTION_FAILED', message, { cause });
    });
    this.#isEnded = true;
    return { prepared: true, recovery: rows[0]?.[0] ?? '' };
  }

  async commit({ signal }: Call): Promise<void> {
    signal.throwIfAborted();
    await this.#commit([]);
  }

  async commitMarked(mark: OnceMark, call: Call): Promise<void> {
    const { tables, beside } = this.#parts;
    // Making it is nothing to be undone with the share.
    const table = await beside(call, (connection) => tables.at(connection, mark.place));
    call.signal.throwIfAborted();
    await this.#commit(asItself(table.leave(mark))).catch((error: unknown) => {
      throw table.isTaken(error) ? forestalled(error) : error;
    });
  }

  async #commit(before: readonly Statement[]): Promise<void> {
    const tag = await this.#connection.wire.exchange({
      bytes: statementMessages([...before, { text: 'COMMIT' }], 'sync'),
      until: 'ready',
      main: before.length,
      commits: !this.#onlyRead,
      ends: true,
    });
    this.#isEnded = tag === 'COMMIT';
    if (this.#isEnded) return;
    throw new GatewayError('REQUEST_FAILED', 'The database rolled the transaction back');
  }

  async undo(): Promise<void> {
    if (!this.#connection.wire.idle) await this.#connection.rows({ text: 'ROLLBACK' });
  }

  async #perform(share: Share<PostgresRequest>, call: Call): Promise<Performed> {
    const { operations, recoverable } = share;
    // The server counts how long it hears nothing.
    if (operations.length === 0) await this.#connection.rows({ text: 'SELECT' });
    const places = {
      placeOf: (index: number) => operations[index]?.place ?? index,
      earlier: (place: number) => share.earlier(place),
    };
    const checked = checkEach(operations, operationOf, places);
    const run = (operation: Operation, turn: OperationContext) => this.#run(operation, turn);
    const results = await runEach(call, checked, run, places);
    const [row] = recoverable && !this.#onlyRead ? await this.#connection.rows(NUMBER) : [];
    return {
      results: jsonList('[', results, ']'),
      onlyRead: this.#onlyRead,
      recovery: row?.[0] ?? '',
    };
  }

  #run(operation: Operation, { call, point, budget }: OperationContext): Promise<Buffer> {
    const connection = this.#connection;
    const { database } = this.#parts;
    const own: Execution = { database, connection, call, place: 'transaction' };
    // A typed parameter stays a pair: only its value can be a reference.
    const params = resolveReferences((operation.request.params ?? []) as Json, point, 'unwrapped');
    const request = { ...operation.request, params } as RowsRequest; // The same shape with other values.
    return attempt(connection, 'write', call.signal, async () => {
      const parsed = wholeStatement(request.query);
      const { types: given } = parametersOf(request);
      const undone = operation.mode === 'read' || isRead(request, 'write');
      const beside = inquirerBeside((work) => this.#parts.beside(call, work));
      await demandMayRun(own, parsed, given, beside);
      if (undone) this.#left.push((await this.#admit(parsed, given, call)) ? 'none' : 'some');
      else {
        this.#onlyRead &&= await this.#letsThrough(parsed, given, call);
        this.#left.push(tracesOf(database, connection, parsed, given));
      }
      const admission: Admitted = { traces: 'some', undone };
      const statement = await bound(own, request, admission);
      // A read is kept from writing by the guard and by a savepoint that is read-only.
      const ready = { request, parsed, statement, read: false, undone, given };
      return await execute(own, ready, budget);
    });
  }

  /**
   * Lets a read pass the guard. What it asks would make this transaction one that cannot be prepared, so it asks next to it.
   * @throws GatewayError BAD_REQUEST
   */
  async #admit(parsed: Parsed, given: readonly number[] | undefined, call: Call): Promise<boolean> {
    const connection = this.#connection;
    if (connection.altered) {
      const [meanings] = await connection.rows({ text: `SELECT ${MEANINGS}` });
      if (!this.#meanings.startsWith(JSON.stringify(meanings).slice(0, -1))) {
        throw new GatewayError('BAD_REQUEST', CHANGED);
      }
    }
    const { database, beside } = this.#parts;
    const inquirer = inquirerBeside((work) => beside(call, work));
    return (await database.guard.admit(parsed, given, inquirer)).plain;
  }

  /** Whether `/read` would have taken it, and none of it had to be undone. */
  async #letsThrough(
    parsed: Parsed,
    given: readonly number[] | undefined,
    call: Call,
  ): Promise<boolean> {
    if (parsed.unreadable !== undefined) return false;
    try {
      return await this.#admit(parsed, given, call);
    } catch (error) {
      if (error instanceof GatewayError && error.code === 'BAD_REQUEST') return false;
      throw error;
    }
  }
}

const CHANGED =
  'A read needs the session as it began: an earlier operation has set its search_path, its role or how it reads texts';

function operationOf({ request, mode }: Share<PostgresRequest>['operations'][number]): Operation {
  const operation = operationFrom(request);
  wholeStatement(operation.query);
  return { request: operation, mode, timeout_ms: operation.timeout_ms };
}

/** What this parser cannot read is not sent: it could end the transaction. @throws GatewayError BAD_REQUEST, REQUEST_FAILED */
function wholeStatement(query: string): Parsed {
  const parsed = oneStatement(query, true, 'transaction');
  if (parsed === undefined) throw new Error('a statement that cannot be parsed');
  return parsed;
}
