/** Reads what relays tell of tables. By hand: a schema would tell of each fault, and there may be millions. */
import type { InspectedTable } from '../../../proto/driver.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../proto/json.ts';
import { Pace, type Pieces } from '../../../proto/work/pieces.ts';
import { noReply } from '../../drivers/no-reply.ts';

/** Members that are looked at between two pauses. */
const PIECE = 2_000;

/** @param most tables that were asked for @throws GatewayError as `noReply` has it, at the first fault */
export function* tablesIn(json: Json, most: number): Pieces<readonly InspectedTable[]> {
  const pace = new Pace(PIECE);
  const tables: InspectedTable[] = [];
  for (const [at, each] of listOf(json, 'tables', most).entries()) {
    tables.push(yield* tableIn(each, `tables[${at}]`, pace));
  }
  return tables;
}

function* tableIn(json: Json, path: string, pace: Pace): Pieces<InspectedTable> {
  const table = objectOf(json, path);
  const columns = [];
  for (const [at, each] of listOf(table.columns, `${path}.columns`).entries()) {
    const where = `${path}.columns[${at}]`;
    const column = objectOf(each, where);
    columns.push({
      ...{ name: textOf(column, 'name', where), type: textOf(column, 'type', where) },
      nullable: flagOf(column, 'nullable', where),
    });
    if (pace.isOver(1)) yield;
  }
  const indexes = [];
  for (const [at, each] of listOf(table.indexes, `${path}.indexes`).entries()) {
    const where = `${path}.indexes[${at}]`;
    const index = objectOf(each, where);
    indexes.push({
      name: textOf(index, 'name', where),
      columns: yield* textsIn(index.columns, `${where}.columns`, pace),
      unique: flagOf(index, 'unique', where),
    });
    if (pace.isOver(1)) yield;
  }
  if (pace.isOver(1)) yield;
  const named = { namespace: textOf(table, 'namespace', path), name: textOf(table, 'name', path) };
  const primaryKey = yield* textsIn(table.primary_key, `${path}.primary_key`, pace);
  return { ...named, type: textOf(table, 'type', path), columns, primary_key: primaryKey, indexes };
}

function* textsIn(json: Json | undefined, path: string, pace: Pace): Pieces<string[]> {
  const texts: string[] = [];
  for (const [at, each] of listOf(json, path).entries()) {
    if (typeof each !== 'string') throw isNo(`${path}[${at}]`, 'text');
    texts.push(each);
    if (pace.isOver(1)) yield;
  }
  return texts;
}

function listOf(
  json: Json | undefined,
  path: string,
  most = Number.POSITIVE_INFINITY,
): readonly Json[] {
  if (!Array.isArray(json)) throw isNo(path, 'list');
  if (json.length > most) throw noReply(false, `${path} are more than ${most}`);
  return json;
}

function objectOf(json: Json, path: string): JsonObject {
  if (!isJsonObject(json)) throw isNo(path, 'object');
  return json;
}

function textOf(of: JsonObject, name: string, path: string): string {
  const value = of[name];
  if (typeof value !== 'string') throw isNo(`${path}.${name}`, 'text');
  return value;
}

function flagOf(of: JsonObject, name: string, path: string): boolean {
  const value = of[name];
  if (typeof value !== 'boolean') throw isNo(`${path}.${name}`, 'truth value');
  return value;
}

function isNo(path: string, what: string) {
  return noReply(false, `${path} is no ${what}`);
}
