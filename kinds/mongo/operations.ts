/** Every operation of a MongoDB endpoint: its names, whether it writes, its members and options. Source: backends.md §3. */
import type { Mode } from '../../proto/driver.ts';
import { gridfsOperations } from './gridfs.ts';
import { WATCH_OPERATIONS } from './watch.ts';

/** What an operation works on; says which of `database` and `collection` it takes. */
export type Level = 'client' | 'database' | 'collection';

/** One operation. A `?` ends the name of a member that may be left out. */
export interface Operation {
  readonly level: Level;
  readonly mode: Mode;
  /** What it does, in a few words. */
  readonly says: string;
  readonly members: readonly string[];
  /** Members of `options`; none where it takes no options. */
  readonly options: readonly string[];
  /** Its names besides the table's, which are taken as well. */
  readonly others?: readonly string[];
}

const READ = [
  ...['comment', 'maxTimeMS', 'readConcern', 'readPreference', 'selectionCriteria', 'rawData'],
];
const QUERY = [...READ, 'collation', 'hint', 'let'];
const FIND = [
  ...QUERY,
  ...['projection', 'sort', 'skip', 'limit', 'batchSize', 'min', 'max', 'noCursorTimeout'],
  ...['returnKey', 'showRecordId', 'allowDiskUse', 'allowPartialResults'],
];
const AGGREGATE = [
  ...QUERY,
  ...['allowDiskUse', 'batchSize', 'bypassDocumentValidation', 'maxAwaitTimeMS', 'writeConcern'],
];
const WRITE = ['comment', 'writeConcern', 'maxTimeMS'];
const UPDATE = [
  ...[...WRITE, 'rawData'],
  ...['upsert', 'arrayFilters', 'bypassDocumentValidation', 'hint', 'collation', 'let', 'sort'],
];
const DELETE = [...WRITE, 'rawData', 'hint', 'collation', 'let'];
const CHANGE = [...UPDATE, 'projection', 'returnDocument'];
const INSERT = [...WRITE, 'rawData', 'bypassDocumentValidation', 'ordered'];
const INDEX = [...WRITE, 'commitQuorum'];
const LIST = ['comment', 'maxTimeMS', 'batchSize'];
/** Options of an index, which its model may carry too. */
const OF_INDEX = [
  ...['unique', 'sparse', 'name', 'expireAfterSeconds', 'partialFilterExpression', 'collation'],
  ...['weights', 'default_language', 'language_override', 'textIndexVersion', 'hidden'],
  ...['wildcardProjection', '2dsphereIndexVersion', 'bits', 'min', 'max', 'version', 'background'],
  'storageEngine',
];
const COLLECTION = [
  ...[...WRITE, 'capped', 'size', 'max', 'validator', 'validationLevel', 'validationAction'],
  ...['timeseries', 'expireAfterSeconds', 'viewOn', 'pipeline', 'collation', 'clusteredIndex'],
  ...['changeStreamPreAndPostImages', 'indexOptionDefaults', 'storageEngine', 'encryptedFields'],
];
const TRANSACTION = ['readConcern', 'writeConcern', 'readPreference', 'maxCommitTimeMS'];

/** One operation of a level; the rest says what it takes. */
function on(
  level: Level,
  mode: Mode,
  says: string,
  members: string,
  options: readonly string[] = [],
  ...others: string[]
): Operation {
  return { level, mode, says, members: members.split(' ').filter(Boolean), options, others };
}

/** What a collection says about itself, where the bare name is the deployment's. */
function ofCollection(name: string, says: string): Operation {
  return on('collection', 'read', says, '', [], `database.collection.${name}`);
}

/** By their names in requests. */
export const OPERATIONS = {
  find: on('collection', 'read', 'The documents that a filter finds', 'filter?', [
    ...FIND,
    'cursorType',
  ]),
  find_one: on('collection', 'read', 'The first that a filter finds', 'filter?', FIND),
  find_one_and_delete: on(
    'collection',
    'write',
    'Deletes a document and answers it',
    'filter',
    CHANGE,
  ),
  find_one_and_replace: on(
    ...(['collection', 'write', 'Replaces a document and answers it'] as const),
    ...(['filter replacement', CHANGE] as const),
  ),
  find_one_and_update: on(
    ...(['collection', 'write', 'Updates a document and answers it'] as const),
    ...(['filter update', CHANGE] as const),
  ),
  insert_one: on('collection', 'write', 'Adds a document', 'document', INSERT),
  insert_many: on('collection', 'write', 'Adds documents', 'documents', INSERT),
  update_one: on(
    'collection',
    'write',
    'Updates the first that a filter finds',
    'filter update',
    UPDATE,
  ),
  update_many: on(
    'collection',
    'write',
    'Updates all that a filter finds',
    'filter update',
    UPDATE,
  ),
  replace_one: on(
    ...(['collection', 'write', 'Replaces the first that a filter finds'] as const),
    ...(['filter replacement', UPDATE] as const),
  ),
  delete_one: on('collection', 'write', 'Deletes the first that a filter finds', 'filter', DELETE),
  delete_many: on('collection', 'write', 'Deletes all that a filter finds', 'filter', DELETE),
  bulk_write: on('collection', 'write', 'Several writes in one', 'operations', [...INSERT, 'let']),
  'client.bulk_write': on('client', 'write', 'Several writes to any collections', 'operations', [
    ...[...INSERT, 'let', 'verboseResults'],
  ]),
  count_documents: on(
    ...(['collection', 'read', 'How many a filter finds', 'filter?'] as const),
    [...QUERY, 'limit', 'skip'],
    'count',
  ),
  estimated_document_count: on(
    ...(['collection', 'read', 'How many there are, by the metadata', '', READ] as const),
    'estimate_document_count',
  ),
  distinct: on('collection', 'read', 'The different values of a field', 'field filter?', QUERY),
  aggregate: on(
    'collection',
    'read',
    'What a pipeline makes of the documents',
    'pipeline',
    AGGREGATE,
  ),
  create_index: on('collection', 'write', 'Makes an index', 'model', [...INDEX, ...OF_INDEX]),
  create_indexes: on('collection', 'write', 'Makes indexes', 'models', INDEX),
  drop_index: on('collection', 'write', 'Removes an index', 'name', WRITE),
  drop_indexes: on('collection', 'write', 'Removes all indexes but that of `_id`', '', WRITE),
  list_indexes: on('collection', 'read', 'The indexes', '', LIST),
  list_index_names: on('collection', 'read', 'The names of the indexes', '', LIST),
  create_search_index: on('collection', 'write', 'Makes a search index', 'model', ['comment']),
  create_search_indexes: on('collection', 'write', 'Makes search indexes', 'models', ['comment']),
  update_search_index: on('collection', 'write', 'Changes a search index', 'name definition'),
  drop_search_index: on('collection', 'write', 'Removes a search index', 'name'),
  list_search_indexes: on('collection', 'read', 'The search indexes', 'name?', AGGREGATE),
  drop: on('collection', 'write', 'Removes the collection', '', WRITE),
  rename: on('collection', 'write', 'Renames the collection', 'name', [...WRITE, 'dropTarget']),
  name: on('collection', 'read', "The collection's name", ''),
  namespace: on('collection', 'read', 'The names of database and collection', ''),
  'database.aggregate': on(
    'database',
    'read',
    'What a pipeline makes of the database',
    'pipeline',
    AGGREGATE,
  ),
  create_collection: on('database', 'write', 'Makes a collection or view', 'name', COLLECTION),
  drop_database: on('database', 'write', 'Removes the database', '', WRITE, 'database.drop'),
  list_collections: on('database', 'read', 'The collections', 'filter?', [
    ...LIST,
    'nameOnly',
    'authorizedCollections',
  ]),
  list_collection_names: on('database', 'read', 'The names of the collections', 'filter?', [
    ...LIST,
    'authorizedCollections',
  ]),
  run_command: on('database', 'read', 'Any command; on `/read` those that only read', 'command', [
    'readPreference',
    'selectionCriteria',
  ]),
  run_cursor_command: on(
    'database',
    'read',
    'A command that answers a cursor, to its end',
    'command',
    ['readPreference', 'selectionCriteria', 'batchSize', 'maxTimeMS', 'comment'],
  ),
  'database.name': on('database', 'read', "The database's name", ''),
  list_databases: on('client', 'read', 'The databases', 'filter?', [
    'comment',
    'nameOnly',
    'authorizedDatabases',
    'maxTimeMS',
  ]),
  list_database_names: on('client', 'read', 'The names of the databases', 'filter?', [
    'comment',
    'authorizedDatabases',
    'maxTimeMS',
  ]),
  raw_command: on('database', 'write', 'Any command, as text of Extended JSON', 'command'),
  raw_command_read_only: on(
    'database',
    'read',
    'A command that only reads, as text of Extended JSON',
    'command',
  ),
  ping: on('client', 'read', 'Whether the server answers', '', [], 'warm_connection_pool'),
  default_database: on(
    'client',
    'read',
    'The name of the database that requests without one use',
    '',
  ),
  read_concern: on('client', 'read', "The connection's read concern, or null", ''),
  write_concern: on('client', 'read', "The connection's write concern, or null", ''),
  selection_criteria: on('client', 'read', "The connection's read preference, or null", ''),
  'collection.read_concern': ofCollection('read_concern', "The collection's read concern, or null"),
  'collection.write_concern': ofCollection('write_concern', "The collection's write concern"),
  'collection.selection_criteria': ofCollection(
    'selection_criteria',
    "The collection's read preference",
  ),
  start_transaction: on('client', 'write', 'Begins a transaction, in a session', '', TRANSACTION),
  commit_transaction: on('client', 'write', 'Keeps what a transaction changed, in a session', ''),
  abort_transaction: on('client', 'write', 'Undoes what a transaction changed, in a session', ''),
  ...gridfsOperations(FIND),
  ...WATCH_OPERATIONS,
} satisfies Record<string, Operation>;
export type OperationName = keyof typeof OPERATIONS;

/** Members by their other names. Contract: "Accept the names here as well as the specification's". */
export const MEMBER_ALIASES: Readonly<Record<string, string>> = {
  query: 'filter',
  doc: 'document',
  docs: 'documents',
  replace: 'replacement',
  field_name: 'field',
  fieldName: 'field',
  key: 'field',
  db: 'database',
  coll: 'collection',
  new_name: 'name',
  aggregates: 'operations',
  requests: 'operations',
};

/** Options that some types take as members, too: what `options` calls them, or null where the member is `options` itself. */
export const OPTION_MEMBERS: Readonly<
  Partial<Record<OperationName, Readonly<Record<string, string | null>>>>
> = {
  run_command: { selection_criteria: 'selectionCriteria' },
  run_cursor_command: { selection_criteria: 'selectionCriteria' },
  list_search_indexes: { aggregation_options: null, list_index_options: null },
};

const LEVELS: Readonly<Record<Level, readonly string[]>> = {
  client: ['client.'],
  database: ['database.'],
  collection: ['collection.', 'database.collection.'],
};

/** All names of an operation, its own first. */
export function namesOfOperation(name: OperationName): string[] {
  const operation: Operation = OPERATIONS[name];
  const bare = [name, ...(operation.others ?? [])];
  const dotted = bare
    .filter((each) => !each.includes('.'))
    .flatMap((each) => LEVELS[operation.level].map((level) => level + each));
  return [...new Set([...bare, ...dotted])];
}

const BY_NAME = new Map(
  (Object.keys(OPERATIONS) as OperationName[]).flatMap((name) =>
    namesOfOperation(name).map((each) => [each, name] as const),
  ),
);

/** The operation that any of its names means. */
export function operationNamed(name: string): OperationName | undefined {
  return BY_NAME.get(name);
}

/** Modes by all names, for the kind's table. */
export function modes(): Record<string, Mode> {
  return Object.fromEntries([...BY_NAME].map(([name, of]) => [name, OPERATIONS[of].mode]));
}
