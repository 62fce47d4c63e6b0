/** Several changes in one message: batches of callers, and transactions. Contract §6, "Transactions". */
import requests from 'cassandra-driver/lib/requests.js';
import type { CassandraRequest } from '../../../kinds/cassandra/index.ts';
import type { Call } from '../../../proto/driver.ts';
import { badRequest } from '../../../proto/errors.ts';
import { isJsonObject, type Json } from '../../../proto/json.ts';
import { namesOf, onlyNameOf } from '../../../proto/ordered-json.ts';
import type { Pieces } from '../../../proto/work/pieces.ts';
import { inPiecesOf } from '../in-pieces.ts';
import { inTurnOf } from '../long-rows.ts';
import type { Connection } from './connection.ts';
import type { ConnectionWork, Database } from './database.ts';
import { at, ofOperation } from './errors.ts';
import { extras } from './extras.ts';
import { admitChange } from './guard.ts';
import { CallOptions, columnsText, rowTexts } from './pages.ts';
import { type EncodedValue, encodedParams, type Params } from './parameters.ts';
import type { Prepared, StatementReply } from './reply.ts';
import { ResultText } from './result.ts';
import { readTrace } from './trace.ts';

type BatchRequest = Extract<CassandraRequest, { type: 'batch' }>;

/** One change. */
interface BatchStatement {
  readonly query: string;
  readonly params?: Params;
}

/** Runs a request of type `batch`. */
export async function runBatch(
  database: Database,
  request: BatchRequest,
  call: Call,
): Promise<Buffer> {
  const changes = request.queries.map(
    (each): BatchStatement => (typeof each === 'string' ? { query: each } : each),
  );
  for (const [index, { query }] of changes.entries()) at(index, () => admitChange(query));
  const work: ConnectionWork = { changes: true, sent: false, inPieces: call.inPieces };
  return database.call(work, call, async (connection) => {
    const options = new CallOptions(database.settings, request, {}, request.batch_type);
    const answer = await send({ database, connection, work }, changes, options);
    const trace = request.tracing === true ? await readTrace(connection, answer) : undefined;
    return resultOf(answer, call, trace);
  });
}

/** Runs changes as one logged batch; the answer is one result each. */
export async function transact(
  database: Database,
  operations: readonly CassandraRequest[],
  call: Call,
): Promise<Buffer> {
  const changes = operations.map((operation, index) => at(index, () => changeOf(operation)));
  if (changes.length === 0) return Buffer.from('[]');
  const work: ConnectionWork = { changes: true, sent: false, inPieces: call.inPieces };
  return database.call(work, call, async (connection) => {
    const options = new CallOptions(database.settings, {});
    const answer = await send({ database, connection, work }, changes, options);
    const each = await resultOf(answer, call, undefined);
    return Buffer.from(`[${Array(changes.length).fill(each.toString()).join(',')}]`);
  });
}

const PLAIN = new Set(['type', 'query', 'params', 'timeout_ms', 'kind', 'row_format']);

function changeOf(operation: CassandraRequest): BatchStatement {
  if (operation.type !== 'query' && operation.type !== 'execute') {
    const message = `Type ${operation.type} is not taken in a transaction; send query or execute`;
    throw badRequest('type', message, message);
  }
  const other = Object.keys(operation).find((name) => !PLAIN.has(name));
  if (other !== undefined) {
    const message = 'is not taken in a transaction; send a request of type batch';
    throw badRequest(other, message);
  }
  admitChange(operation.query);
  for (const value of Object.values(operation.params ?? {})) refuseReference(value);
  return operation;
}

/** Results of a batch do not exist before its end. Contract §6: `$result` on other kinds is 400. */
function refuseReference(value: Json): void {
  if (Array.isArray(value)) value.forEach(refuseReference);
  if (!isJsonObject(value)) return;
  const { $result } = value;
  if (typeof $result === 'string' && $result.startsWith('[') && onlyNameOf(value) !== undefined) {
    const message = 'Cassandra has no results inside a transaction; $result is not taken';
    throw badRequest('$result', message, message);
  }
  for (const name of namesOf(value)) refuseReference(value[name] ?? null);
}

interface BatchContext {
  readonly database: Database;
  readonly connection: Connection;
  readonly work: ConnectionWork;
}

/** Nothing is sent where a statement is not known to the server, or its values do not fit it. */
function send(
  { database, connection, work }: BatchContext,
  changes: readonly BatchStatement[],
  options: CallOptions,
): Promise<StatementReply> {
  const texts = changes.map(({ query }) => query);
  const sent = async (prepared: readonly Prepared[]) => {
    const encoded = valuesOf(prepared, changes);
    const params = await inPiecesOf(work, encoded);
    const queries = prepared.map(({ id, meta }, index) => ({
      ...{ queryId: id, meta, params: params[index] ?? [] },
    }));
    work.sent = true;
    return connection.send(new requests.BatchRequest(queries, options));
  };
  return database.withPrepared(connection, texts, sent, true);
}

function* valuesOf(
  prepared: readonly Prepared[],
  changes: readonly BatchStatement[],
): Pieces<EncodedValue[][]> {
  const values: EncodedValue[][] = [];
  for (const [index, { meta }] of prepared.entries()) {
    try {
      values.push(yield* encodedParams(meta.columns, changes[index]?.params));
    } catch (cause) {
      throw ofOperation(cause, index);
    }
  }
  return values;
}

async function resultOf(
  answer: StatementReply,
  call: Call,
  trace: string | undefined,
): Promise<Buffer> {
  const result = new ResultText(call.resultMaxBytes);
  const { numbersAsStrings } = call;
  for (const row of rowTexts(answer, { rowFormat: 'object', numbersAsStrings })) {
    if (typeof row === 'string') result.add(row);
    else await inTurnOf(call, result.addLong(row));
  }
  return result.finish(columnsText(answer.meta?.columns ?? []), extras(answer, trace));
}
