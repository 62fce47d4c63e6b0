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
import type { Isolation, Performed, Prepared, Share } from '../../../proto/prepares.ts';
import { jsonList } from '../byte-text.ts';
import { attempt, type Traces } from '../lender.ts';
import { ConnectionLost } from '../loss.ts';
import { forestalled } from '../once.ts';
import type { OpenShare, ShareSteps } from '../participant.ts';
import type { Connection } from './connection.ts';
import { admitted, demandOpen, type Execution, execute } from './execute.ts';
import { keepMark, openTable } from './once-table.ts';
import type { ShareParts } from './share-parts.ts';
import { endedEarly } from './transact.ts';

/** A process that works on a share calls more often: a server that hears nothing for so long from a relay that is cut off undoes it. */
const IDLE_MAX_S = 60;
/** The level by itself, and by default where the server's own is weaker than that. */
const LEVELS: { readonly [level in Isolation]: string } = {
  'read committed': 'READ-COMMITTED',
  'repeatable read': 'REPEATABLE-READ',
  serializable: 'SERIALIZABLE',
};
const TOO_WEAK = 'READ-UNCOMMITTED';

/** What begins shares. */
export function mysqlShares(parts: ShareParts): ShareSteps<MysqlRequest, Connection> {
  return {
    async begin(connection, { name, isolation, onePhase }, { mode }) {
      const isXa = !onePhase && mode === 'write';
      const share = new MysqlShare(parts, connection, { name, isXa });
      for (;;) {
        const usual = await parts.level(connection);
        const level = isolation ?? (usual === TOO_WEAK ? 'read committed' : undefined);
        const set = level === undefined ? '' : `, ${parts.levelName} = '${LEVELS[level]}'`;
        const [own] = await connection.together(() => [
          parts.announce(connection, name),
          // The last id may be that of another caller's write.
          connection.query(`SET SESSION wait_timeout = ${IDLE_MAX_S}, last_insert_id = 0${set}`),
          connection.query(isXa ? `XA START '${name}'` : plainBegin(mode)),
        ]);
        // What this has set the end of a share takes back; a level goes with a reset.
        connection.wire.sessionChanged = level !== undefined;
        if (isolation !== undefined || own === usual) return share;
        // The server's default has changed since it was asked for.
        await share.undo();
        await connection.query(`SET SESSION ${parts.levelName} = '${own}'`);
      }
    },
  };
}

function plainBegin(mode: Mode): string {
  return mode === 'read' ? 'START TRANSACTION READ ONLY' : 'START TRANSACTION';
}

/** An operation that may be run. */
interface Operation {
  readonly request: RowsRequest;
  readonly mode: Mode;
  readonly timeout_ms?: number | undefined;
}

class MysqlShare implements OpenShare<MysqlRequest> {
  traces: Traces | 'kept' = 'some';
  readonly #parts: ShareParts;
  readonly #connection: Connection;
  readonly #name: string;
  readonly #isXa: boolean;
  #onlyRead = true;
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

  async perform(share: Share<MysqlRequest>, call: Call): Promise<Performed> {
    const { operations, recoverable } = share;
    // The server counts how long it hears nothing.
    if (operations.length === 0) await this.#connection.ping();
    const places = {
      placeOf: (index: number) => operations[index]?.place ?? index,
      earlier: (place: number) => share.earlier(place),
    };
    const checked = checkEach(operations, operationOf, places);
    const run = (operation: Operation, turn: OperationContext) => this.#run(operation, turn);
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
      .during(() => this.#prepare())
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
    await this.#connection.together(() => [
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
    if (!this.#isXa) {
      await this.#connection.query('ROLLBACK');
      return;
    }
    // It may have ended already, or been marked as one that can only be undone.
    await this.#connection.query(`XA END '${this.#name}'`).catch((error: unknown) => {
      if (!(error instanceof ServerError)) throw error;
    });
    await this.#connection.query(`XA ROLLBACK '${this.#name}'`);
  }

  async #prepare(): Promise<void> {
    await this.#connection.together(() => [
      this.#connection.query(`XA END '${this.#name}'`),
      this.#connection.query(`XA PREPARE '${this.#name}'`),
    ]);
  }

  #run(operation: Operation, { call, point, budget }: OperationContext): Promise<Buffer> {
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
        if (!(await letsThrough(own, parsed))) await this.#noteWrite(parsed);
        this.#left.push(leftByWrite(own, parsed));
      }
      const values = valuesOf(request, parsed);
      // Inside a transaction of its own, a read is kept from writing by the guard alone.
      const result = await execute(own, { request, parsed, values, read: false }, budget);
      if (!connection.wire.inTransaction) throw endedEarly();
      return result;
    });
  }

  /** @throws GatewayError BAD_REQUEST naming a table whose engine would keep what is undone */
  async #noteWrite(parsed: Parsed): Promise<void> {
    this.#onlyRead = false;
    const connection = this.#connection;
    const plain = await this.#parts.engines.plainTable(parsed, (query, values) =>
      connection.rows(query, values),
    );
    if (plain === undefined) return;
    const { table, engine } = plain;
    const message = `Table ${table} has the engine ${engine}, which has no transactions: what is changed there cannot be prepared or undone`;
    const details = [{ rule: 'lacks', lack: 'engine', path: 'query', message }];
    throw new GatewayError('BAD_REQUEST', message, { details });
  }
}

function leftByWrite({ database, connection }: Execution, parsed: Parsed): Traces {
  if (mayLeaveTraces(parsed)) return 'some';
  const catalog = new Catalog((query, values) => connection.rows(query, values));
  return { ask: () => database.hidden.leftBy(parsed, catalog) };
}

/** Whether `/read` would have taken it. */
async function letsThrough(execution: Execution, parsed: Parsed): Promise<boolean> {
  if (parsed.unreadable !== undefined) return false;
  try {
    await admitted(execution, parsed, true);
    return true;
  } catch (error) {
    if (error instanceof GatewayError) return false;
    throw error;
  }
}

function operationOf({ request, mode }: Share<MysqlRequest>['operations'][number]): Operation {
  const operation = operationFrom(request);
  return { request: operation, mode, timeout_ms: operation.timeout_ms };
}
