import { env } from 'cloudflare:test';
import { Code } from '@connectrpc/connect';
import { compactDecrypt, importJWK } from 'jose';
import { describe, expect, test } from 'vitest';
import type { RunRequest } from '../../proto/gen/relay/v1/relay_pb.ts';
import { failure } from '../test/gateway.ts';
import { bytes, startRunning, text, told, WRITE_CONN } from '../test/running.ts';
import { countTrips } from '../test/trips.ts';

const QUERY = { type: 'query', query: 'select 1' };

/** A relay that keeps what it is asked and answers `result`. */
function recording(result = '{"rows":[]}') {
  const seen: RunRequest[] = [];
  return {
    seen,
    run(request: RunRequest) {
      seen.push(request);
      return { result: bytes(result), backendUs: 1500n };
    },
  };
}

/** A relay that knows no pool until it was shown the connection; keeps the connections in clear. */
function asking() {
  const connections: unknown[] = [];
  return {
    connections,
    async run({ target }: RunRequest) {
      if (!target?.sealedConnection) {
        throw told(Code.FailedPrecondition, 'CONNECTION_UNKNOWN', 'not known');
      }
      const key = await importJWK(JSON.parse(env.RELAY_NODE_KEY), 'ECDH-ES');
      const { plaintext } = await compactDecrypt(target.sealedConnection, key);
      connections.push(JSON.parse(text(plaintext)));
      return { result: bytes('{}') };
    },
  };
}

describe('a request to an endpoint', () => {
  test('reaches the relay as it was parsed, and its result the client unread', async () => {
    const relay = recording('{"rows":[{"n": 1.50}]}');
    const gateway = await startRunning(relay, {
      endpoint: { backend_pool_limits: { total_max_connections: 4 } },
    });
    const response = await gateway.post('/read', { request: { ...QUERY, type: 'QUERY' } });
    expect(await response.text()).toBe('{"status":"success","data":{"rows":[{"n": 1.50}]}}');
    expect(response.status).toBe(200);
    const { endpointUuid } = gateway;
    expect(relay.seen).toMatchObject([
      {
        target: {
          kind: 'postgres',
          endpoint: endpointUuid,
          poolKey: `${endpointUuid}:1:read:production`,
          mode: 'read',
          profile: 'production',
          caps: { total: 4, production: 0, development: 0 },
          sealedConnection: '',
        },
        resultMaxBytes: 10_485_760n,
        numbersAsStrings: false,
        sessionId: '',
      },
    ]);
    expect(relay.seen.map(({ request }) => JSON.parse(text(request)))).toEqual([QUERY]);
  });

  test('says how long authorization, node and backend took', async () => {
    const gateway = await startRunning(recording());
    const response = await gateway.post('/read', QUERY);
    expect(response.headers.get('Server-Timing')).toBe(
      'authorize;dur=0, node;dur=0, backend;dur=1.5',
    );
  });

  test.each([
    ['the backend', 'select', [400, 'authorize;dur=0, node;dur=0']],
    ['its parser', 7, [400, 'authorize;dur=0']],
  ])('that %s refuses says how long what was reached took', async (_who, query, expected) => {
    const run = () => {
      throw told(Code.InvalidArgument, 'REQUEST_FAILED', 'syntax error');
    };
    const gateway = await startRunning({ run });
    const response = await gateway.post('/read', { query });
    expect([response.status, response.headers.get('Server-Timing')]).toEqual(expected);
  });

  test('loses no digit of a parameter', async () => {
    const relay = recording();
    const gateway = await startRunning(relay);
    const body = '{"query":"select $1","params":[9007199254740993,0.1000000000000000055511151231]}';
    const response = await gateway.send('/endpoints/orders/read', {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${await gateway.token()}`,
        'Content-Type': 'application/json',
      },
      body,
    });
    expect(response.status).toBe(200);
    expect(relay.seen.map(({ request }) => text(request))).toEqual([body]);
  });

  test('that is large reaches the relay as its client wrote it', async () => {
    const relay = recording();
    const gateway = await startRunning(relay);
    const body = `{"request": {"query": "select $1",  "params": ["${'x'.repeat(20_000)}"]}}`;
    const response = await gateway.send('/endpoints/orders/read', {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${await gateway.token()}`,
        'Content-Type': 'application/json',
      },
      body,
    });
    expect(response.status).toBe(200);
    expect(relay.seen.map(({ request }) => text(request))).toEqual([body]);
  });

  test('on /write goes to the pool for writes, whatever its type', async () => {
    const relay = recording();
    const gateway = await startRunning(relay);
    await gateway.ask('/write', QUERY);
    await gateway.ask('/write', { type: 'execute', query: 'delete from t' });
    const key = `${gateway.endpointUuid}:1:write:production`;
    expect(relay.seen.map(({ target }) => [target?.mode, target?.poolKey])).toEqual([
      ['write', key],
      ['write', key],
    ]);
  });

  test('on /read is refused when its type writes, and nothing is sent', async () => {
    const relay = recording();
    const gateway = await startRunning(relay);
    expect(await gateway.ask('/read', { type: 'execute', query: 'delete from t' })).toEqual({
      status: 400,
      body: failure('BAD_REQUEST', 'This request writes: send it to /write', [
        { path: 'type', message: 'writes' },
      ]),
    });
    expect(relay.seen).toEqual([]);
  });

  test.each([null, 7])('of the type %j is refused, although one may be left out', async (type) => {
    const gateway = await startRunning(recording());
    expect(await gateway.ask('/read', { ...QUERY, type })).toEqual({
      status: 400,
      body: failure('BAD_REQUEST', 'type: must be text', [
        { path: 'type', message: 'must be text' },
      ]),
    });
  });

  test('tells the relay its own deadline, or 30 seconds', async () => {
    const deadlines: (string | null)[] = [];
    const gateway = await startRunning({
      run(_, { requestHeader }) {
        deadlines.push(requestHeader.get('Connect-Timeout-Ms'));
        return { result: bytes('{}') };
      },
    });
    await gateway.ask('/read', { ...QUERY, timeout_ms: 250 });
    await gateway.ask('/read', QUERY);
    expect(deadlines).toEqual(['250', '30000']);
  });

  test('asks for 64-bit columns as strings by ?numbers=string', async () => {
    const relay = recording();
    const gateway = await startRunning(relay);
    await gateway.ask('/read?numbers=string', QUERY);
    expect(relay.seen.map(({ numbersAsStrings }) => numbersAsStrings)).toEqual([true]);
  });
});

describe('the connection that serves', () => {
  const READ_CONN = { url: 'postgresql://r:p@replica.test/d' };
  const DEVELOPMENT_CONN = { url: 'postgresql://d:p@dev.test/d' };
  const config = {
    write_conn: WRITE_CONN,
    read_conn: READ_CONN,
    development_conn: DEVELOPMENT_CONN,
    allow_functions: ['f'],
  };

  test.each([
    ['reads', '/read', undefined, READ_CONN, 'reads'],
    ['writes', '/write', undefined, WRITE_CONN, 'writes'],
    [
      'both under the development profile: reads',
      '/read',
      'development',
      DEVELOPMENT_CONN,
      'development',
    ],
    [
      'both under the development profile: writes',
      '/write',
      'development',
      DEVELOPMENT_CONN,
      'development',
    ],
  ])(
    '%s comes sealed with the settings together with it',
    async (_, path, profile, connection, use) => {
      const relay = asking();
      const gateway = await startRunning(relay, {
        endpoint: { config, ...(profile ? { backend_profile: profile } : {}) },
      });
      expect((await gateway.ask(path, QUERY)).status).toBe(200);
      const settings = { allow_functions: ['f'] };
      expect(relay.connections).toEqual([{ connection, use, settings }]);
    },
  );

  test('is missing for development without a route there: nothing is sent', async () => {
    const relay = recording();
    const gateway = await startRunning(relay, { endpoint: { backend_profile: 'development' } });
    expect(await gateway.ask('/read', QUERY)).toEqual({
      status: 503,
      body: failure(
        'DEVELOPMENT_ROUTE_MISSING',
        'The endpoint has the development profile, but no development_conn and no node for development',
      ),
    });
    expect(relay.seen).toEqual([]);
  });
});

test('a steady read makes no trip to D1 before its reply, and asks for no connection', async () => {
  const trips = countTrips(env.DB);
  const relay = recording();
  const gateway = await startRunning(relay, { bindings: { DB: trips.binding } });
  await gateway.ask('/read', QUERY);
  await gateway.settle();
  const before = trips.count();
  trips.hold();
  expect((await gateway.ask('/read', QUERY)).status).toBe(200);
  expect(trips.count()).toBe(before);
  trips.letGo();
  await gateway.settle();
  expect(relay.seen.map(({ target }) => target?.sealedConnection)).toEqual(['', '']);
});

describe('a failure of the relay', () => {
  test('that names a code of ours is told with its details', async () => {
    const details = [{ source: 'postgres', code: '42P01', message: 'relation "t" does not exist' }];
    const gateway = await startRunning({
      run() {
        throw told(Code.InvalidArgument, 'REQUEST_FAILED', 'The backend refused it', details);
      },
    });
    expect(await gateway.ask('/read', QUERY)).toEqual({
      status: 400,
      body: failure('REQUEST_FAILED', 'The backend refused it', details),
    });
  });

  test('that cannot take the call says when to come back', async () => {
    const gateway = await startRunning({
      run() {
        throw told(Code.Unavailable, 'NODE_UNAVAILABLE', 'The node is stopping');
      },
    });
    const response = await gateway.post('/write', QUERY);
    expect(response.headers.get('Retry-After')).toBe('2');
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 503,
      body: failure('NODE_UNAVAILABLE', 'The node is stopping'),
    });
  });

  test('that tells nothing after a write was sent leaves its outcome unknown', async () => {
    let calls = 0;
    const gateway = await startRunning({
      run() {
        calls += 1;
        throw new Error('unforeseen');
      },
    });
    expect(await gateway.ask('/write', QUERY)).toEqual({
      status: 502,
      body: failure(
        'OUTCOME_UNKNOWN',
        'The connection was lost after the request was sent: it may have taken effect',
      ),
    });
    expect(calls).toBe(1);
  });
});
