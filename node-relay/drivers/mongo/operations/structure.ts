/** Requests on indexes, collections and databases themselves. Source: backends.md §3. */

import type { Document } from 'mongodb';
import { badRequest } from '../../../../proto/errors.ts';
import { isJsonObject, type JsonObject } from '../../../../proto/json.ts';
import { collectionOf, databaseOf, documentIn, documentsIn, optionsIn } from '../arguments.ts';
import type { Scene } from '../database.ts';
import { memberText } from '../result.ts';
import type { Handler } from './handler.ts';

const NOTHING = '{"value":null}';

/** `{key, …}`, or `{keys, options: {…}}` as other drivers have it. */
function indexIn(scene: Scene, model: JsonObject | undefined, path: string): Document {
  const { keys, key = keys, options, ...rest } = model ?? {};
  if (!isJsonObject(key ?? null) || !isJsonObject(key as JsonObject)) {
    throw badRequest(`${path}.key`, 'is an object of fields and directions');
  }
  const more = isJsonObject(options ?? null) ? (options as JsonObject) : {};
  const converted = documentIn(scene, { ...rest, ...more }, path);
  return { ...converted, key: documentIn(scene, key as JsonObject, `${path}.key`) };
}

/** Names of what a driver's list answers. */
async function namesOf(found: Promise<readonly Document[]>): Promise<unknown[]> {
  return (await found).map(({ name }) => name);
}

const indexes = {
  create_index: async (scene, request) => {
    const { maxTimeMS, session, comment, writeConcern, commitQuorum, ...ofIndex } = optionsIn(
      scene,
      request,
    );
    const index = { ...ofIndex, ...indexIn(scene, request.model, 'model') };
    const options = defined({ maxTimeMS, session, comment, writeConcern, commitQuorum });
    const [name] = await collectionOf(scene, request).createIndexes([index as never], options);
    return memberText('value', name, scene);
  },
  create_indexes: async (scene, request) => {
    const all = (request.models ?? []).map((each, at) => indexIn(scene, each, `models.${at}`));
    const names = await collectionOf(scene, request).createIndexes(
      all as never[],
      optionsIn(scene, request),
    );
    return memberText('value', names, scene);
  },
  drop_index: async (scene, request) => {
    await collectionOf(scene, request).dropIndex(request.name ?? '', optionsIn(scene, request));
    return NOTHING;
  },
  drop_indexes: async (scene, request) => {
    await collectionOf(scene, request).dropIndex('*', optionsIn(scene, request));
    return NOTHING;
  },
  list_indexes: async (scene, request) =>
    collectionOf(scene, request).listIndexes(optionsIn(scene, request)),
  list_index_names: async (scene, request) => {
    const found = collectionOf(scene, request).listIndexes(optionsIn(scene, request)).toArray();
    return memberText('value', await namesOf(found), scene);
  },
} satisfies Record<string, Handler>;

const searchIndexes = {
  create_search_index: async (scene, request) => {
    const model = documentIn(scene, request.model, 'model');
    const value = await collectionOf(scene, request).createSearchIndex(model as never);
    return memberText('value', value, scene);
  },
  create_search_indexes: async (scene, request) => {
    const models = documentsIn(scene, request.models, 'models');
    const value = await collectionOf(scene, request).createSearchIndexes(models as never[]);
    return memberText('value', value, scene);
  },
  update_search_index: async (scene, request) => {
    const definition = documentIn(scene, request.definition, 'definition');
    await collectionOf(scene, request).updateSearchIndex(request.name ?? '', definition);
    return NOTHING;
  },
  drop_search_index: async (scene, request) => {
    await collectionOf(scene, request).dropSearchIndex(request.name ?? '');
    return NOTHING;
  },
  list_search_indexes: async (scene, request) => {
    const { name } = request;
    const stage = { $listSearchIndexes: name === undefined ? {} : { name } };
    return collectionOf(scene, request).aggregate([stage], {
      ...optionsIn(scene, request),
      raw: true,
    });
  },
} satisfies Record<string, Handler>;

const collections = {
  drop: async (scene, request) => {
    await collectionOf(scene, request).drop(optionsIn(scene, request));
    return NOTHING;
  },
  rename: async (scene, request) => {
    await collectionOf(scene, request).rename(request.name ?? '', optionsIn(scene, request));
    return NOTHING;
  },
  name: async (scene, { collection }) => memberText('value', collection, scene),
  namespace: async (scene, request) => {
    const { dbName, collectionName } = collectionOf(scene, request);
    return memberText('value', { db: dbName, coll: collectionName }, scene);
  },
  create_collection: async (scene, request) => {
    await databaseOf(scene, request).createCollection(
      request.name ?? '',
      optionsIn(scene, request),
    );
    return memberText('value', request.name, scene);
  },
  list_collections: async (scene, request) =>
    databaseOf(scene, request).listCollections(
      documentIn(scene, request.filter, 'filter'),
      optionsIn(scene, request),
    ),
  list_collection_names: async (scene, request) => {
    const options = { ...optionsIn(scene, request), nameOnly: true };
    const filter = documentIn(scene, request.filter, 'filter');
    const found = databaseOf(scene, request).listCollections(filter, options).toArray();
    return memberText('value', await namesOf(found), scene);
  },
  drop_database: async (scene, request) => {
    await databaseOf(scene, request).dropDatabase(optionsIn(scene, request));
    return NOTHING;
  },
  'database.name': async (scene, request) =>
    memberText('value', databaseOf(scene, request).databaseName, scene),
} satisfies Record<string, Handler>;

/** By their names. */
export const structure = { ...indexes, ...searchIndexes, ...collections };

function defined(options: Document): Document {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
