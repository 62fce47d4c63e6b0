/** Requests on indexes, collections and databases themselves. Source: backends.md §3. */

import type { Document } from 'mongodb';
import { badRequest } from '../../../../proto/errors.ts';
import { isJsonObject, type JsonObject } from '../../../../proto/json.ts';
import { collectionOf, databaseOf, documentIn, documentsIn, optionsIn } from '../arguments.ts';
import type { Execution } from '../database.ts';
import { memberText } from '../result.ts';
import type { Handler } from './handler.ts';

const NOTHING = '{"value":null}';
/** Documents come as bytes: their members keep their order. */
const RAW = { raw: true };

/** `{key, …}`, or `{keys, options: {…}}` as other drivers have it. */
function indexIn(execution: Execution, model: JsonObject | undefined, path: string): Document {
  const { keys, key = keys, options, ...rest } = model ?? {};
  if (!isJsonObject(key ?? null) || !isJsonObject(key as JsonObject)) {
    throw badRequest(`${path}.key`, 'must be an object of fields and directions');
  }
  const more = isJsonObject(options ?? null) ? (options as JsonObject) : {};
  const converted = documentIn(execution, { ...rest, ...more }, path);
  return { ...converted, key: documentIn(execution, key as JsonObject, `${path}.key`) };
}

/** Names of what a driver's list answers. */
async function namesOf(found: Promise<readonly Document[]>): Promise<unknown[]> {
  return (await found).map(({ name }) => name);
}

const indexes = {
  create_index: async (execution, request) => {
    const { maxTimeMS, session, comment, writeConcern, commitQuorum, ...ofIndex } = optionsIn(
      execution,
      request,
    );
    const index = { ...ofIndex, ...indexIn(execution, request.model, 'model') };
    const options = defined({ maxTimeMS, session, comment, writeConcern, commitQuorum });
    const [name] = await collectionOf(execution, request).createIndexes([index as never], options);
    return memberText('value', name, execution);
  },
  create_indexes: async (execution, request) => {
    const all = (request.models ?? []).map((each, at) => indexIn(execution, each, `models.${at}`));
    const names = await collectionOf(execution, request).createIndexes(
      all as never[],
      optionsIn(execution, request),
    );
    return memberText('value', names, execution);
  },
  drop_index: async (execution, request) => {
    await collectionOf(execution, request).dropIndex(
      request.name ?? '',
      optionsIn(execution, request),
    );
    return NOTHING;
  },
  drop_indexes: async (execution, request) => {
    await collectionOf(execution, request).dropIndex('*', optionsIn(execution, request));
    return NOTHING;
  },
  list_indexes: async (execution, request) =>
    collectionOf(execution, request).listIndexes({ ...optionsIn(execution, request), ...RAW }),
  list_index_names: async (execution, request) => {
    const found = collectionOf(execution, request)
      .listIndexes(optionsIn(execution, request))
      .toArray();
    return memberText('value', await namesOf(found), execution);
  },
} satisfies Record<string, Handler>;

const searchIndexes = {
  create_search_index: async (execution, request) => {
    const model = documentIn(execution, request.model, 'model');
    const value = await collectionOf(execution, request).createSearchIndex(model as never);
    return memberText('value', value, execution);
  },
  create_search_indexes: async (execution, request) => {
    const models = documentsIn(execution, request.models, 'models');
    const value = await collectionOf(execution, request).createSearchIndexes(models as never[]);
    return memberText('value', value, execution);
  },
  update_search_index: async (execution, request) => {
    const definition = documentIn(execution, request.definition, 'definition');
    await collectionOf(execution, request).updateSearchIndex(request.name ?? '', definition);
    return NOTHING;
  },
  drop_search_index: async (execution, request) => {
    await collectionOf(execution, request).dropSearchIndex(request.name ?? '');
    return NOTHING;
  },
  list_search_indexes: async (execution, request) => {
    const { name } = request;
    const stage = { $listSearchIndexes: name === undefined ? {} : { name } };
    return collectionOf(execution, request).aggregate([stage], {
      ...optionsIn(execution, request),
      ...RAW,
    });
  },
} satisfies Record<string, Handler>;

const collections = {
  drop: async (execution, request) => {
    await collectionOf(execution, request).drop(optionsIn(execution, request));
    return NOTHING;
  },
  rename: async (execution, request) => {
    await collectionOf(execution, request).rename(
      request.name ?? '',
      optionsIn(execution, request),
    );
    return NOTHING;
  },
  name: async (execution, { collection }) => memberText('value', collection, execution),
  namespace: async (execution, request) => {
    const { dbName, collectionName } = collectionOf(execution, request);
    return memberText('value', { db: dbName, coll: collectionName }, execution);
  },
  create_collection: async (execution, request) => {
    await databaseOf(execution, request).createCollection(
      request.name ?? '',
      optionsIn(execution, request),
    );
    return memberText('value', request.name, execution);
  },
  list_collections: async (execution, request) =>
    databaseOf(execution, request).listCollections(
      documentIn(execution, request.filter, 'filter'),
      { ...optionsIn(execution, request), ...RAW },
    ),
  list_collection_names: async (execution, request) => {
    const options = { ...optionsIn(execution, request), nameOnly: true };
    const filter = documentIn(execution, request.filter, 'filter');
    const found = databaseOf(execution, request).listCollections(filter, options).toArray();
    return memberText('value', await namesOf(found), execution);
  },
  drop_database: async (execution, request) => {
    await databaseOf(execution, request).dropDatabase(optionsIn(execution, request));
    return NOTHING;
  },
  'database.name': async (execution, request) =>
    memberText('value', databaseOf(execution, request).databaseName, execution),
} satisfies Record<string, Handler>;

/** By their names. */
export const structure = { ...indexes, ...searchIndexes, ...collections };

function defined(options: Document): Document {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
