/** Sends statements to Neon and writes their results. */
import { NeonDbError } from '@neondatabase/serverless';
import { oneStatement, type RowsRequest } from '../../../../kinds/postgres/dialect/admit.ts';
import type { Statement } from '../../../../kinds/postgres/dialect/ask.ts';
import { checkCount } from '../../../../kinds/postgres/dialect/count.ts';
import { parametersOf } from '../../../../kinds/postgres/dialect/parameters.ts';
import { rowsAffected } from '../../../../kinds/postgres/dialect/rows.ts';
import type { Parsed } from '../../../../kinds/postgres/dialect/statement.ts';
import type { Call } from '../../../../proto/driver.ts';
import { resultBytes } from '../sql/reply.ts';
import { type SentStatement, sendThenWrite } from '../sql/send-then-write.ts';
import { bound, type Query } from './bind.ts';
import type { Database } from './database.ts';
import type { StatementReply } from './exchange.ts';
import { toldFailure } from './failures.ts';

/** A request's statement as it may be sent. @throws GatewayError BAD_REQUEST and what the statement's look-ups give */
export async function ready(
  database: Database,
  request: RowsRequest,
  read: boolean,
  place: 'http' | 'transaction',
  call: Call,
): Promise<Query> {
  const parsed = oneStatement(request, read || database.allowGuard !== undefined, place);
  try {
    const { types: given } = parametersOf(request);
    await database.allowGuard?.admit(parsed, given, database.inquirer(call));
    const undone =
      read && parsed !== undefined && !(await isPlain(database, request, parsed, call));
    return await bound(database, request, { parsed, read, undone }, call);
  } catch (error) {
    // Looking things up changes nothing.
    throw toldFailure(error, 'read');
  }
}

async function isPlain(
  database: Database,
  request: RowsRequest,
  parsed: Parsed,
  call: Call,
): Promise<boolean> {
  const { types } = parametersOf(request);
  return (await database.guard.admit(parsed, types, database.inquirer(call))).plain;
}

const SAVE: Statement = { text: 'SAVEPOINT causeway_read' };
const UNDO: Statement = { text: 'ROLLBACK TO SAVEPOINT causeway_read' };

/** Statements to send in one transaction, and where in it each one's answer is: nothing stays of those that are to be undone. */
export function undoneAmong(
  statements: readonly Statement[],
  all: readonly Pick<Query, 'undone'>[],
): { readonly sent: readonly Statement[]; readonly places: readonly number[] } {
  const sent: Statement[] = [];
  const places: number[] = [];
  for (const [at, statement] of statements.entries()) {
    const undone = all[at]?.undone === true;
    if (undone) sent.push(SAVE);
    places.push(sent.length);
    sent.push(statement);
    if (undone) sent.push(UNDO);
  }
  return { sent, places };
}

/** Runs one statement. @throws GatewayError, NeonDbError */
export async function execute(
  database: Database,
  statement: Query,
  call: Call,
): Promise<Uint8Array> {
  const { read, parsed, rewritten, values } = statement;
  const sent = { text: rewritten.text, values };
  return sendThenWrite(
    changeOf(!read),
    async () => {
      try {
        // Some statements may not be in a transaction block, and none of those has values to write.
        if (!read && !parsed?.plain) return await database.alone(sent, call);
        const { sent: those, places } = undoneAmong([sent], [statement]);
        const answers = await database.together(those, read, call);
        return answers[places[0] ?? 0];
      } catch (error) {
        throw placed(error, statement);
      }
    },
    (answer) => written(database, statement, answer, call, call.resultMaxBytes),
  );
}

/** As `standing` needs it to report a change. */
export const changeOf = (changes: boolean): SentStatement => ({
  changes,
  source: 'postgres',
  told: (error) => toldFailure(error, 'read'),
});

/** The result of one statement as JSON text. @throws GatewayError REQUEST_FAILED, RESULT_TOO_LARGE */
export async function written(
  database: Database,
  { request, parsed, mark }: Query,
  answer: StatementReply | undefined,
  call: Call,
  max: number,
): Promise<Uint8Array> {
  const { fields, rows, tag } = answer ?? { fields: [], rows: [], tag: '' };
  checkCount(request.type, rows.length);
  const oids = fields.map(({ dataTypeID }) => dataTypeID);
  await database.types.learn(oids, database.rows(call));
  const { numbersAsStrings } = call;
  const rowFormat = request.row_format ?? 'object';
  const shape = database.shapes.of(fields, { numbersAsStrings, rowFormat });
  const texts = shape ? rows.map(shape.write) : [];
  // Held to a count, a change stands inside a SELECT; it answers a row for each that it changed.
  const isChange = mark !== undefined && parsed?.kind !== 'SelectStmt';
  const affected = isChange ? rows.length : rowsAffected(tag);
  const tail = affected === undefined ? '' : `,"rows_affected":${affected}`;
  const head = `{"columns":${shape?.columnsJson ?? '[]'},"rows":[`;
  return resultBytes(`${head}${texts.join(',')}],"row_count":${rows.length}${tail}}`, max);
}

/** The error with its place in the text as it was given; a wrong number of rows by its own name. */
export function placed(error: unknown, { rewritten, request, mark }: Query): unknown {
  if (!(error instanceof NeonDbError)) return error;
  const { message, position } = error;
  const found = mark === undefined ? -1 : message.indexOf(mark);
  if (mark !== undefined && found >= 0) {
    const count = Number.parseInt(message.slice(found + mark.length), 10);
    try {
      checkCount(request.type, count);
    } catch (failure) {
      return failure;
    }
  }
  if (position !== undefined) error.position = String(rewritten.place(Number(position)));
  return error;
}
