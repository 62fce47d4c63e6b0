/** Numbers reach a database with the digits that they were sent with, and come back with them. Contract §1, "Numbers in a body". */
import { beforeAll, describe, expect, test } from 'vitest';
import { sharedGateway } from './gateway.ts';
import { newOrganization, type Organization } from './organization.ts';
import { backend, freshDatabase } from './servers/backends.ts';

let organization: Organization;
let endpoint: string;
beforeAll(async () => {
  const [gateway, server] = await Promise.all([sharedGateway(), backend('postgres')]);
  const database = await freshDatabase(server);
  organization = await newOrganization(gateway);
  endpoint = await organization.addPostgres(database.url);
});

/** The text of a reply: parsing it would round what it is about. */
async function textOf(path: string, body: string): Promise<string> {
  return (await organization.send('POST', path, body)).text();
}

const replyWith = (type: string, value: string) =>
  `{"status":"success","data":{"columns":[{"name":"n","type":"${type}"}],"rows":[{"n":${value}}],"row_count":1}}`;

describe.each([
  ['2^53 + 1', '9007199254740993'],
  ['-(2^63)', '-9223372036854775808'],
  ['2^64 - 1', '18446744073709551615'],
  ['forty digits', '1234567890123456789012345678901234567890'],
  ['the double nearest to a tenth', '0.1000000000000000055511151231257827'],
])('%s', (_, number) => {
  test('is the same number for PostgreSQL', async () => {
    const body = `{"query":"select $1::numeric as n","params":[${number}]}`;
    expect(await textOf(`/endpoints/${endpoint}/read`, body)).toBe(
      replyWith('numeric', `"${number}"`),
    );
  });

  test('is the same number in a document', async () => {
    const body = `{"query":"select ($1::jsonb)->'n' as n","params":[{"n":${number}}]}`;
    expect(await textOf(`/endpoints/${endpoint}/read`, body)).toBe(replyWith('jsonb', number));
  });

  test('is the same number in the JSON utilities', async () => {
    const document = `{"a":[${number}]}`;
    expect([
      await textOf('/json/flatten', `{"value":${document}}`),
      await textOf('/json/unflatten', `{"a[0]":${number}}`),
      await textOf('/json/parse', `{"json":${document},"paths":["a/0"]}`),
      await textOf('/json/reduce', `{"json":${document},"paths":["$.a[0]"]}`),
    ]).toEqual([`{"a[0]":${number}}`, document, `{"a/0":${number}}`, document]);
  });
});

test.each(['9007199254740993', '-9223372036854775808'])('%s is the same bigint', async (number) => {
  const body = `{"query":"select $1::bigint as n","params":[${number}]}`;
  expect(await textOf(`/endpoints/${endpoint}/read`, body)).toBe(
    replyWith('bigint', `"${number}"`),
  );
});
