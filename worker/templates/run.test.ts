/** Runs of templates: with whose rights, from memory, and how often. */

import { env } from 'cloudflare:test';
import { Code } from '@connectrpc/connect';
import { describe, expect, test } from 'vitest';
import type { RunRequest } from '../../proto/gen/relay/v1/relay_pb.ts';
import { failure, insertEndpoint, startGateway } from '../test/gateway.ts';
import { bytes, text, told } from '../test/running.ts';
import { countTrips } from '../test/trips.ts';
import { GREETING, make, nesting, ORDER, PLACE } from './test/definitions.ts';

const ROWS = '{"columns":[],"rows":[],"row_count":0}';

/** A relay that keeps what it is asked. */
function recording() {
  const seen: RunRequest[] = [];
  return {
    seen,
    relay: {
      status: () => ({}),
      run(request: RunRequest) {
        seen.push(request);
        return { result: bytes(ROWS) };
      },
    },
  };
}

async function start(level: 'SuperAdmin' | 'Write' = 'SuperAdmin') {
  const { seen, relay } = recording();
  const gateway = await startGateway(level, { relay });
  await insertEndpoint(gateway, 'orders');
  return { gateway, seen };
}

describe('a run', () => {
  test('needs Read, and no more, where nothing is written', async () => {
    const { gateway, seen } = await start();
    await make(gateway, GREETING);
    await make(gateway, ORDER);
    await make(gateway, nesting('outer', 'order'));
    const bearer = await gateway.token(await gateway.addUser('Read'));
    const run = (id: string, input: object) =>
      gateway.call('POST', `/templates/${id}`, input as never, bearer);
    expect(await run('greeting', { name: 'Ada' })).toEqual({ status: 200, body: { hello: 'Ada' } });
    expect(await run('order', { id: 7 })).toEqual({ status: 200, body: JSON.parse(ROWS) });
    expect(await run('outer', { id: 7 })).toEqual({
      status: 200,
      body: { inner: JSON.parse(ROWS) },
    });
    expect(seen.map(({ target, request }) => [target?.mode, JSON.parse(text(request))])).toEqual(
      [7, 7].map((id) => [
        'read',
        { type: 'query', query: 'select * from orders where id = $1', params: [id] },
      ]),
    );
  });

  test('needs Write where it may write, itself or nested', async () => {
    const { gateway, seen } = await start();
    await make(gateway, PLACE);
    await make(gateway, nesting('outer', 'place'));
    const reader = await gateway.addUser('Read');
    const bearer = await gateway.token(reader);
    for (const id of ['place', 'outer']) {
      expect(await gateway.call('POST', `/templates/${id}`, { id: 7 }, bearer)).toEqual({
        status: 403,
        body: failure('FORBIDDEN', `This operation needs Write access on template ${id}`),
      });
    }
    // Write on the template is not enough: the endpoint is asked for as well.
    const rule = { access_level: 'Write', subject: reader.username, template_id: 'place' };
    await gateway.call('POST', '/iam/rbac/templates/subjects', rule);
    expect((await gateway.call('POST', '/templates/place', { id: 7 }, bearer)).status).toBe(403);
    expect(seen).toEqual([]);
    const onOrders = { access_level: 'Write', subject: reader.username, endpoint_id: 'orders' };
    await gateway.call('POST', '/iam/rbac/endpoints/subjects', onOrders);
    expect((await gateway.call('POST', '/templates/place', { id: 7 }, bearer)).status).toBe(200);
    expect(seen.map(({ target }) => target?.mode)).toEqual(['write']);
  });

  test('with a denial on what it reaches is 403', async () => {
    const { gateway, seen } = await start();
    await make(gateway, ORDER);
    await make(gateway, nesting('outer', 'order'));
    const reader = await gateway.addUser('Read');
    const rule = { access_level: 'None', subject: reader.username, template_id: 'order' };
    await gateway.call('POST', '/iam/rbac/templates/subjects', rule);
    const bearer = await gateway.token(reader);
    expect((await gateway.call('POST', '/templates/outer', { id: 7 }, bearer)).status).toBe(403);
    expect(seen).toEqual([]);
  });

  test('of what reaches an endpoint that is gone is 404', async () => {
    const { gateway } = await start();
    await make(gateway, ORDER);
    expect((await gateway.call('DELETE', '/endpoints/orders')).status).toBe(200);
    expect(await gateway.call('POST', '/templates/order', { id: 7 })).toEqual({
      status: 404,
      body: failure('ENDPOINT_NOT_FOUND', 'Endpoint orders does not exist'),
    });
  });

  test('in the steady state makes no trip to D1 before its reply', async () => {
    const trips = countTrips(env.DB);
    const { relay } = recording();
    const gateway = await startGateway('Write', { relay, bindings: { DB: trips.binding } });
    await insertEndpoint(gateway, 'orders');
    await make(gateway, ORDER);
    await make(gateway, nesting('outer', 'order'));
    const run = () => gateway.call('POST', '/templates/outer', { id: 7 });
    await run();
    await run();
    await gateway.settle();
    const before = trips.count();
    trips.hold();
    expect((await run()).status).toBe(200);
    expect(trips.count()).toBe(before);
    trips.letGo();
    await gateway.settle();
  });

  test('is counted by day, off the caller’s path', async () => {
    const gateway = await startGateway('Write');
    await make(gateway, GREETING);
    await make(gateway, nesting('outer', 'greeting'));
    for (let at = 0; at < 3; at += 1) await gateway.call('POST', '/templates/greeting', {});
    await gateway.settle();
    expect((await gateway.call('GET', '/templates/greeting')).body).toMatchObject({
      usage: { directReferences: 1, invocationsLast30Days: 3, averageProcessingTime: 0 },
    });
    gateway.clock.now += 30 * 24 * 3600 * 1000;
    expect((await gateway.call('GET', '/templates/greeting')).body).toMatchObject({
      usage: { invocationsLast30Days: 0 },
    });
  });
});

describe('an output that is kept', () => {
  const CACHED = { caching: { enabled: true, ttl: 60 } };

  test('answers the same input and parameters, until it is too old', async () => {
    const { gateway, seen } = await start();
    await make(gateway, ORDER);
    const outer = nesting('outer', 'order') as object;
    await make(gateway, { ...outer, performanceSettings: CACHED });
    const run = (id: number) => gateway.call('POST', '/templates/outer', { id });
    const first = await run(7);
    expect(await run(7)).toEqual(first);
    expect(seen).toHaveLength(1);
    await run(8);
    expect(seen).toHaveLength(2);
    gateway.clock.now += 61_000;
    await run(7);
    expect(seen).toHaveLength(3);
  });

  test('is answered to nobody who may not reach what made it', async () => {
    const { gateway } = await start();
    await make(gateway, ORDER);
    const outer = nesting('outer', 'order') as object;
    await make(gateway, { ...outer, performanceSettings: CACHED });
    expect((await gateway.call('POST', '/templates/outer', { id: 7 })).status).toBe(200);
    const reader = await gateway.addUser('Read');
    const rule = { access_level: 'None', subject: reader.username, endpoint_id: 'orders' };
    await gateway.call('POST', '/iam/rbac/endpoints/subjects', rule);
    const bearer = await gateway.token(reader);
    expect((await gateway.call('POST', '/templates/outer', { id: 7 }, bearer)).status).toBe(403);
  });

  test('is not that of an endpoint which has changed, or has the name of one that is gone', async () => {
    const { gateway, seen } = await start();
    await make(gateway, ORDER);
    const outer = nesting('outer', 'order') as object;
    await make(gateway, { ...outer, performanceSettings: CACHED });
    const run = () => gateway.call('POST', '/templates/outer', { id: 7 });
    await run();
    const described = { description: 'Another one' };
    expect((await gateway.call('PATCH', '/endpoints/orders', described)).status).toBe(200);
    await run();
    expect(seen).toHaveLength(2);
    await run();
    expect(seen).toHaveLength(2);
    expect((await gateway.call('DELETE', '/endpoints/orders')).status).toBe(200);
    await insertEndpoint(gateway, 'orders');
    await run();
    expect(seen).toHaveLength(3);
  });

  test('is none of a template that writes', async () => {
    const { gateway, seen } = await start();
    await make(gateway, PLACE);
    const outer = nesting('outer', 'place') as object;
    await make(gateway, { ...outer, performanceSettings: CACHED });
    for (let at = 0; at < 2; at += 1) await gateway.call('POST', '/templates/outer', { id: 7 });
    expect(seen).toHaveLength(2);
  });
});

test('a version that changes is in force for the very next run, nested too', async () => {
  const gateway = await startGateway('Write');
  await make(gateway, GREETING);
  await make(gateway, nesting('outer', 'greeting'));
  const run = () => gateway.call('POST', '/templates/outer', { name: 'Ada' });
  expect(await run()).toEqual({ status: 200, body: { inner: { hello: 'Ada' } } });
  const loud = { transformationRules: [{ target: 'hello', value: 'HELLO' }] };
  await gateway.call('PATCH', '/templates/greeting', loud);
  expect(await run()).toEqual({ status: 200, body: { inner: { hello: 'HELLO' } } });
});

test('parameters are given by the query, by their declared types', async () => {
  const gateway = await startGateway('Write');
  await make(gateway, {
    name: 'Tax',
    parameters: { rate: { type: 'number', default: 0.19 } },
    transformationRules: [{ target: 'tax', expression: 'amount * parameters.rate' }],
  });
  const run = (query: string) => gateway.call('POST', `/templates/tax${query}`, { amount: 100 });
  expect(await run('')).toEqual({ status: 200, body: { tax: 19 } });
  expect(await run('?parameters.rate=0.5')).toEqual({ status: 200, body: { tax: 50 } });
  expect((await run('?parameters.rate=much')).status).toBe(400);
  expect((await run('?rate=0.5')).status).toBe(400);
  const told = (path: string, message: string) => ({
    status: 400,
    body: failure('BAD_REQUEST', `${path}: ${message}`, [{ path, message }]),
  });
  expect(await run('?parameters.rate=1&parameters.rate=2')).toEqual(
    told('parameters.rate', 'is given more than once'),
  );
  expect(await run('?parameters={"rate":1}')).toEqual(
    told('parameters', 'is written as parameters.<name>=<value>, one for each'),
  );
});

test('data access has no parameters: what it takes stands in the input', async () => {
  const { gateway, seen } = await start();
  await make(gateway, ORDER);
  const message = 'is no parameter of the template: what it takes stands in the input';
  expect(await gateway.call('POST', '/templates/order?parameters.id=7', { id: 7 })).toEqual({
    status: 400,
    body: failure('BAD_REQUEST', `parameters.id: ${message}`, [{ path: 'parameters.id', message }]),
  });
  expect(seen).toEqual([]);
});

test('a result that is too large is told without a stream, which a run does not have', async () => {
  const relay = {
    status: () => ({}),
    run(): never {
      throw told(
        Code.OutOfRange,
        'RESULT_TOO_LARGE',
        'The result is larger than 10 bytes; send Accept: application/x-ndjson',
      );
    },
  };
  const gateway = await startGateway('SuperAdmin', { relay });
  await insertEndpoint(gateway, 'orders');
  await make(gateway, ORDER);
  expect(await gateway.call('POST', '/templates/order', { id: 7 })).toEqual({
    status: 400,
    body: failure(
      'RESULT_TOO_LARGE',
      'The result is larger than 10 bytes; ask for less: a run has no stream',
    ),
  });
});

test('numbers that a double cannot hold come through', async () => {
  const gateway = await startGateway('Write');
  await make(gateway, { name: 'Move', transformationRules: [{ target: 'b', source: 'a' }] });
  const response = await gateway.send('/templates/move', {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${await gateway.token()}`,
      'Content-Type': 'application/json',
    },
    body: '{"a": 12345678901234567890.123456789}',
  });
  expect(await response.text()).toBe('{"b":12345678901234567890.123456789}');
});
