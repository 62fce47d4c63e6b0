/** The line of a request in the log. */
import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createApp } from '../app.ts';
import { insertEndpoint, startGateway } from '../test/gateway.ts';
import { loggedPath, logRequests } from './request-log.ts';

afterEach(() => vi.restoreAllMocks());

/** Lines of the requests that `send` makes, and what each was answered. */
async function linesOf(
  gateway: Awaited<ReturnType<typeof startGateway>>,
  requests: readonly (readonly [string, string, HeadersInit?])[],
): Promise<unknown[]> {
  const app = createApp({ now: () => gateway.clock.now, fetch: () => Promise.reject(new Error()) });
  logRequests(app);
  const written = vi.spyOn(console, 'error').mockImplementation(() => {});
  const execution = createExecutionContext();
  for (const [method, path, headers] of requests) {
    const request = new Request(`http://gateway.test${path}`, { method, headers: headers ?? {} });
    await app.fetch(request, gateway.bindings, execution);
  }
  await waitOnExecutionContext(execution);
  return written.mock.calls.flatMap(([lines]) =>
    String(lines)
      .split('\n')
      .map((line): unknown => JSON.parse(line)),
  );
}

const line = (fields: object) => ({
  time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/),
  level: 'info',
  program: 'worker',
  message: 'request',
  request_id: expect.any(String),
  ms: expect.any(Number),
  ...fields,
});

test('tells method, path, status, time, endpoint and user of every request, and no secret', async () => {
  const gateway = await startGateway('Read');
  const endpoint = await insertEndpoint(gateway, 'orders');
  const token = await gateway.token();
  const bearer = { Authorization: `Bearer ${token}`, 'X-Request-Id': 'mine' };
  const who = { user: gateway.user.username, organization: gateway.organization.id };
  const found = await gateway.call('GET', `/endpoints/${endpoint}`);
  const { uuid } = (found.body as { data: { uuid: string } }).data;
  const lines = await linesOf(gateway, [
    ['GET', '/api/v1/endpoints/orders?token=secret-in-the-query', bearer],
    ['GET', `/api/v1/endpoints/${uuid}`, bearer],
    ['GET', '/api/v1/endpoints/missing', bearer],
    ['DELETE', '/api/v1/endpoints/orders', bearer],
    ['GET', '/api/v1/endpoints/orders'],
    ['GET', `/nowhere/${token}`],
    ['GET', '/healthz'],
  ]);
  const orders = { method: 'GET', path: '/api/v1/endpoints/orders', endpoint: 'orders' };
  expect(lines).toEqual([
    line({ ...orders, status: 400, request_id: 'mine', ...who }),
    line({ ...orders, path: `/api/v1/endpoints/${uuid}`, endpoint: uuid, status: 200, ...who }),
    line({
      ...orders,
      path: '/api/v1/endpoints/missing',
      endpoint: 'missing',
      status: 404,
      ...who,
    }),
    line({ ...orders, method: 'DELETE', status: 403, ...who }),
    line({ ...orders, status: 401 }),
    line({ method: 'GET', path: '/nowhere/…', status: 404 }),
  ]);
  expect(JSON.stringify(lines)).not.toContain(token);
});

describe('a path', () => {
  test.each([
    ['/api/v1/endpoints/orders/read', '/api/v1/endpoints/orders/read'],
    ['/api/v1/iam/users/ada@acme.example', '/api/v1/iam/users/ada@acme.example'],
    ['/', '/'],
    [`/x/${'a'.repeat(65)}/y`, '/x/…/y'],
    ['/x/postgres:%2F%2Fu:p@h/y', '/x/…/y'],
    ['/x/group:ops', '/x/…'],
  ])('%s is written as %s', (path, written) => {
    expect(loggedPath(path)).toBe(written);
  });
});
