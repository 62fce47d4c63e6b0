/** Operations of the unified test format as requests to a mongo endpoint. */
import type { Json, JsonObject } from '../../proto/json.ts';
import type { Entity, Operation } from './files.ts';

/** Types by the names of operations. */
const TYPES: Readonly<Record<string, string>> = {
  aggregate: 'aggregate',
  bulkWrite: 'bulk_write',
  clientBulkWrite: 'client.bulk_write',
  count: 'count',
  countDocuments: 'count_documents',
  deleteMany: 'delete_many',
  deleteOne: 'delete_one',
  distinct: 'distinct',
  estimatedDocumentCount: 'estimated_document_count',
  find: 'find',
  findOne: 'find_one',
  findOneAndDelete: 'find_one_and_delete',
  findOneAndReplace: 'find_one_and_replace',
  findOneAndUpdate: 'find_one_and_update',
  insertMany: 'insert_many',
  insertOne: 'insert_one',
  replaceOne: 'replace_one',
  updateMany: 'update_many',
  updateOne: 'update_one',
};

/** Members by the names of arguments; the other arguments are options. */
const MEMBERS: Readonly<Record<string, string>> = {
  document: 'document',
  documents: 'documents',
  fieldName: 'field',
  filter: 'filter',
  models: 'operations',
  pipeline: 'pipeline',
  replacement: 'replacement',
  requests: 'operations',
  update: 'update',
};

/** Those whose results say only that they are done. */
const STRUCTURE: Readonly<Record<string, (given: JsonObject) => JsonObject>> = {
  createCollection: ({ collection, ...options }) => ({
    type: 'create_collection',
    name: collection ?? null,
    options,
  }),
  dropCollection: ({ collection }) => ({ type: 'drop', collection: collection ?? null }),
  createIndex: ({ keys, ...options }) => ({
    type: 'create_index',
    model: { key: keys ?? null, ...options },
  }),
  modifyCollection: ({ collection, ...members }) => ({
    type: 'run_command',
    command: { collMod: collection ?? null, ...members },
  }),
};

const READS = new Set([
  ...['count', 'countDocuments', 'distinct', 'estimatedDocumentCount', 'find', 'findOne'],
]);

/** The request that an operation is, and where it goes. */
export function requestOf(
  operation: Operation,
  entity: Entity,
): { path: string; body: JsonObject } {
  const given = operation.arguments ?? {};
  const where: JsonObject = {
    ...(entity.database === undefined ? {} : { database: entity.database }),
    ...(entity.collection === undefined ? {} : { collection: entity.collection }),
  };
  const structure = STRUCTURE[operation.name];
  if (structure !== undefined) return { path: 'write', body: { ...where, ...structure(given) } };
  const type = typeOf(operation, entity);
  const members: JsonObject = {};
  const options: JsonObject = { ...entity.options };
  for (const [name, value] of Object.entries(given)) {
    if (MEMBERS[name] === undefined) options[name] = value;
    else members[MEMBERS[name]] = value;
  }
  const isRead = READS.has(operation.name) || (operation.name === 'aggregate' && !writes(given));
  return { path: isRead ? 'read' : 'write', body: { type, ...where, ...members, options } };
}

function typeOf({ name }: Operation, { collection }: Entity): string {
  if (name === 'aggregate' && collection === undefined) return 'database.aggregate';
  const type = TYPES[name];
  if (type === undefined) throw new Error(`No type for ${name}`);
  return type;
}

function writes({ pipeline }: JsonObject): boolean {
  const stages = (pipeline ?? []) as readonly Json[]; // Of an aggregation there is one.
  return stages.some((stage) => /^\{"\$(?:out|merge)"/.test(JSON.stringify(stage)));
}
