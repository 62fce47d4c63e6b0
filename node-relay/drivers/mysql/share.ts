/** A share of a transaction over many databases on one connection: an XA transaction where it may be prepared. Spec: transactions.md §1, §2. */

import { isRead, oneStatement } from '../../../kinds/mysql/dialect/admit.ts';
import { Catalog } from '../../../kinds/mysql/dialect/catalog.ts';
import { ServerError } from '../../../kinds/mysql/dialect/failures.ts';
import { operationFrom, paramsWith } from '../../../kinds/mysql/dialect/operation.ts';
import { hasNames, type RowsRequest, valuesOf } from '../../../kinds/mysql/dialect/parameters.ts';
import type { Parsed } from '../../../kinds/mysql/dialect/statement.ts';
import { mayLeaveTraces } from '../../../kinds/mysql/dialect/traces.ts';
import type { MysqlRequest } from '../../../kinds/mysql/index.ts';
import { checkEach, type OperationContext, runEach } from '../../../kinds/transaction.ts';
import type { Call, Mode } from '../../../proto/driver.ts';
import { badRequest, GatewayError } from '../../../proto/errors.ts';
import type { OnceMark } from '../../../proto/once.ts';
import type { Performed, Prepared, Share } from '../../../proto/prepares.ts';
import { jsonList } from '../byte-text.ts';
import { attempt, type Traces } from '../lender.ts';
import { ConnectionLost } from '../loss.ts';
import { forestalled } from '../once.ts';
import type { OpenShare, ShareSteps } from '../participant.ts';
import type { Connection } from './connection.ts';
import { admitted, demandOpen, type Execution, execute } from './execute.ts';
import { keepMark, openTable } from './once-table.ts';
import { ahead, together } from './one-piece.ts';
import { letsThrough, refusePlain } from './plain-tables.ts';
import { endedEarly, inTheSame } from './same-transaction.ts';
import { beginAhead, beginAlone, isUsual } from './share-begin.ts';
import type { ShareParts } from './share-parts.ts';

/** What begins shares. */
export function mysqlShares(parts: ShareParts): ShareSteps<MysqlRequest, Connection> {
  return {
    async begin(connection, { name, isolation, onePhase }, call, isAlive) {
      const isXa = !onePhase && call.mode === 'write';
      const begins = { parts, connection, name, isXa, isolation };
      const share = new MysqlShare(parts, connection, { name, isXa });
      if (isAlive && (await isUsual(begins))) share.begun = beginAhead(begins);
      else await beginAlone(begins, call, () => share.undo());
      return share;
    },
  };
}

/** An operation that may be run. */
interface Operation {
  readonly request: RowsRequest;
  readonly mode: Mode;
  readonly timeout_ms?: number | undefined;
}

class MysqlShare implements OpenShare<MysqlRequest> {
  traces: Traces | 'kept' = 'some';
  /** What begins it, where that is sent with its first statement. */
  begun: Promise<unknown> | undefined;
  readonly #parts: ShareParts;
  readonly #connection: Connection;
  readonly #name: string;
  readonly #isXa: boolean;
  #onlyRead = true;
  /** What prepares it, once that was sent. */
  #preparing: Promise<unknown> | undefined;
  /** What each operation has left on the connection. */
  readonly #left: Traces[] = [];

  constructor(
    parts: ShareParts,
    connection: Connection,
    { name, isXa }: { readonly name: string; readonly isXa: boolean },
  ) {
    this.#parts = parts;
    this.#connection = connection;
    this.#name = name;
    this.#isXa = isXa;
  }

  get mayBePrepared(): boolean {
    return this.#preparing !== undefined;
  }

  async perform(share: Share<MysqlRequest>, call: Call, isLast = false): Promise<Performed> {
    const { operations, recoverable } = share;
    // The server counts how long it hears nothing.
    if (operations.length === 0) await this.#connection.ping();
    const places = {
      placeOf: (index: number) => operations[index]?.place ?? index,
      earlier: (place: number) => share.earlier(place),
    };
    const checked = checkEach(operations, operationOf, places);
    const last = isLast ? checked.at(-1) : undefined;
    const run = (operation: Operation, turn: OperationContext) =>
      this.#run(operation, turn, operation === last);
    const results = await runEach(call, checked, run, places);
    return {
      results: jsonList('[', results, ']'),
      onlyRead: this.#onlyRead,
      recovery: recoverable ? this.#name : '',
    };
  }

  /** Its connection is kept for a moment or closed: before that, no other may finish what it prepared. Source: MariaDB, "XA Transactions". */
  async prepare(call: Call): Promise<Prepared> {
    if (this.#onlyRead) {
      await this.commit(call);
      return { prepared: false, recovery: '' };
    }
    if (!this.#isXa) {
      const message = 'A share that began for one phase cannot be prepared';
      throw badRequest('one_phase', message, message);
    }
    call.signal.throwIfAborted();
    await this.#parts.lacks
      .during(() => this.#preparing ?? this.#prepare())
      .catch((cause: unknown) => {
        if (!(cause instanceof ConnectionLost) || call.signal.aborted) throw cause;
        const message = 'The connection to the database was lost while it prepared';
        throw new GatewayError('CONNECTION_FAILED', message, { cause });
      });
    if (this.#parts.held.keep(this.#name, this.#connection, this.#left)) this.traces = 'kept';
    else await this.#connection.close();
    return { prepared: true, recovery: '' };
  }

  async commit({ signal }: Call): Promise<void> {
    signal.throwIfAborted();
    const commits = !this.#onlyRead;
    if (!this.#isXa) {
      await this.#connection.query('COMMIT', {}, commits);
      return;
    }
    await together(this.#connection.wire, () => [
      this.#connection.query(`XA END '${this.#name}'`),
      this.#connection.query(`XA COMMIT '${this.#name}' ONE PHASE`, {}, commits),
    ]);
  }

  async commitMarked(mark: OnceMark, call: Call): Promise<void> {
    // Making it would commit the share.
    await this.#parts.beside(call, (connection) => openTable(connection, mark.place));
    if (!(await keepMark(this.#connection, mark))) throw forestalled();
    await this.commit(call);
  }

  async undo(): Promise<void> {
    const hasBegun = await this.begun?.then(
      () => true,
      () => false,
    );
    if (!this.#isXa || hasBegun === false) {
      await this.#connection.query('ROLLBACK');
      return;
    }
    // It may have ended already, or been marked as one that can only be undone.
    await this.#connection.query(`XA END '${this.#name}'`).catch((error: unknown) => {
      if (!(error instanceof ServerError)) throw error;
    });
    await this.#connection.query(`XA ROLLBACK '${this.#name}'`);
  }

  /** Behind a statement that fails it may succeed all the same: then `undo` undoes what is prepared. */
  #prepare(): Promise<unknown> {
    this.#preparing = ahead(this.#connection.wire, () => [
      this.#connection.query(`XA END '${this.#name}'`),
      this.#connection.query(`XA PREPARE '${this.#name}'`),
    ]);
    return this.#preparing;
  }

  #run(
    operation: Operation,
    { call, point, budget }: OperationContext,
    isLast: boolean,
  ): Promise<Buffer> {
    const connection = this.#connection;
    const { database } = this.#parts;
    const own: Execution = { database, connection, call, place: 'transaction' };
    const params = paramsWith(operation.request.params ?? [], point);
    const request = { ...operation.request, params } as RowsRequest; // The same shape with other values.
    return attempt(connection, 'write', call.signal, async () => {
      const parsed = oneStatement(request.query, hasNames(request), 'transaction');
      const read = operation.mode === 'read' || isRead(request, 'write');
      await demandOpen(own, parsed);
      if (read) this.#left.push(await admitted(own, parsed, true));
      else {
        if (!(await letsThrough(own, parsed))) await this.#noteWrite(own, parsed);
        this.#left.push(leftByWrite(own, parsed));
      }
      const values = valuesOf(request, parsed);
      const prepares = isLast && this.#isXa && !this.#onlyRead && answersCount(operation, parsed);
      const sending = prepares ? { ...own, sent: () => void this.#prepare() } : own;
      // Inside a transaction of its own, a read is kept from writing by the guard alone.
      const ready = { request, parsed, values, read: false };
      const send = () => execute(sending, ready, budget);
      const result = await this.#onceBegun(inTheSame(own, parsed, send, this.#isXa));
      // That it is prepared says that it was open.
      if (!prepares && !connection.wire.inTransaction) throw endedEarly();
      return result;
    });
  }

  /** @throws why it did not begin, rather than what came of that */
  async #onceBegun<Value>(work: Promise<Value>): Promise<Value> {
    const [done] = await Promise.allSettled([work]);
    await this.begun;
    if (done.status === 'rejected') throw done.reason;
    return done.value;
  }

  /** @throws GatewayError BAD_REQUEST naming a table whose engine would keep what is undone */
  #noteWrite(own: Execution, parsed: Parsed): Promise<void> {
    this.#onlyRead = false;
    const why = 'what is changed there cannot be prepared or undone';
    return refusePlain(own, parsed, this.#parts.engines, why);
  }
}

function leftByWrite({ database, connection }: Execution, parsed: Parsed): Traces {
  if (mayLeaveTraces(parsed)) return 'some';
  const catalog = new Catalog((query, values) => connection.rows(query, values));
  return { ask: () => database.hidden.leftBy(parsed, catalog) };
}

function operationOf({ request, mode }: Share<MysqlRequest>['operations'][number]): Operation {
  const operation = operationFrom(request);
  return { request: operation, mode, timeout_ms: operation.timeout_ms };
}

const CHANGING = new Set(['INSERT', 'UPDATE', 'DELETE', 'REPLACE']);

/** Whether it answers a count alone, which is never refused: then what prepares the share can go behind it. */
function answersCount({ request: { type }, timeout_ms }: Operation, parsed: Parsed): boolean {
  // What prepares is no part of an operation's own time.
  if (timeout_ms !== undefined || parsed.returning) return false;
  return CHANGING.has(parsed.first) && !/^query_(?:one|opt)/.test(type);
}
