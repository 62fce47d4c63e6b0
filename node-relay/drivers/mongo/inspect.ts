/** Databases, their collections and views, with what validators say of fields. Contract §13. */
import type { Db, Document } from 'mongodb';
import type { InspectedTable, InspectedTables, InspectPage } from '../../../proto/driver.ts';
import type { Execution } from './database.ts';

const SYSTEM_DATABASES = new Set(['admin', 'config', 'local']);

/** A page, ordered by database and name. @throws what the driver throws */
export async function inspectPage(
  execution: Execution,
  page: InspectPage,
): Promise<InspectedTables> {
  const tables: InspectedTable[] = [];
  for (const name of await databaseNames(execution, page)) {
    const db = execution.client.db(name);
    for (const collection of await collectionsOf(execution, db, page)) {
      if (tables.length === page.limit) return { tables, more: true };
      tables.push(await tableOf(execution, db, collection));
    }
  }
  return { tables, more: false };
}

async function databaseNames(
  { client, session }: Execution,
  { after }: InspectPage,
): Promise<string[]> {
  const options = { session, nameOnly: true, authorizedDatabases: true };
  const { databases } = await client.db().admin().listDatabases(options);
  return databases
    .map(({ name }) => name)
    .filter((name) => !SYSTEM_DATABASES.has(name) && name >= (after?.[0] ?? ''))
    .toSorted(byText);
}

async function collectionsOf(
  { session }: Execution,
  db: Db,
  { after }: InspectPage,
): Promise<Document[]> {
  const start = db.databaseName === after?.[0] ? after[1] : '';
  const found = await db.listCollections({}, { session, authorizedCollections: true }).toArray();
  return (found as Document[])
    .filter(({ name }) => !String(name).startsWith('system.') && name > start)
    .toSorted((one, other) => byText(one.name, other.name));
}

async function tableOf(
  { session }: Execution,
  db: Db,
  { name, type, options }: Document,
): Promise<InspectedTable> {
  const isView = type === 'view';
  const indexes = isView ? [] : await db.collection(name).listIndexes({ session }).toArray();
  return {
    namespace: db.databaseName,
    name,
    type: typeof type === 'string' ? type : 'collection',
    columns: columnsOf(options?.validator?.$jsonSchema),
    primary_key: isView ? [] : ['_id'],
    indexes: indexes.map((index) => ({
      name: String(index.name),
      columns: Object.keys(index.key),
      unique: index.name === '_id_' || index.unique === true,
    })),
  };
}

/** Fields that a schema names. Source: MongoDB manual, "$jsonSchema". */
function columnsOf(schema: Document | undefined): InspectedTable['columns'] {
  const required: unknown[] = Array.isArray(schema?.required) ? schema.required : [];
  return Object.entries<Document>(schema?.properties ?? {}).map(([name, field]) => {
    const types = [field.bsonType ?? field.type ?? []].flat().map(String);
    return {
      name,
      type: types.filter((each) => each !== 'null').join(' | ') || 'any',
      nullable: !required.includes(name) || types.includes('null'),
    };
  });
}

function byText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
