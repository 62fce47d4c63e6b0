/** Results that nest deeper than templates read are told as such: the node is not to blame, and what was written is known. docs/templates.md, "Limits". */
import { beforeAll, expect, test } from 'vitest';
import { sharedGateway } from '../gateway.ts';
import { newOrganization, type Organization } from '../organization.ts';
import { backend, freshDatabase } from '../servers/backends.ts';

let organization: Organization;
const DEEP = "(repeat('[', 1100) || repeat(']', 1100))::json AS found";

async function add(request: 'Read' | 'Write', query: string): Promise<void> {
  const id = `deep-${request.toLowerCase()}`;
  const about = { id, name: id, description: 'x', version: '1.0.0', request };
  const template = { endpoint: 'pg', query };
  const made = await organization.call('POST', '/templates', { ...about, template });
  expect(made).toMatchObject({ status: 200 });
}

beforeAll(async () => {
  organization = await newOrganization(await sharedGateway());
  const { url } = await backend('postgres').then(freshDatabase);
  await organization.addPostgres(url, { endpoint: 'pg' });
  const table = { query: 'CREATE TABLE kept (id int)' };
  expect(await organization.call('POST', '/endpoints/pg/write', table)).toMatchObject({
    status: 200,
  });
  await add('Read', `SELECT ${DEEP}`);
  await add('Write', `INSERT INTO kept VALUES (1) RETURNING ${DEEP}`);
});

test('of a template that reads', async () => {
  expect(await organization.call('POST', '/templates/deep-read', {})).toMatchObject({
    status: 400,
    body: {
      code: 'TEMPLATE_FAILED',
      message: 'The result of a request nests deeper than 1000 levels, which no template reads',
    },
  });
});

test('of a template that writes, which says that it did', async () => {
  expect(await organization.call('POST', '/templates/deep-write', {})).toMatchObject({
    status: 400,
    body: {
      code: 'TEMPLATE_FAILED',
      message:
        'The result of a request nests deeper than 1000 levels, which no template reads; what the request wrote is kept',
    },
  });
  const count = { query: 'SELECT count(*)::int AS n FROM kept' };
  expect(await organization.call('POST', '/endpoints/pg/read', count)).toMatchObject({
    body: { data: { rows: [{ n: 1 }] } },
  });
});
