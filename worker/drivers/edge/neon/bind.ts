/** Readies one statement for Neon: admitted, its parameters in text, its count held where that can be. */

import { NeonDbError } from '@neondatabase/serverless';
import type { RowsRequest } from '../../../../kinds/postgres/dialect/admit.ts';
import type { FieldValue } from '../../../../kinds/postgres/dialect/encode.ts';
import {
  dependsOnType,
  encodeParameters,
  mayDependOnType,
  type Parameters,
  parametersOf,
} from '../../../../kinds/postgres/dialect/parameters.ts';
import {
  type Parsed,
  REMEMBERED_MAX_CHARACTERS,
} from '../../../../kinds/postgres/dialect/statement.ts';
import type { PostgresRequest } from '../../../../kinds/postgres/index.ts';
import type { Call } from '../../../../proto/driver.ts';
import type { Database } from './database.ts';
import { counted, type Rewritten, unchanged, withTypes } from './rewrite.ts';

/** A statement that may be sent. */
export interface Query {
  readonly request: Pick<PostgresRequest, 'type'> & { row_format?: 'object' | 'array' | undefined };
  readonly parsed: Parsed | undefined;
  readonly read: boolean;
  /** None of it may stay. */
  readonly undone: boolean;
  readonly rewritten: Rewritten;
  readonly values: readonly FieldValue[];
  /** Is in the error that a wrong number of rows gives; undefined where that is seen afterwards. */
  readonly mark: string | undefined;
}

/** The statement with its parameters in text. The database is asked for their types only when that makes a difference. */
export async function bound(
  database: Database,
  request: RowsRequest,
  { parsed, read, undone }: Pick<Query, 'parsed' | 'read' | 'undone'>,
  call: Call,
): Promise<Query> {
  const parameters = parametersOf(request);
  const { names } = parameters;
  const oids = await typesOf(database, request.query, parameters, call);
  const values = encodeParameters(parameters, (index) => database.types.get(oids?.[index] ?? 0));
  const plain = parsed?.text ?? request.query;
  const typed = names ? withTypes(plain, names) : unchanged(plain);
  const one = /^query_(?:one|opt)/.test(request.type);
  const holds = one && !read && parsed?.returnsRows === true && !parsed.nests;
  const ready = { request, parsed, read, undone, values };
  if (!holds) return { ...ready, rewritten: typed, mark: undefined };
  const mark = `causeway ${crypto.randomUUID()} `;
  const isOne = request.type.startsWith('query_one');
  return { ...ready, rewritten: counted(typed, typed.text.length, isOne, mark), mark };
}

/** The types that the parameters' texts depend on. */
async function typesOf(
  database: Database,
  text: string,
  parameters: Parameters,
  call: Call,
): Promise<readonly number[] | undefined> {
  const { types } = parameters;
  const depends = dependsOnType(parameters);
  if (!depends && !mayDependOnType(parameters)) return types;
  try {
    const oids = types ?? (await parameterTypes(database, text, call));
    await database.types.learn(oids, database.rows(call));
    return oids;
  } catch (error) {
    // A statement of a transaction may stand on a table that the transaction makes.
    if (!depends && error instanceof NeonDbError && error.code !== undefined) return undefined;
    throw error;
  }
}

async function parameterTypes(
  database: Database,
  text: string,
  call: Call,
): Promise<readonly number[]> {
  const known = database.parameterTypes.get(text);
  if (known) return known;
  const oids = await database.askParameterTypes(text, call);
  if (text.length <= REMEMBERED_MAX_CHARACTERS) database.parameterTypes.set(text, oids);
  return oids;
}
