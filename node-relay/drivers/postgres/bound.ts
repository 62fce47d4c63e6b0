/** Writes the parameters of a statement as the server takes them. */
import type { RowsRequest } from '../../../kinds/postgres/dialect/admit.ts';
import type { Statement } from '../../../kinds/postgres/dialect/ask.ts';
import { keepTexts } from '../../../kinds/postgres/dialect/keep-texts.ts';
import {
  dependsOnType,
  encodeParameters,
  mayDependOnType,
  parametersInPieces,
  parametersOf,
} from '../../../kinds/postgres/dialect/parameters.ts';
import { REMEMBERED_MAX_CHARACTERS } from '../../../kinds/postgres/dialect/statement.ts';
import type { Admitted } from './admission.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';
import { demandEncoding, demandUtf8 } from './encoding.ts';
import type { Execution } from './execute.ts';
import { parameterTypes } from './inquire.ts';

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
