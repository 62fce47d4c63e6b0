/**
 * The public CRUD tests for MongoDB's drivers, sent through the gateway: each operation is a
 * request, its result and what the collections then hold are compared. What drivers send to the
 * server (`expectEvents`) is not looked at: a client of the gateway does not see it.
 */
import { randomUUID } from 'node:crypto';
import { BSON, type Document, MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedGateway } from './gateway.ts';
import {
  bsonOf,
  type CollectionData,
  type Entity,
  type Operation,
  type UnifiedTest,
  unifiedFiles,
} from './mongodb-crud/files.ts';
import { mismatch } from './mongodb-crud/match.ts';
import notRun from './mongodb-crud/not-run.json' with { type: 'json' };
import { requestOf } from './mongodb-crud/requests.ts';
import { expectFailure, resultOf } from './mongodb-crud/results.ts';
import { newOrganization, type Organization, refusal } from './organization.ts';
import { type Backend, backend, startBackend } from './servers/backends.ts';

const FILES = unifiedFiles(`t${randomUUID().slice(0, 8)}-`);
/** Names by the reason why they are not run. */
const LISTED = Object.fromEntries(
  Object.entries(notRun).map(([why, { tests }]) => [
    why,
    Object.entries(tests).flatMap(([file, names]) => names.map((name) => `${file}: ${name}`)),
  ]),
);
const isNamed = Boolean(process.env.TEST_MONGO_URL);
const SKIPPED = new Set(
  Object.entries(LISTED).flatMap(([why, names]) => (isNamed && why === 'notProven' ? [] : names)),
);
const RUN = FILES.map((file) => ({
  ...file,
  tests: file.tests.filter(({ description }) => !SKIPPED.has(`${file.name}: ${description}`)),
})).filter(({ tests }) => tests.length > 0);

let server: Backend & { stop?: () => Promise<void> };
let client: MongoClient;
let organization: Organization;
const endpoints = new Map<string, Promise<string>>();

beforeAll(async () => {
  // Its failures on request are the whole server's: other tests have another one.
  server = isNamed ? await backend('mongo') : await startBackend('mongo');
  client = await MongoClient.connect(server.url);
  organization = await newOrganization(await sharedGateway());
});
afterAll(async () => {
  for (const { initialData } of FILES) {
    for (const { databaseName } of initialData) await client?.db(databaseName).dropDatabase();
  }
  await client?.close();
  await server?.stop?.();
});

/** One endpoint for each way that the tests' clients are configured. */
function endpointFor({ uriOptions }: Entity): Promise<string> {
  const key = JSON.stringify(uriOptions);
  const made = endpoints.get(key) ?? makeEndpoint(uriOptions);
  endpoints.set(key, made);
  return made;
}

async function makeEndpoint(uriOptions: Entity['uriOptions']): Promise<string> {
  const url = new URL(server.url);
  for (const [name, value] of Object.entries(uriOptions)) url.searchParams.set(name, String(value));
  const endpoint = `mongo-${randomUUID().slice(0, 8)}`;
  const config = { write_conn: { url: url.href } };
  const reply = await organization.call('POST', '/endpoints', { endpoint, kind: 'mongo', config });
  expect(reply).toMatchObject({ status: 200 });
  return endpoint;
}

test('each of the 487 tests is run, or listed with the reason why not', () => {
  const all = FILES.flatMap(({ name, tests }) =>
    tests.map(({ description }) => `${name}: ${description}`),
  );
  const listed = Object.values(LISTED).flat();
  expect(new Set(all).size).toBe(487);
  expect(new Set(listed).size).toBe(listed.length);
  expect(listed.filter((each) => !all.includes(each))).toEqual([]);
  expect(
    Object.fromEntries(Object.entries(LISTED).map(([why, names]) => [why, names.length])),
  ).toEqual({ otherServers: 103, unacknowledged: 28, notProven: 7 });
  const run = RUN.flatMap(({ tests }) => tests);
  expect(run).toHaveLength(isNamed ? 356 : 349);
});

describe.each(RUN)('$name', ({ entities, initialData, tests }) => {
  for (const each of tests) {
    test(each.description, async () => {
      for (const data of initialData) await fill(data);
      try {
        await runTest(each, entities);
      } finally {
        await disarm(each);
      }
    });
  }
});

test('an unacknowledged write is refused', async () => {
  const endpoint = await endpointFor({ uriOptions: {}, options: {} });
  const reply = await organization.call('POST', `/endpoints/${endpoint}/write`, {
    type: 'insert_one',
    collection: 'entries',
    document: { n: 1 },
    options: { writeConcern: { w: 0 } },
  });
  const problem = 'must be at least 1';
  const path = 'options.writeConcern.w';
  expect(reply).toEqual(
    refusal('BAD_REQUEST', `${path}: ${problem}`, [{ path, message: problem }]),
  );
});

async function runTest(
  { operations, outcome = [] }: UnifiedTest,
  entities: ReadonlyMap<string, Entity>,
): Promise<void> {
  for (const operation of operations) await runOperation(operation, entities);
  for (const { databaseName, collectionName, documents } of outcome) {
    const found = client.db(databaseName).collection(collectionName).find().sort({ _id: 1 });
    expect(plain(await found.toArray())).toEqual(plain(bsonOf(documents)));
  }
}

async function runOperation(
  operation: Operation,
  entities: ReadonlyMap<string, Entity>,
): Promise<void> {
  const given = operation.arguments ?? {};
  if (operation.name === 'failPoint') {
    await client.db('admin').command(given.failPoint as Document); // As the server takes it.
    return;
  }
  const entity = entities.get(operation.object);
  if (entity === undefined) throw new Error(`No entity ${operation.object}`);
  const { path, body } = requestOf(operation, entity);
  const endpoint = await endpointFor(entity);
  const reply = await organization.call('POST', `/endpoints/${endpoint}/${path}`, body);
  if (operation.expectError !== undefined) return expectFailure(reply, operation.expectError);
  // Of a collection that is not there.
  if (operation.name === 'dropCollection' && reply.status === 400) return;
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  if (operation.expectResult === undefined) return;
  const result = resultOf(operation.name, reply);
  expect(mismatch(operation.expectResult, result)).toBeUndefined();
}

async function fill({ databaseName, collectionName, documents }: CollectionData): Promise<void> {
  const database = client.db(databaseName);
  await database.collection(collectionName).drop();
  await database.createCollection(collectionName);
  if (documents.length > 0) await database.collection(collectionName).insertMany(bsonOf(documents));
}

async function disarm({ operations }: UnifiedTest): Promise<void> {
  if (!operations.some(({ name }) => name === 'failPoint')) return;
  await client.db('admin').command({ configureFailPoint: 'failCommand', mode: 'off' });
}

/** Values of BSON as JSON has them, numbers by their value. */
function plain(documents: readonly Document[]): unknown {
  return JSON.parse(BSON.EJSON.stringify(documents, { relaxed: true }));
}
