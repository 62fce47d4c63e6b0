/** What a document store tells apart comes to it through a template: orders of members, and `1.0` from `1`. */
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { sharedGateway } from '../gateway.ts';
import { newOrganization, type Organization } from '../organization.ts';
import { backend } from '../servers/backends.ts';
import { addEndpoint } from './injection/stand.ts';

const DOCUMENT =
  '{"z":1.0,"10":"ten","2":{"b":2,"1":1e0},"n":"{{n: Number}}","i":"{{i: Integer}}","o":"{{o: Object}}","{{k}}":1,"0":0}';
const INPUT = '{"n":3.0,"i":4.0,"o":{"y":1,"9":[2.0,2],"3":3},"k":"7"}';
/** The members of the document behind its `_id`, as Extended JSON that hides nothing. */
const MEMBERS =
  '"z":{"$numberDouble":"1.0"},"10":"ten","2":{"b":{"$numberInt":"2"},"1":{"$numberDouble":"1.0"}},"n":{"$numberDouble":"3.0"},"i":{"$numberInt":"4"},"o":{"y":{"$numberInt":"1"},"9":[{"$numberDouble":"2.0"},{"$numberInt":"2"}],"3":{"$numberInt":"3"}},"7":{"$numberInt":"1"},"0":{"$numberInt":"0"}';

let organization: Organization;
let endpoint: string;

beforeAll(async () => {
  organization = await newOrganization(await sharedGateway());
  const { url } = await backend('mongo');
  const config = { write_conn: { url }, db_name: `written_${randomUUID().replaceAll('-', '')}` };
  endpoint = await addEndpoint(organization, 'mongo', config);
});

async function ask(method: string, path: string, body?: string, status = 200): Promise<string> {
  const reply = await organization.send(method, path, body);
  const text = await reply.text();
  expect([reply.status, text]).toEqual([status, text]);
  return text;
}

/** The one document of a collection, as text that nothing has read. */
async function stored(collection: string): Promise<string> {
  const body = JSON.stringify({ type: 'find_one', collection, filter: {} });
  const read = async () => ask('POST', `/endpoints/${endpoint}/read?ejson=canonical`, body);
  await expect.poll(read).not.toContain('"document":null');
  return read();
}

const insertInto = (collection: string) =>
  `"endpoint":"${endpoint}","type":"insert_one","collection":"${collection}","document":${DOCUMENT}`;

test('of a definition and of an input, in a run, by itself, and with others', async () => {
  const made = `{"id":"insert","request":"Write","template":{${insertInto('made')}}}`;
  await ask('POST', '/templates', made);
  expect(await ask('GET', '/templates/insert')).toContain(DOCUMENT);
  await ask('POST', '/templates/insert', INPUT);
  expect(await stored('made')).toContain(MEMBERS);

  await ask('PATCH', '/templates/insert', '{"description":"the same"}');
  expect(await ask('GET', '/templates/insert')).toContain(DOCUMENT);
  await ask('PATCH', '/templates/insert', `{"template":{${insertInto('changed')}}}`);
  await ask('POST', '/templates/insert?async=true', INPUT, 202);
  expect(await stored('changed')).toContain(MEMBERS);

  const operation = `{"type":"insert_one","collection":"together","document":${DOCUMENT}}`;
  await ask(
    'POST',
    '/templates',
    `{"id":"both","request":"Transaction","template":{"endpoint":"${endpoint}","operations":[${operation}]}}`,
  );
  await ask('POST', '/templates/both', INPUT);
  expect(await stored('together')).toContain(MEMBERS);
});

test('in a render', async () => {
  await ask(
    'POST',
    '/templates',
    `{"id":"shown","request":"Write","template":{${insertInto('never')}}}`,
  );
  expect(await ask('POST', '/templates/shown/render', INPUT)).toContain(
    '"document":{"z":1.0,"10":"ten","2":{"b":2,"1":1e0},"n":3.0,"i":4,"o":{"y":1,"9":[2.0,2],"3":3},"7":1,"0":0}',
  );
});

test('a member that is there twice is refused, in a definition and in an input', async () => {
  const twice = '{"id":"twice","request":"Read","template":{"endpoint":"e","a":1,"a":2}}';
  expect(await ask('POST', '/templates', twice, 400)).toContain(
    'the member \\"a\\" is there twice',
  );
  await ask(
    'POST',
    '/templates',
    `{"id":"once","request":"Write","template":{${insertInto('never')}}}`,
  );
  expect(await ask('POST', '/templates/once', '{"n":1,"n":2}', 400)).toContain('is there twice');
});

test('a bound may be written with a fraction', async () => {
  await ask(
    'POST',
    '/templates',
    `{"id":"plain","request":"Read","template":{"endpoint":"${endpoint}","type":"find","collection":"made","filter":{},"options":{"limit":1.0}}}`,
  );
  expect(await ask('POST', '/templates/plain', '{}')).toContain('"documents":[{');
});
