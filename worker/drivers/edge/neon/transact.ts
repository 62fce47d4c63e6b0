/** Several requests in one transaction and one trip. Contract §6, "Transactions". */
import { NeonDbError } from '@neondatabase/serverless';
import {
  isRead,
  operationFrom,
  type RowsRequest,
} from '../../../../kinds/postgres/dialect/admit.ts';
import type { Statement } from '../../../../kinds/postgres/dialect/ask.ts';
import type { PostgresRequest } from '../../../../kinds/postgres/index.ts';
import { resolveReferences } from '../../../../kinds/result-references.ts';
import { atOperation, checkEach } from '../../../../kinds/transaction.ts';
import type { Call } from '../../../../proto/driver.ts';
import type { Json } from '../../../../proto/json.ts';
import { lacks, listBytes } from '../sql/reply.ts';
import { sendThenWrite } from '../sql/send-then-write.ts';
import type { Query } from './bind.ts';
import { firstOf, type Tries } from './bisect.ts';
import type { Database } from './database.ts';
import type { StatementReply } from './exchange.ts';
import { changeOf, placed, ready, undoneAmong, written } from './execute.ts';
import { toldFailure } from './failures.ts';
import { failedOperations, marked, QUOTED_BYTES, type SentOperation } from './operations.ts';
import { VENDOR } from './run.ts';

/** Runs all or none; the value is a JSON array of SQL results. */
export async function runTransaction(
  database: Database,
  requests: readonly PostgresRequest[],
  call: Call,
): Promise<Uint8Array> {
  const operations = checkEach(requests, operationFrom);
  const all: Query[] = [];
  for (const [at, operation] of operations.entries()) {
    all.push(await atOperation(at, () => prepared(database, operation, call)));
  }
  return sendThenWrite(
    changeOf(true),
    () => sendAll(database, operations, all, call),
    async (answers) => {
      const results: Uint8Array[] = [];
      let left = call.resultMaxBytes - 2;
      for (const [at, each] of all.entries()) {
        const result = await written(database, each, answers[at], call, left);
        left -= result.length + 1;
        results.push(result);
      }
      return listBytes('[', results, ']');
    },
  );
}

async function prepared(database: Database, operation: RowsRequest, call: Call): Promise<Query> {
  const earlier = (): never => {
    throw lacks(VENDOR, 'a transaction that looks at earlier results ($result)', 'Postgres');
  };
  // A typed parameter stays a pair: only its value can be a reference.
  const params = resolveReferences((operation.params ?? []) as Json, earlier, 'unwrapped');
  const request = { ...operation, params } as RowsRequest; // The same shape with other values.
  return ready(database, request, isRead(request, 'write'), 'transaction', call);
}

/** Each operation's own deadline is the database's to keep: it stops the statement and undoes all. */
async function sendAll(
  database: Database,
  operations: readonly RowsRequest[],
  all: readonly Query[],
  call: Call,
): Promise<readonly StatementReply[]> {
  const sent = marked(all);
  const statements: Statement[] = [QUOTED_BYTES];
  const places: number[] = [];
  const isTimed = operations.some(({ timeout_ms: limit }) => limit !== undefined);
  for (const [at, { statement, ready: operation }] of sent.entries()) {
    if (isTimed) statements.push(timeLimit(operations[at]?.timeout_ms));
    const own = undoneAmong([statement], [operation]);
    places.push(statements.length + (own.places[0] ?? 0));
    statements.push(...own.sent);
  }
  try {
    const answers = await database.together(statements, false, call);
    return places.flatMap((at) => answers[at] ?? []);
  } catch (error) {
    throw await atItsOperation(database, error, sent, call);
  }
}

function timeLimit(limit: number | undefined): Statement {
  return {
    text: "SELECT pg_catalog.set_config('statement_timeout', $1, true)",
    values: [String(limit ?? 0)],
  };
}

/** The failure with the operation that it is of, where that is known. */
async function atItsOperation(
  database: Database,
  error: unknown,
  sent: readonly SentOperation[],
  call: Call,
): Promise<unknown> {
  if (!(error instanceof NeonDbError)) return error;
  const operation = await operationOf(database, error, sent, call);
  const found = operation === undefined ? undefined : sent[operation];
  if (operation === undefined || !found) {
    // Places are in the texts as they were sent, and of which is not known.
    error.position = undefined;
    return error;
  }
  try {
    return atOperation(operation, () => {
      throw toldFailure(placed(error, { ...found.ready, rewritten: found.rewritten }), 'write');
    });
  } catch (failure) {
    return failure;
  }
}

/** Of several that a value may be of the database is asked; a place that fits several says nothing. */
async function operationOf(
  database: Database,
  error: NeonDbError,
  sent: readonly SentOperation[],
  call: Call,
): Promise<number | undefined> {
  const those = failedOperations(error, sent);
  if (those.length < 2) return those[0];
  if (error.where === undefined) return undefined;
  const statements = those.flatMap((index) => sent[index]?.statement ?? []);
  const tries: Tries = (each, read, bounds) =>
    database.together([QUOTED_BYTES, ...each], read, bounds);
  const first = await firstOf(error, statements, tries, call);
  return first === undefined ? undefined : those[first];
}
