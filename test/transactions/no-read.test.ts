/** Statements that write, sent by a type that reads to a kind that tells them apart by their types. Spec: transactions.md §1. */
import { beforeAll, expect, test } from 'vitest';
import { sharedGateway } from '../gateway.ts';
import { newOrganization, type Organization } from '../organization.ts';
import { backend } from '../servers/backends.ts';

let organization: Organization;

beforeAll(async () => {
  organization = await newOrganization(await sharedGateway());
  for (const kind of ['clickhouse', 'cassandra'] as const) {
    const config = { write_conn: { url: (await backend(kind)).url } };
    const body = { endpoint: kind, kind, config };
    expect(await organization.call('POST', '/endpoints', body)).toMatchObject({ status: 200 });
  }
});

const READ = { endpoint: 'clickhouse', query: 'SELECT 1 AS a' };
const INSERT = "INSERT INTO FUNCTION null('k String') SELECT 'a'";

test.each([
  ['clickhouse', { query: INSERT }, 'query'],
  ['clickhouse', { type: 'fetch_all', query: INSERT }, 'fetch_all'],
  ['cassandra', { query: "INSERT INTO a.b (k) VALUES ('a')" }, 'query'],
])('%s takes %j in a transaction by another type', async (endpoint, request, type) => {
  const operations = [READ, { endpoint, ...request }];
  const problem = `a request of type ${type} only reads in a transaction, and this statement does more: send it with type execute`;
  expect(await organization.call('POST', '/transactions', { operations })).toMatchObject({
    status: 400,
    body: {
      message: `operations.1: ${problem}`,
      details: [
        { rule: 'read_statement', path: 'operations.1.query', message: problem, operation: 1 },
      ],
    },
  });
});

test('what is told to do does it', async () => {
  const operations = [READ, { endpoint: 'clickhouse', type: 'execute', query: INSERT }];
  expect(await organization.call('POST', '/transactions', { operations })).toMatchObject({
    status: 200,
  });
});

test.each(['clickhouse', 'cassandra'])('%s has no writes on /write in one', async (endpoint) => {
  const query = endpoint === 'clickhouse' ? INSERT : "INSERT INTO a.b (k) VALUES ('a')";
  const sent = async (path: string, body: object) => {
    const begun = await organization.call('POST', '/transactions/begin', {});
    const { transaction_id: id } = begun.body as { transaction_id: string };
    const within = { 'X-Transaction-Id': id };
    const reply = await organization.call('POST', `/endpoints/${endpoint}/${path}`, body, within);
    const { message, details } = reply.body as { message: string; details: unknown };
    return { status: reply.status, message, details };
  };
  const problem = `endpoint ${endpoint} has no transactions of its own: its write would have to be the last`;
  const told = { status: 400, message: `X-Transaction-Id: ${problem}` };
  expect(await sent('write', { query })).toMatchObject(told);
  expect(await sent('write', { query })).toEqual(await sent('write', { type: 'execute', query }));
  expect(await sent('read', { query })).toMatchObject({
    status: 400,
    message: expect.stringContaining('is not taken on /read'),
  });
});
