/** The public CRUD tests as they lie in their folder, each with databases of its own. Source: unified test format. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BSON, type Document } from 'mongodb';
import type { JsonObject } from '../../proto/json.ts';

const FOLDER = join(import.meta.dirname, '../conformance/mongodb-crud');

/** Documents of one collection. */
export interface CollectionData {
  readonly databaseName: string;
  readonly collectionName: string;
  readonly documents: readonly Document[];
}

/** One operation, and what it must answer. */
export interface Operation {
  readonly name: string;
  readonly object: string;
  readonly arguments?: JsonObject;
  readonly expectResult?: unknown;
  readonly expectError?: ExpectedError;
}

/** What a failure must be like. */
export interface ExpectedError {
  readonly isError?: boolean;
  readonly isClientError?: boolean;
  readonly errorContains?: string;
  readonly errorCode?: number;
  readonly errorResponse?: { readonly code?: number };
  readonly writeErrors?: Readonly<Record<string, { readonly code: number }>>;
  readonly writeConcernErrors?: readonly { readonly code: number }[];
}

/** One test of a file. */
export interface UnifiedTest {
  readonly description: string;
  readonly operations: readonly Operation[];
  readonly outcome?: readonly CollectionData[];
}

/** What operations act on. */
export interface Entity {
  readonly database?: string;
  readonly collection?: string;
  /** Of the client's URL. */
  readonly uriOptions: JsonObject;
  /** Read concern and preference, write concern. */
  readonly options: JsonObject;
}

/** A file's tests and what they share. */
interface UnifiedFile {
  readonly name: string;
  readonly entities: ReadonlyMap<string, Entity>;
  readonly initialData: readonly CollectionData[];
  readonly tests: readonly UnifiedTest[];
}

interface RawEntity {
  readonly id: string;
  readonly client?: string;
  readonly database?: string;
  readonly databaseName?: string;
  readonly collectionName?: string;
  readonly uriOptions?: JsonObject;
  readonly databaseOptions?: JsonObject;
  readonly collectionOptions?: JsonObject;
}

/** All files; names of databases begin with `prefix`. */
export function unifiedFiles(prefix: string): UnifiedFile[] {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
  return names.sort().map((name) => {
    const raw: unknown = JSON.parse(readFileSync(join(FOLDER, name), 'utf8'));
    // As the format's own schema has it: the files are fixed.
    const file = raw as {
      createEntities: readonly Readonly<Record<string, RawEntity>>[];
      initialData?: readonly CollectionData[];
      tests: readonly UnifiedTest[];
    };
    const databases = new Set(
      file.createEntities.flatMap(({ database }) => database?.databaseName ?? []),
    );
    databases.delete('admin');
    const own = renamed(file, databases, prefix) as typeof file;
    return {
      name: name.replace('.json', ''),
      entities: entitiesOf(own.createEntities),
      initialData: own.initialData ?? [],
      tests: own.tests,
    };
  });
}

/** The same with other names of databases, also where they begin a namespace. */
function renamed(value: unknown, databases: ReadonlySet<string>, prefix: string): unknown {
  if (typeof value === 'string') {
    const [first = ''] = value.split('.');
    return databases.has(first) && (value === first || value.startsWith(`${first}.`))
      ? prefix + value
      : value;
  }
  if (Array.isArray(value)) return value.map((each) => renamed(each, databases, prefix));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      name === 'description' ? each : renamed(each, databases, prefix),
    ]),
  );
}

function entitiesOf(raw: readonly Readonly<Record<string, RawEntity>>[]): Map<string, Entity> {
  const entities = new Map<string, Entity>();
  for (const { client, database, collection } of raw) {
    if (client) entities.set(client.id, { uriOptions: client.uriOptions ?? {}, options: {} });
    if (database) entities.set(database.id, within(entities.get(database.client ?? ''), database));
    if (collection) {
      entities.set(collection.id, within(entities.get(collection.database ?? ''), collection));
    }
  }
  return entities;
}

/** A database of a client, or a collection of a database, with what it takes over. */
function within(outer: Entity | undefined, raw: RawEntity): Entity {
  return {
    uriOptions: {},
    ...outer,
    ...(raw.databaseName === undefined ? {} : { database: raw.databaseName }),
    ...(raw.collectionName === undefined ? {} : { collection: raw.collectionName }),
    options: { ...outer?.options, ...raw.databaseOptions, ...raw.collectionOptions },
  };
}

/** Documents of the files as BSON has them. */
export function bsonOf(documents: readonly Document[]): Document[] {
  // An array of documents is one of documents again.
  return BSON.EJSON.parse(JSON.stringify(documents), { relaxed: false }) as unknown as Document[];
}
