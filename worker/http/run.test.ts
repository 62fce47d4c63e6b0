/** Promises of how any route runs: headers, refusals and their order, errors. */
import { createExecutionContext } from 'cloudflare:test';
import { describe, expect, test } from 'vitest';
import { createApp, facades, routes } from '../app.ts';
import { methodsOf, pathsOf } from '../route.ts';
import { failure, NOW, startGateway } from '../test/gateway.ts';
import { operationsOf } from './operations.ts';
import { wholePath } from './run.ts';

const MEBIBYTE = 1024 * 1024;

test('every reply carries the request id and the security headers', async () => {
  const gateway = await startGateway('Read');
  const response = await gateway.send('/nothing-here', { headers: { 'X-Request-Id': 'mine-1' } });
  expect([response.status, Object.fromEntries(response.headers), await response.json()]).toEqual([
    404,
    {
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-request-id': 'mine-1',
    },
    {
      ...failure('NOT_FOUND', 'There is nothing at /api/v1/nothing-here: see /docs'),
      request_id: 'mine-1',
    },
  ]);
});

test.each([
  ['with a space', 'a b'],
  ['of 129 characters', 'x'.repeat(129)],
])('a request id %s is replaced by one of ours', async (_what, id) => {
  const gateway = await startGateway('Read');
  const response = await gateway.send('/help', { headers: { 'X-Request-Id': id } });
  expect(response.headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/);
});

test.each([
  [
    'a level that is too low tells how long that took to see',
    'POST',
    '/iam/users',
    'authorize;dur=0',
  ],
  ['what is not there does', 'GET', '/endpoints/nowhere', 'authorize;dur=0'],
  ['a public operation, which authorizes nobody, does not', 'POST', '/auth/login', null],
])('the refusal of %s', async (_what, method, path, timing) => {
  const gateway = await startGateway('Read');
  const headers = { Authorization: `Bearer ${await gateway.token()}` };
  const response = await gateway.send(path, { method, headers });
  expect([response.ok, response.headers.get('Server-Timing')]).toEqual([false, timing]);
});

test('a method that the path does not have is 405 with Allow, before a token is asked for', async () => {
  const gateway = await startGateway('Read');
  const response = await gateway.send('/help', { method: 'DELETE' });
  expect([response.status, response.headers.get('Allow'), await response.json()]).toEqual([
    405,
    'GET, HEAD',
    failure('METHOD_NOT_ALLOWED', 'DELETE is not a method of /api/v1/help: it takes GET, HEAD'),
  ]);
});

test('a body over the limit is 413 before a token is asked for', async () => {
  const gateway = await startGateway('Read');
  const response = await gateway.send('/endpoints', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Content-Length': String(11 * MEBIBYTE) },
    body: 'x'.repeat(11 * MEBIBYTE),
  });
  expect([response.status, await response.json()]).toEqual([
    413,
    failure('PAYLOAD_TOO_LARGE', 'The body is larger than 10485760 bytes'),
  ]);
});

const KIBIBYTE = 1024;
const inPieces = (bytes: number) => {
  let left = bytes;
  return new ReadableStream({
    type: 'bytes',
    pull(controller) {
      const size = Math.min(left, 10_000);
      left -= size;
      if (size === 0) controller.close();
      else controller.enqueue(new Uint8Array(size).fill(0x20));
    },
  });
};

/** Every operation that needs no token. */
const OPEN = operationsOf([...routes, ...facades]).filter(
  ({ route }) => route.access.level === 'Public',
);

test('operations that need no token are few', () => {
  expect(OPEN.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /api/v1/auth/login',
    'GET /api/v1/auth/login',
    'POST /api/v1/auth/password/reset',
    'POST /api/v1/new',
    'POST /api/v1/nodes/enrol',
    'POST /api/v1/nodes/{node}/beat',
    'GET /api/v1/nodes/{node}/tunnel',
    'POST /hooks/{org}/-/{token}',
    'POST /hooks/{org}/{path}',
  ]);
});

// What speaks another protocol has limits of its own.
describe.each(OPEN.filter(({ method, route }) => method !== 'GET' && !route.facade))(
  'without a token, $method $path',
  ({ method, path }) => {
    test.each([
      ['of 64 KiB, with its length, is read', 64 * KIBIBYTE, true],
      ['of 64 KiB, in pieces, is read', 64 * KIBIBYTE, false],
      ['of a byte more, with its length, is 413', 64 * KIBIBYTE + 1, true],
      ['of a byte more, in pieces, is 413', 64 * KIBIBYTE + 1, false],
      ['of 1 MiB, in pieces, is 413', MEBIBYTE, false],
    ])('takes a body: %s', async (_what, bytes, hasLength) => {
      const gateway = await startGateway('Read');
      const response = await createApp({ now: () => NOW, fetch }).request(
        `http://gateway.test${path}`,
        {
          method,
          headers: {
            'Content-Type': 'application/json',
            ...(hasLength ? { 'Content-Length': String(bytes) } : {}),
          },
          body: hasLength ? ' '.repeat(bytes) : inPieces(bytes),
        },
        gateway.bindings,
        createExecutionContext(),
      );
      const isTooLarge = bytes > 64 * KIBIBYTE;
      expect(response.status).toBe(isTooLarge ? 413 : 400);
      expect(await response.json()).toMatchObject(
        isTooLarge ? failure('PAYLOAD_TOO_LARGE', 'The body is larger than 65536 bytes') : {},
      );
    });
  },
);

test('every operation that reads a larger body asks for a token first', async () => {
  const gateway = await startGateway('Read');
  const large = [...routes, ...facades].filter(({ access }) => access.level !== 'Public');
  for (const each of large) {
    const [method = 'GET'] = methodsOf(each);
    if (method === 'GET') continue;
    const [path = ''] = pathsOf(each);
    let sent = 0;
    const body = new ReadableStream(
      {
        type: 'bytes',
        pull(controller) {
          sent += 1;
          controller.enqueue(new Uint8Array(MEBIBYTE));
          if (sent > 8) controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    const response = await createApp({ now: () => NOW, fetch }).request(
      `http://gateway.test${wholePath(each, path)}`,
      { method, headers: { 'Content-Type': 'application/json' }, body },
      gateway.bindings,
      createExecutionContext(),
    );
    // Taken in by now, and dropped: had it been read, it would be no JSON.
    expect([method, path, response.status]).toEqual([method, path, 401]);
    await response.body?.cancel();
  }
});

test('a body without a length is read no further than the limit', async () => {
  const gateway = await startGateway('Admin', { bindings: { BODY_MAX_BYTES: '1000' } });
  let sent = 0;
  const body = new ReadableStream({
    type: 'bytes',
    pull(controller) {
      sent += 600;
      controller.enqueue(new Uint8Array(600));
    },
  });
  const headers = {
    Authorization: `Bearer ${await gateway.token()}`,
    'Content-Type': 'application/json',
  };
  const response = await gateway.send('/endpoints', { method: 'POST', headers, body });
  expect([response.status, sent < 6_000]).toEqual([413, true]);
});

test('a member of the query string that the operation does not have is 400', async () => {
  const gateway = await startGateway('Read');
  const reply = await gateway.call('GET', '/help?colour=red');
  expect([reply.status, reply.body]).toEqual([
    400,
    failure('BAD_REQUEST', 'query: "colour" is not known; nothing is taken here', [
      { path: 'query', message: '"colour" is not known; nothing is taken here' },
    ]),
  ]);
});

test('the operations are told with their levels', async () => {
  const gateway = await startGateway(undefined);
  const { status, body } = await gateway.call('GET', '/help');
  expect(status).toBe(200);
  expect(body).toMatchObject({ name: 'Causeway', documentation: '/docs' });
  expect(JSON.stringify(body)).toContain(
    '{"method":"GET","path":"/api/v1/help","summary":"Tell the operations of the API and the kinds of endpoint","level":"Member"}',
  );
});
