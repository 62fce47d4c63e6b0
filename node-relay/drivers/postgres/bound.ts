/** Writes the parameters of a statement as the server takes them. */
import type { RowsRequest } from '../../../kinds/postgres/dialect/admit.ts';
import type { Statement } from '../../../kinds/postgres/dialect/ask.ts';
import { keepTexts } from '../../../kinds/postgres/dialect/keep-texts.ts';
import { openingWord } from '../../../kinds/postgres/dialect/opening-word.ts';
import {
  dependsOnType,
  encodeParameters,
  mayDependOnType,
  parametersInPieces,
  parametersOf,
} from '../../../kinds/postgres/dialect/parameters.ts';
import { REMEMBERED_MAX_CHARACTERS } from '../../../kinds/postgres/dialect/statement.ts';
import { GatewayError } from '../../../proto/errors.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';
import type { Admitted, Execution } from './execute.ts';
import { parameterTypes } from './inquire.ts';

const ASCII_MAX = 0x7f;
const ASCII = /^[\0-\x7f]*$/;
/** Words that begin what a session may run in another encoding, which it ends by some of these: they answer no rows. */
const WITHOUT_ROWS = new Set([
  'reset',
  'set',
  'discard',
  'begin',
  'start',
  'rollback',
  'abort',
  'commit',
  'end',
]);

/**
 * The statement with its parameters in text; asks the server for their types only when that makes a difference.
 * @throws GatewayError BAD_REQUEST
 */
export async function bound(
  { database, connection, call, place }: Execution,
  request: RowsRequest,
  { types: admittedTypes }: Pick<Admitted, 'types'>,
): Promise<Statement> {
  const parameters = parametersOf(request);
  if (parameters.values.length > 0) demandUtf8(connection);
  else demandEncoding({ connection, place }, request.query);
  const types = admittedTypes ?? parameters.types;
  let oids = types;
  if (dependsOnType(parameters) || mayDependOnType(parameters)) {
    oids ??= await typesOf(database, connection, request.query);
    await database.types.learn(oids, (statement) => connection.rows(statement));
  }
  const typeAt = (index: number) => database.types.get(oids?.[index] ?? 0);
  const values = call.inPieces
    ? await call.inPieces(parametersInPieces(parameters, typeAt))
    : encodeParameters(parameters, typeAt);
  if (call.inPieces && call.letGo) {
    keepTexts(request, values);
    call.letGo();
  }
  return { text: request.query, values, ...(types ? { types } : {}) };
}

/** Refuses what an earlier statement of a transaction or session would spoil. @throws GatewayError BAD_REQUEST */
export function demandEncoding(
  { connection, place }: Pick<Execution, 'connection' | 'place'>,
  text: string,
): void {
  const isApart = place !== 'transaction' && place !== 'lease';
  if (isApart || (place === 'lease' && leadsBack(text))) return;
  demandUtf8(connection);
}

/** Other texts than ASCII would be another value of a setting, or another name. */
function leadsBack(text: string): boolean {
  return ASCII.test(text) && WITHOUT_ROWS.has(openingWord(text));
}

/** Refuses what an earlier statement would spoil. @throws GatewayError BAD_REQUEST */
export function demandUtf8({ isUtf8 }: Connection): void {
  if (isUtf8) return;
  const message = 'client_encoding must be UTF8: a statement before this one has changed it';
  throw new GatewayError('BAD_REQUEST', message);
}

/** Refuses the result of a statement that has changed what texts are told in: ASCII alone is the same in all. @throws GatewayError BAD_REQUEST; `applied` of a change that is kept */
export function demandTold(
  { connection, place }: Pick<Execution, 'connection' | 'place'>,
  read: boolean,
  whole: Buffer,
): void {
  if (connection.isUtf8 || whole.every((byte) => byte <= ASCII_MAX)) return;
  const message =
    'client_encoding must be UTF8: this statement has changed it, so its result cannot be told';
  const isKept = !read && place !== 'transaction' && !connection.wire.inTransaction;
  const applied = { source: 'postgres', code: 'BAD_REQUEST', message, applied: true } as const;
  throw new GatewayError('BAD_REQUEST', message, { details: isKept ? [applied] : [] });
}

async function typesOf(
  database: Database,
  connection: Connection,
  text: string,
): Promise<readonly number[]> {
  const known = connection.altered ? undefined : database.parameterTypes.get(text);
  if (known) return known;
  const oids = await parameterTypes(connection, { text });
  if (!connection.altered && text.length <= REMEMBERED_MAX_CHARACTERS) {
    database.parameterTypes.set(text, oids);
  }
  return oids;
}
