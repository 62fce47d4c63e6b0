/** That a reply is held to the description that its own server serves, also while it streams. */
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../server/ports.ts';
import { checkedFetch } from './checked-fetch.ts';

const get = (type: string, schema: object) => ({
  get: { responses: { 200: { content: { [type]: { schema } } } } },
});
const DOCUMENT = {
  paths: {
    '/lines': get('application/x-ndjson', { type: 'integer' }),
    '/value': get('application/json', { type: 'array' }),
    '/none': { get: { responses: { 304: {} } } },
  },
};
/** What the server answers on each path, besides the description. */
const ANSWERS: Readonly<Record<string, readonly [status: number, type: string, body: string]>> = {
  '/openapi.json': [200, 'application/json', JSON.stringify(DOCUMENT)],
  '/lines': [200, 'application/x-ndjson', '1\n"two"\n3\n'],
  '/value': [200, 'application/json', '[1]'],
  '/none': [200, 'application/json', '{}'],
};

let server: Server;
let origin: string;
beforeAll(async () => {
  server = createServer(({ url = '' }, reply) => {
    const [status, type, body] = ANSWERS[url] ?? [404, 'text/plain', ''];
    reply.writeHead(status, { 'Content-Type': type }).end(body);
  });
  const port = await freePort('127.0.0.1');
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${port}`;
});
afterAll(() => server.close());

test('a described reply is passed on whole', async () => {
  const reply = await checkedFetch(`${origin}/value`);
  expect([reply.status, await reply.json()]).toEqual([200, [1]]);
});

test('a status that is not described rejects', async () => {
  await expect(checkedFetch(`${origin}/none`)).rejects.toThrow(
    'GET /none answered 200, and the description says otherwise: it has 304',
  );
});

test('a line that is not described breaks off its reader', async () => {
  const reply = await checkedFetch(`${origin}/lines`);
  await expect(reply.text()).rejects.toThrow(
    'GET /lines answered 200, and the description says otherwise: body must be integer',
  );
});
