/** A share of a transaction over many databases on one connection. Spec: transactions.md §1, §2. */

import {
  isRead,
  oneStatement,
  operationFrom,
  type RowsRequest,
} from '../../../kinds/postgres/dialect/admit.ts';
import type { Statement } from '../../../kinds/postgres/dialect/ask.ts';
import { parametersOf } from '../../../kinds/postgres/dialect/parameters.ts';
import type { Parsed } from '../../../kinds/postgres/dialect/statement.ts';
import type { PostgresRequest } from '../../../kinds/postgres/index.ts';
import { checkEach, type OperationContext, runEach } from '../../../kinds/transaction.ts';
import type { Call, Mode } from '../../../proto/driver.ts';
import { GatewayError } from '../../../proto/errors.ts';
import type { OnceMark } from '../../../proto/once.ts';
import type { Performed, Prepared, Share } from '../../../proto/prepares.ts';
import { jsonList } from '../byte-text.ts';
import type { Lacks } from '../lacks.ts';
import { attempt, type Traces } from '../lender.ts';
import { ConnectionLost } from '../loss.ts';
import { forestalled } from '../once.ts';
import type { OpenShare, ShareSteps } from '../participant.ts';
import { type Admitted, demandMayRun, tracesOf } from './admission.ts';
import { bound } from './bound.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';
import { type Execution, execute } from './execute.ts';
import { inquirerBeside } from './inquire.ts';
import { statementMessages } from './messages.ts';
import { asItself, type OnceTables } from './once-tables.ts';
import { paramsWith } from './params-with.ts';
import { refuseBehindPooler } from './pooler.ts';
import { MEANINGS, NUMBER, Opening, Preparing } from './share-messages.ts';
import { tracesTogether } from './share-traces.ts';
import { withStatements } from './statement-reader.ts';

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
    async begin(connection, beginning, call, isAlive) {
      refuseBehindPooler(connection, 'Transactions over many databases are');
      const opening = new Opening(connection, beginning, call);
      if (!isAlive || !opening.isPlain) await opening.send();
      return new PostgresShare(parts, connection, { name: beginning.name, opening });
    },
  };
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
  readonly #opening: Opening;
  #preparing: Preparing | undefined;
  #onlyRead = true;
  /** What each operation has left on the connection. */
  readonly #left: Traces[] = [];
  #isEnded = false;

  constructor(
    parts: ShareParts,
    connection: Connection,
    { name, opening }: { readonly name: string; readonly opening: Opening },
  ) {
    this.#parts = parts;
    this.#connection = connection;
    this.#name = name;
    this.#opening = opening;
  }

  /** What the driver sets by itself ends with the transaction. */
  get traces(): Traces {
    // Of one that failed nobody knows how far its statements came.
    return this.#isEnded ? tracesTogether(this.#connection, this.#left) : 'some';
  }

  get mayBePrepared(): boolean {
    return this.#preparing !== undefined;
  }

  perform(share: Share<PostgresRequest>, call: Call, isLast = false): Promise<Performed> {
    const requests = share.operations.map(({ request }) => request);
    return withStatements(requests, call.signal, () => this.#perform(share, call, isLast));
  }

  async prepare(call: Call): Promise<Prepared> {
    if (this.#onlyRead) {
      await this.commit(call);
      return { prepared: false, recovery: '' };
    }
    call.signal.throwIfAborted();
    const send = async () => {
      if (this.#preparing === undefined) {
        this.#preparing = new Preparing(this.#name, call.session);
        await this.#preparing.send(this.#connection);
      }
      return this.#preparing.number();
    };
    const recovery = await this.#parts.lacks.during(send).catch((cause: unknown) => {
      if (!(cause instanceof ConnectionLost) || call.signal.aborted) throw cause;
      const message = 'The connection to the database was lost while it prepared';
      throw new GatewayError('CONNECTION_FAILED', message, { cause });
    });
    this.#isEnded = true;
    return { prepared: true, recovery };
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
    await this.#opening.send();
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
    const connection = this.#connection;
    if (!connection.wire.idle) await connection.rows({ text: 'ROLLBACK' });
    else if (this.#preparing?.isDone)
      await connection.rows({ text: `ROLLBACK PREPARED '${this.#name}'` });
  }

  async #perform(share: Share<PostgresRequest>, call: Call, isLast: boolean): Promise<Performed> {
    const { operations, recoverable } = share;
    if (operations.length === 0) {
      await this.#opening.send();
      // The server counts how long it hears nothing.
      await this.#connection.rows({ text: 'SELECT' });
    }
    const places = {
      placeOf: (index: number) => operations[index]?.place ?? index,
      earlier: (place: number) => share.earlier(place),
    };
    const checked = checkEach(operations, operationOf, places);
    const last = isLast ? checked.at(-1) : undefined;
    const run = (operation: Operation, turn: OperationContext) =>
      this.#run(operation, turn, operation === last);
    const results = await runEach(call, checked, run, places);
    const [row] = recoverable && !this.#onlyRead ? await this.#connection.rows(NUMBER) : [];
    return {
      results: jsonList('[', results, ']'),
      onlyRead: this.#onlyRead,
      recovery: row?.[0] ?? '',
    };
  }

  #run(
    operation: Operation,
    { call, point, budget }: OperationContext,
    isLast: boolean,
  ): Promise<Buffer> {
    const connection = this.#connection;
    const { database } = this.#parts;
    const own: Execution = { database, connection, call, place: 'transaction' };
    // A typed parameter stays a pair: only its value can be a reference.
    const params = paramsWith(operation.request.params, point);
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
      // A savepoint needs a transaction that is open.
      if (undone) await this.#opening.send();
      const opening = this.#opening;
      const preparing =
        isLast && !this.#onlyRead && answersCount(operation, parsed)
          ? new Preparing(this.#name, call.session)
          : undefined;
      this.#preparing = preparing;
      return await execute({ ...own, share: { opening, preparing } }, ready, budget);
    });
  }

  /**
   * Lets a read pass the guard. What it asks would make this transaction one that cannot be prepared, so it asks next to it.
   * @throws GatewayError BAD_REQUEST
   */
  async #admit(parsed: Parsed, given: readonly number[] | undefined, call: Call): Promise<boolean> {
    const connection = this.#connection;
    if (connection.altered) {
      await this.#opening.send();
      const [meanings] = await connection.rows({ text: `SELECT ${MEANINGS}` });
      const begun = JSON.stringify(this.#opening.meanings);
      if (!begun.startsWith(JSON.stringify(meanings).slice(0, -1))) {
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
  const parsed = oneStatement({ type: 'query', query }, true, 'transaction');
  if (parsed === undefined) throw new Error('a statement that cannot be parsed');
  return parsed;
}

const CHANGING = new Set(['InsertStmt', 'UpdateStmt', 'DeleteStmt', 'MergeStmt']);

/** Whether it answers a count alone, which is never refused: then what prepares the share can go behind it. */
function answersCount({ request: { type }, timeout_ms }: Operation, parsed: Parsed): boolean {
  // What prepares is no part of an operation's own time.
  if (timeout_ms !== undefined || parsed.returnsRows) return false;
  return CHANGING.has(parsed.kind) && !/^query_(?:one|opt)/.test(type);
}
