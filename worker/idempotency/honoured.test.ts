/** Whose call a key stands for, which keys are refused, and where none is honoured. */
import { describe, expect, test } from 'vitest';
import type { RunRequest } from '../../proto/gen/relay/v1/relay_pb.ts';
import type { Json } from '../../proto/json.ts';
import { sweepDeleted } from '../organizations/sweep/sweep.ts';
import { basic, givePassword, PASSWORD } from '../test/accounts.ts';
import { contextOf } from '../test/audit.ts';
import { failure, NOW } from '../test/gateway.ts';
import { again, fresh, seen, startKeyed, storedCalls, WRITE } from '../test/keyed.ts';
import { bytes, startRunning } from '../test/running.ts';

/** One call of a gateway's with the key `k`. */
function calling(gateway: Awaited<ReturnType<typeof startKeyed>>) {
  return async (
    { path = '/endpoints/orders/write', method = 'POST', bearer = '', key = 'k' },
    body: Json = WRITE,
  ) =>
    seen(
      await gateway.send(path, {
        method,
        headers: {
          Authorization: `Bearer ${bearer === '' ? await gateway.token() : bearer}`,
          'Content-Type': 'application/json',
          'Idempotency-Key': key,
        },
        body: JSON.stringify(body),
      }),
    );
}

describe('a key stands for nothing', () => {
  test('of another user of the organization', async () => {
    const gateway = await startKeyed();
    const call = calling(gateway);
    const bearer = await gateway.token(await gateway.addUser('Write'));
    expect(await call({})).toEqual(fresh({ n: 1 }));
    expect(await call({ bearer })).toEqual(fresh({ n: 2 }));
    expect(await call({ bearer }, { type: 'execute', query: 'x' })).toMatchObject({ status: 422 });
    expect(await call({})).toEqual(again({ n: 1 }));
    expect(await call({ bearer })).toEqual(again({ n: 2 }));
  });

  test('of another organization', async () => {
    const [ours, theirs] = [await startKeyed(), await startKeyed((n) => reply(n + 100))];
    expect(await calling(ours)({})).toEqual(fresh({ n: 1 }));
    expect(await calling(theirs)({})).toEqual(fresh({ n: 101 }));
    expect(await calling(ours)({})).toEqual(again({ n: 1 }));
  });

  test.each([
    ['another path to the same', (uuid: string) => ({ path: `/endpoints/${uuid}/write` })],
    ['another operation', () => ({ path: '/endpoints/orders/read' })],
    ['another query', () => ({ path: '/endpoints/orders/write?numbers=string' })],
    ['another key', () => ({ key: 'K' })],
  ])('of %s', async (_what, other) => {
    const gateway = await startKeyed();
    const call = calling(gateway);
    const query = { type: 'query', query: 'select 1' };
    expect(await call({}, query)).toEqual(fresh({ n: 1 }));
    expect(await call(other(gateway.endpointUuid), query)).toEqual(fresh({ n: 2 }));
  });
});

describe('a replay', () => {
  test('is refused to who may no longer do it', async () => {
    const gateway = await startKeyed();
    const call = calling(gateway);
    const user = await gateway.addUser('Write');
    const bearer = await gateway.token(user);
    expect(await call({ bearer })).toEqual(fresh({ n: 1 }));
    const path = `/iam/rbac/organizations/subjects/${user.username}`;
    expect(await gateway.call('DELETE', path)).toMatchObject({ status: 200 });
    expect(await call({ bearer })).toMatchObject({ status: 403, replayed: null });
    expect(await gateway.call('DELETE', `/iam/users/${user.username}`)).toMatchObject({
      status: 200,
    });
    expect(await call({ bearer })).toMatchObject({ status: 401, replayed: null });
    expect(await call({})).toEqual(fresh({ n: 2 }));
  });

  test('of an endpoint that is gone is 404', async () => {
    const gateway = await startKeyed();
    const call = calling(gateway);
    await call({});
    expect(await gateway.call('DELETE', '/endpoints/orders')).toMatchObject({ status: 200 });
    expect(await call({})).toMatchObject({ status: 404, replayed: null });
  });

  test('of an organization that is gone is 401, and ten minutes later nothing is kept', async () => {
    const gateway = await startKeyed();
    const call = calling(gateway);
    await call({});
    expect(await gateway.call('DELETE', '/organizations')).toMatchObject({ status: 200 });
    expect(await call({})).toMatchObject({ status: 401, replayed: null });
    await gateway.settle();
    expect(await storedCalls(gateway.organization.uuid)).toHaveLength(1);
    gateway.clock.now += 10 * 60_000;
    await sweepDeleted(contextOf(gateway));
    expect(await storedCalls(gateway.organization.uuid)).toEqual([]);
  });
});

const REFUSED = {
  status: 400,
  body: failure(
    'BAD_REQUEST',
    'Idempotency-Key: must be one key of 1 to 255 visible ASCII characters',
    [
      {
        path: 'Idempotency-Key',
        message: 'must be one key of 1 to 255 visible ASCII characters',
      },
    ],
  ),
};

describe('a key that is none', () => {
  test.each([
    ['empty', ''],
    ['of 256 characters', 'x'.repeat(256)],
    ['of 5,000 characters', 'x'.repeat(5_000)],
    ['with a space', 'a b'],
    ['with a tab', 'a\tb'],
    ['two of them, as two headers arrive', 'a, b'],
  ])('%s is 400, and nothing runs', async (_what, key) => {
    const { write, ran } = await startKeyed();
    const response = await write(key);
    expect({ status: response.status, body: await response.json() }).toEqual(REFUSED);
    expect(ran()).toBe(0);
  });

  test.each([
    ['of 255 characters', 'x'.repeat(255)],
    ['of one', '!'],
    ['quoted, as a structured field', '"8e03978e-40d5-43dd-bc93-6894a57f9324"'],
  ])('but not one %s', async (_what, key) => {
    const { write } = await startKeyed();
    await write(key);
    expect(await seen(await write(key))).toEqual(again({ n: 1 }));
  });

  test('is told after a missing endpoint and a level that is too low', async () => {
    const gateway = await startKeyed();
    const call = calling(gateway);
    const bearer = await gateway.token(await gateway.addUser('Read'));
    expect(await call({ path: '/endpoints/nowhere/write', key: '' })).toMatchObject({
      status: 404,
    });
    expect(await call({ bearer, key: '' })).toMatchObject({ status: 403 });
    expect(await call({ key: '', bearer: 'nonsense' })).toMatchObject({ status: 401 });
  });
});

test('a body that is refused before it runs leaves the key free', async () => {
  const gateway = await startKeyed();
  const call = calling(gateway);
  const path = '/endpoints/orders/transaction';
  expect(await call({ path }, { operation: [] })).toMatchObject({ status: 400, replayed: null });
  expect(await storedCalls(gateway.organization.uuid)).toEqual([]);
});

test.each(['text/csv, application/json', 'application/json, text/event-stream'])(
  'a write that answers JSON is done once, whatever else is taken: %s',
  async (Accept) => {
    const endpoint = { kind: 'redis', config: { write_conn: { url: 'redis://db.test' } } };
    const { write, ran } = await startKeyed(undefined, { endpoint });
    const request = { type: 'incr', key: 'a' };
    expect(await seen(await write('k', request, { Accept }))).toEqual(fresh({ n: 1 }));
    expect(await seen(await write('k', request, { Accept }))).toEqual(again({ n: 1 }));
    expect(ran()).toBe(1);
  },
);

const reply = (n: number) => ({ result: bytes(`{"n":${n}}`) });

/** A gateway whose relay streams and leases. */
async function startInteractive() {
  let ran = 0;
  const count = (_request: RunRequest) => {
    ran += 1;
    return reply(ran);
  };
  const gateway = await startRunning({
    run: count,
    async *runStream() {
      ran += 1;
      yield { chunk: bytes(`{"n":${ran}}\n`) };
    },
    openSession: () => {
      ran += 1;
      return { sessionId: `lease-${ran}`, expiresMs: BigInt(NOW + 300_000) };
    },
    closeSession: () => ({ found: true }),
  });
  await givePassword(gateway.user);
  const bearer = { Authorization: `Bearer ${await gateway.token()}` };
  const Basic = basic(gateway.user.username, PASSWORD);
  const session = await gateway.ask('/sessions', {});
  const { data } = session.body as { data: { session_id: string } };
  ran = 0;
  return {
    gateway,
    bearer,
    login: { Authorization: Basic, 'X-Org-Id': gateway.organization.id },
    inSession: { ...bearer, 'X-Session-Id': data.session_id },
    lines: { ...bearer, Accept: 'application/x-ndjson' },
    ran: () => ran,
  };
}
type Interactive = Awaited<ReturnType<typeof startInteractive>>;

describe('a key has no meaning, not even a wrong one', () => {
  const cases: [string, (of: Interactive) => Call, number][] = [
    ['at a login', ({ login }) => ({ method: 'POST', path: '/auth/login', headers: login }), 0],
    [
      'at a refresh',
      ({ bearer }) => ({ method: 'POST', path: '/auth/refresh', headers: bearer }),
      0,
    ],
    [
      'at a password reset',
      () => ({
        method: 'POST',
        path: '/auth/password/reset',
        headers: {},
        body: { email: 'nobody@example.com', redirectUrl: 'http://localhost:3000/' },
      }),
      0,
    ],
    [
      'where a session is opened',
      ({ bearer }) => ({ method: 'POST', path: '/endpoints/orders/sessions', headers: bearer }),
      2,
    ],
    ['of GET', ({ bearer }) => ({ method: 'GET', path: '/help', headers: bearer }), 0],
    [
      'of DELETE',
      ({ bearer }) => ({
        method: 'DELETE',
        path: '/iam/rbac/subjects/nobody@example.com',
        headers: bearer,
      }),
      0,
    ],
  ];

  test.each(cases)('%s', async (_what, callOf, runs) => {
    const interactive = await startInteractive();
    const before = await storedCalls('new');
    const { method, path, headers, body } = callOf(interactive);
    for (const key of ['k', 'k', '']) {
      const response = await interactive.gateway.send(path, {
        method,
        headers: { ...headers, 'Content-Type': 'application/json', 'Idempotency-Key': key },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      expect(response.headers.get('Idempotent-Replayed')).toBeNull();
      await response.arrayBuffer();
    }
    // The third call, whose key is none, ran as well.
    expect(interactive.ran()).toBe(runs === 0 ? 0 : runs + 1);
    expect(await storedCalls(interactive.gateway.organization.uuid)).toEqual([]);
    expect(await storedCalls('new')).toEqual(before);
  });
});

describe('a key has no meaning, but a wrong one is refused', () => {
  test.each(['inSession', 'lines'] as const)('%s', async (headers) => {
    const interactive = await startInteractive();
    const statuses: number[] = [];
    for (const key of ['k', 'k', '']) {
      const response = await interactive.gateway.send('/endpoints/orders/write', {
        method: 'POST',
        headers: {
          ...interactive[headers],
          'Content-Type': 'application/json',
          'Idempotency-Key': key,
        },
        body: JSON.stringify(WRITE),
      });
      expect(response.headers.get('Idempotent-Replayed')).toBeNull();
      await response.arrayBuffer();
      statuses.push(response.status);
    }
    expect(statuses).toEqual([200, 200, 400]);
    expect(interactive.ran()).toBe(2);
    expect(await storedCalls(interactive.gateway.organization.uuid)).toEqual([]);
  });
});

interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Json;
}
