/** Sends one statement on one connection: what goes ahead of it, its parameters, its result. */

import { makesUnusable, type Place } from '../../../dialects/postgres/admit.ts';
import type { Statement } from '../../../dialects/postgres/ask.ts';
import { checkCount } from '../../../dialects/postgres/count.ts';
import type { FieldValue } from '../../../dialects/postgres/encode.ts';
import {
  dependsOnType,
  encodeParameters,
  parametersOf,
} from '../../../dialects/postgres/parameters.ts';
import { type Parsed, REMEMBERED_MAX_CHARACTERS } from '../../../dialects/postgres/statement.ts';
import type { Call } from '../../../proto/driver.ts';
import { GatewayError } from '../../../proto/errors.ts';
import type { PostgresRequest } from '../../../proto/kinds/postgres.ts';
import { tooLarge } from '../byte-text.ts';
import type { Traces } from '../lend.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';
import { parameterQuestion, statementMessages } from './messages.ts';
import { SqlResult } from './result.ts';

/** Where and within what a request runs. */
export interface Scene {
  readonly database: Database;
  readonly connection: Connection;
  readonly call: Call;
  readonly place: Place;
}

/** Requests of one statement with rows. */
export type RowsRequest = Extract<PostgresRequest, { params?: unknown }>;

/** A statement that may be sent. */
export interface Ready {
  readonly request: Pick<PostgresRequest, 'type'> & { row_format?: 'object' | 'array' | undefined };
  readonly parsed: Parsed | undefined;
  readonly statement: Statement;
  readonly read: boolean;
}

/** Lets a read pass the guard, and answers what a statement will leave on the connection. */
export async function admitted(
  { database, connection }: Scene,
  parsed: Parsed | undefined,
  read: boolean,
): Promise<Traces> {
  const ask = (statement: Statement) => connection.catalogRows(statement);
  if (read && parsed) return (await database.guard.admit(parsed, ask)) ? 'some' : 'none';
  if (!parsed) return 'some';
  if (makesUnusable(parsed)) return 'unusable';
  const known = database.guard.leavesTraces(parsed);
  if (known !== undefined) return known ? 'some' : 'none';
  return { ask: () => database.guard.learnTraces(parsed, ask) };
}

/** The statement with its parameters in text; asks the server for their types only when that makes a difference. */
export async function bound(
  { database, connection }: Scene,
  request: RowsRequest,
): Promise<Statement> {
  const parameters = parametersOf(request);
  const { types } = parameters;
  let oids = types;
  if (dependsOnType(parameters)) {
    oids = await parameterTypes(database, connection, {
      text: request.query,
      ...(types ? { types } : {}),
    });
    await database.types.learn(oids, (statement) => connection.rows(statement));
  }
  const values = encodeParameters(parameters, (index) => database.types.get(oids?.[index] ?? 0));
  return { text: request.query, values, ...(types ? { types } : {}) };
}

async function parameterTypes(
  database: Database,
  connection: Connection,
  statement: Statement,
): Promise<readonly number[]> {
  const known = statement.types ? undefined : database.parameterTypes.get(statement.text);
  if (known) return known;
  let oids: readonly number[] = [];
  await connection.wire.exchange({
    bytes: Buffer.concat([
      statementMessages(connection.preamble, 'flush'),
      parameterQuestion(statement),
    ]),
    until: 'ready',
    sink: { parameters: (found) => (oids = found) },
  });
  if (!statement.types && statement.text.length <= REMEMBERED_MAX_CHARACTERS) {
    database.parameterTypes.set(statement.text, oids);
  }
  return oids;
}

/** Makes the implicit transaction read-only, and restores what the guard's parser relies on. */
const READ_ONLY_NOW: Statement = {
  text:
    "SELECT pg_catalog.set_config('transaction_read_only', 'on', true), " +
    "pg_catalog.set_config('standard_conforming_strings', 'on', true)",
};

/**
 * What goes ahead of a read, in its transaction, so that it is one.
 * @throws GatewayError TRANSACTION_OPEN inside an open write transaction
 */
export async function beforeRead({ connection }: Scene): Promise<readonly Statement[]> {
  const { wire, preamble, readOnly } = connection;
  if (readOnly) return preamble;
  if (wire.inTransaction) await requireReadOnly(connection);
  return wire.idle ? [READ_ONLY_NOW, ...preamble] : preamble;
}

/** Sends a statement and answers its result. */
export async function execute(
  scene: Scene,
  ready: Ready,
  budget = scene.call.resultMaxBytes,
): Promise<Buffer> {
  const { connection, database, place, call } = scene;
  let overflowed = false;
  const onOverflow = () => {
    overflowed = true;
    // Stopping ends the connection, so a transaction or a lease rather drops the rows.
    if (place === 'call') connection.interrupt();
  };
  const rowFormat = ready.request.row_format ?? 'object';
  const options = { numbersAsStrings: call.numbersAsStrings, rowFormat };
  const result = new SqlResult(database.shapes, options, budget, onOverflow);
  try {
    if (ready.read) return await executeRead(scene, ready, result);
    return await executeWrite(scene, ready, result);
  } catch (error) {
    if (overflowed && !(error instanceof GatewayError) && !call.signal.aborted)
      throw tooLarge(budget);
    throw error;
  }
}

async function executeRead(scene: Scene, ready: Ready, result: SqlResult): Promise<Buffer> {
  const { connection, database } = scene;
  const before = await beforeRead(scene);
  const tag = await connection.wire.exchange({
    bytes: statementMessages([...before, ready.statement], 'sync'),
    until: 'ready',
    main: before.length,
    sink: result,
  });
  await database.types.learn(result.unknownTypes, (statement) => connection.rows(statement));
  return finished(result, ready, tag);
}

/** Contract §6: `/read` in a session runs under the same guards and not inside a write transaction. */
async function requireReadOnly(connection: Connection): Promise<void> {
  const [row] = await connection.rows({
    text: "SELECT pg_catalog.current_setting('transaction_read_only'), pg_catalog.current_setting('standard_conforming_strings')",
  });
  if (row?.[0] !== 'on') {
    throw new GatewayError(
      'TRANSACTION_OPEN',
      'The session has a write transaction open; a read is not taken inside it',
    );
  }
  if (row[1] !== 'on') {
    throw new GatewayError('BAD_REQUEST', 'A read needs standard_conforming_strings to be on');
  }
}

async function executeWrite(scene: Scene, ready: Ready, result: SqlResult): Promise<Buffer> {
  const { connection, database } = scene;
  const { wire, preamble } = connection;
  const ask =
    (held: boolean) =>
    (statement: Statement): Promise<readonly (readonly FieldValue[])[]> =>
      connection.rows(statement, held);
  // Rows are looked at before the change is kept, unless a transaction is open anyway.
  const held = wire.idle && ready.parsed?.returnsRows === true;
  const commits = !held && (!wire.inTransaction || ready.parsed?.kind === 'TransactionStmt');
  const tag = await wire.exchange({
    bytes: statementMessages([...preamble, ready.statement], held ? 'flush' : 'sync'),
    until: held ? 'complete' : 'ready',
    main: preamble.length,
    commits,
    sink: result,
  });
  if (!held) {
    await database.types.learn(result.unknownTypes, ask(false));
    return commits ? finishedAfter(result, ready, tag) : finished(result, ready, tag);
  }
  let whole: Buffer;
  try {
    await database.types.learn(result.unknownTypes, ask(true));
    whole = finished(result, ready, tag);
    scene.call.signal.throwIfAborted();
  } catch (error) {
    await undo(() => wire.rollback());
    throw error;
  }
  await wire.commit();
  return whole;
}

/** Undoes what a failure left; when that fails too, the connection is lost and the server undoes it. */
export async function undo(work: () => Promise<unknown>): Promise<void> {
  await work().catch(() => {});
}

/** A result of a change that stands already: when it cannot be told, `details` say `applied`. */
function finishedAfter(result: SqlResult, ready: Ready, tag: string): Buffer {
  try {
    return finished(result, ready, tag);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const details = [
      { source: 'postgres', code: error.code, message: error.message, applied: true as const },
    ];
    throw new GatewayError(error.code, error.message, { details });
  }
}

function finished(result: SqlResult, { request: { type } }: Ready, tag: string): Buffer {
  checkCount(type, result.rowCount);
  return result.finish(tag);
}
