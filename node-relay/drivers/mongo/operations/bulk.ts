/** Several writes to a collection in one request. Contract §13. */

import type {
  AnyBulkWriteOperation,
  ClientBulkWriteModel,
  ClientBulkWriteResult,
  Document,
} from 'mongodb';
import { MEMBER_ALIASES } from '../../../../kinds/mongo/operations.ts';
import { badRequest } from '../../../../proto/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../../proto/json.ts';
import { namesOf, onlyNameOf } from '../../../../proto/ordered-json.ts';
import { collectionOf, documentIn, fieldsIn, optionsIn, updateIn } from '../arguments.ts';
import type { Execution } from '../database.ts';
import { valueText } from '../from-bson.ts';
import { byPlace, countOf, memberText } from '../result.ts';
import { toBson, toPlain } from '../to-bson.ts';
import { checkText } from '../wrappers.ts';
import type { Handler } from './handler.ts';
import { withId } from './write.ts';

/** Members of each write, and the driver's name of it. */
const WRITES: Readonly<
  Record<string, { readonly name: string; readonly members: readonly string[] }>
> = {
  insert_one: { name: 'insertOne', members: ['document'] },
  update_one: {
    name: 'updateOne',
    members: ['filter', 'update', 'upsert', 'arrayFilters', 'hint', 'collation', 'sort'],
  },
  update_many: {
    name: 'updateMany',
    members: ['filter', 'update', 'upsert', 'arrayFilters', 'hint', 'collation'],
  },
  replace_one: {
    name: 'replaceOne',
    members: ['filter', 'replacement', 'upsert', 'hint', 'collation', 'sort'],
  },
  delete_one: { name: 'deleteOne', members: ['filter', 'hint', 'collation'] },
  delete_many: { name: 'deleteMany', members: ['filter', 'hint', 'collation'] },
};

/** The driver calculates with what it reads. */
const COUNTED = { promoteValues: true, promoteLongs: true };

/** By their names. */
export const bulk = {
  bulk_write: async (execution, request) => {
    const inserted: [number, unknown][] = [];
    const operations = (request.operations ?? []).map((each, place) => {
      const { name, write } = writeOf(execution, each, `operations.${place}`);
      if (name === 'insertOne') {
        const { document, id } = withId(write.document);
        write.document = document;
        inserted.push([place, id]);
      }
      return { [name]: write } as AnyBulkWriteOperation<Document>; // By the table above.
    });
    const options = { ...optionsIn(execution, request), ...COUNTED, forceServerObjectId: true };
    const result = await collectionOf(execution, request).bulkWrite(operations, options);
    const upserted = Object.entries(result.upsertedIds).map(
      ([place, id]) => [Number(place), id] as const,
    );
    const counts = {
      inserted_count: countOf(result.insertedCount),
      matched_count: countOf(result.matchedCount),
      modified_count: countOf(result.modifiedCount),
      deleted_count: countOf(result.deletedCount),
      upserted_count: countOf(result.upsertedCount),
    };
    const ids = `"inserted_ids":${byPlace(inserted, execution)},"upserted_ids":${byPlace(upserted, execution)}`;
    return `${JSON.stringify(counts).slice(0, -1)},${ids}}`;
  },

  'client.bulk_write': async (execution, request) => {
    const inserted = new Map<number, unknown>();
    const models = (request.operations ?? []).map((each, place) => {
      const { name, write } = writeOf(execution, each, `operations.${place}`, true);
      if (name === 'insertOne') {
        const { document, id } = withId(write.document);
        inserted.set(place, id);
        // The driver would put another `_id` instead of null; in a Map it finds none to replace.
        write.document = document instanceof Map ? document : new Map(Object.entries(document));
      }
      return { ...write, name } as ClientBulkWriteModel<Document>; // By the table above.
    });
    const options = { ...optionsIn(execution, request), ...COUNTED };
    return clientText(execution, await execution.client.bulkWrite(models, options), inserted);
  },
} satisfies Record<string, Handler>;

/** Counts, and by place what each write did where the request asks for it. */
function clientText(
  execution: Execution,
  result: ClientBulkWriteResult,
  inserted: ReadonlyMap<number, unknown>,
): string {
  const { form } = execution;
  const members = [
    `"inserted_count":${countOf(result.insertedCount)}`,
    `"matched_count":${countOf(result.matchedCount)}`,
    `"modified_count":${countOf(result.modifiedCount)}`,
    `"deleted_count":${countOf(result.deletedCount)}`,
    `"upserted_count":${countOf(result.upsertedCount)}`,
  ];
  const add = <Each>(
    name: string,
    results: ReadonlyMap<number, Each> | undefined,
    textOf: (each: Each, place: number) => string,
  ) => {
    if (results === undefined) return;
    const texts = [...results].map(([place, each]) => `"${place}":${textOf(each, place)}`);
    members.push(`"${name}":{${texts.join(',')}}`);
  };
  add('insert_results', result.insertResults, (_, place) =>
    memberText('inserted_id', inserted.get(place), execution),
  );
  add('update_results', result.updateResults, (each) => {
    const counts = `"matched_count":${countOf(each.matchedCount)},"modified_count":${countOf(each.modifiedCount)}`;
    return `{${counts},"upserted_id":${valueText(each.upsertedId, form)}}`;
  });
  add(
    'delete_results',
    result.deleteResults,
    (each) => `{"deleted_count":${countOf(each.deletedCount)}}`,
  );
  return `{${members.join(',')}}`;
}

function writeOf(
  execution: Execution,
  operation: JsonObject,
  path: string,
  isNamespaced = false,
): { name: string; write: Document } {
  const type = onlyNameOf(operation) ?? '';
  const inner = operation[type];
  const known = WRITES[type.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
  if (known === undefined || !isJsonObject(inner)) {
    throw badRequest(path, `must be an object of one member: ${Object.keys(WRITES).join(', ')}`);
  }
  const write: Document = {};
  for (const written of namesOf(inner)) {
    const value = inner[written] ?? null;
    const camel = written.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const member = MEMBER_ALIASES[written] ?? camel;
    const at = `${path}.${type}.${written.slice(0, 64)}`;
    const isMember = known.members.includes(member) || (isNamespaced && member === 'namespace');
    if (!isMember) throw badRequest(at, 'is no member of it');
    write[member] = memberIn(execution, member, value, at);
  }
  demand(write, [...known.members, ...(isNamespaced ? ['namespace'] : [])], `${path}.${type}`);
  return { name: known.name, write };
}

/** @throws GatewayError BAD_REQUEST when a member that its write cannot do without is not there */
function demand(write: Document, members: readonly string[], path: string): void {
  for (const needed of ['document', 'filter', 'update', 'replacement', 'namespace']) {
    if (members.includes(needed) && write[needed] === undefined) {
      throw badRequest(`${path}.${needed}`, 'is required');
    }
  }
  if (members.includes('namespace') && !/^[^.]+\../s.test(String(write.namespace))) {
    throw badRequest(
      `${path}.namespace`,
      'must be database and collection, such as shop.customers',
    );
  }
}

function memberIn(execution: Execution, member: string, value: Json, path: string): unknown {
  switch (member) {
    case 'document':
    case 'filter':
    case 'replacement':
      if (!isJsonObject(value)) throw badRequest(path, 'must be an object');
      return documentIn(execution, value, path);
    case 'update':
      if (!isJsonObject(value) && !Array.isArray(value))
        throw badRequest(path, 'must be an object or a pipeline');
      return updateIn(execution, value as JsonObject | JsonObject[], path); // A pipeline's stages are looked at there.
    case 'upsert':
    case 'collation':
      return toPlain(value, path);
    case 'namespace':
      // The right to write there was decided by this text.
      if (typeof value !== 'string') throw badRequest(path, 'must be text');
      checkText(value, path);
      return value;
    case 'sort':
    case 'hint':
      return fieldsIn(execution, value, path);
    default:
      return toBson(value, path, execution.substitute);
  }
}
