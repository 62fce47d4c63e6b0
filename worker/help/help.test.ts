/** Promises of `GET /help`. */
import { expect, test } from 'vitest';
import { kinds } from '../../kinds/index.ts';
import { routes } from '../app.ts';
import { failure, startGateway } from '../test/gateway.ts';
import { operationLines } from './lines.ts';
import { Help } from './schema.ts';
import { VERSION } from './version.ts';

test('tells any member the name, the version, the operations, the kinds and links', async () => {
  const gateway = await startGateway(undefined);
  const { status, body } = await gateway.call('GET', '/help');
  const types = Object.entries(kinds.postgres.types).map(([type, mode]) => ({ type, mode }));
  expect([status, body]).toEqual([
    200,
    {
      name: 'Causeway',
      version: VERSION,
      documentation: '/docs',
      operations: operationLines(routes),
      kinds: expect.arrayContaining([{ kind: 'Postgres', types }]),
      links: { documentation: '/docs', openapi: '/openapi.json', health: '/healthz' },
    },
  ]);
  expect(() => Help.parse(body)).not.toThrow();
});

test('tells of an operation each method and path that it has', () => {
  const summary = 'Show the organization, its usage and its users';
  expect(operationLines(routes).filter((line) => line.summary === summary)).toEqual([
    { method: 'GET', path: '/api/v1/organizations', summary, level: 'Read' },
    { method: 'GET', path: '/api/v1/org', summary, level: 'Read' },
  ]);
});

test('tells parameters of paths in braces', () => {
  const paths = operationLines(routes).map(({ path }) => path);
  expect(paths).toContain('/api/v1/endpoints/{endpoint}/nodes/{gateway_node_uuid}');
  expect(paths.filter((path) => path.includes(':'))).toEqual([]);
});

test('asks for a token, and names the page that needs none', async () => {
  const gateway = await startGateway('Read');
  const { status, body } = await gateway.call('GET', '/help', undefined, '');
  expect([status, body]).toMatchObject([
    401,
    failure('TOKEN_REQUIRED', 'Authentication token required', [
      { path: 'Authorization', message: 'is required: see /docs' },
    ]),
  ]);
});
