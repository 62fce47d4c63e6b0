/** Asynchronous runs: begun once, told to who may hear it, for a day. */
import { env, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { describe, expect, test } from 'vitest';
import { GREETING, make } from '../templates/test/definitions.ts';
import { failure, startGateway, type TestGateway } from '../test/gateway.ts';
import type { TemplateRun } from './run.ts';

const UUID = /^[0-9a-f-]{36}$/;

async function begin(gateway: TestGateway, path = '/templates/greeting?async=true') {
  const { status, body } = await gateway.call('POST', path, { name: 'Ada' });
  const { run_id: id } = body as { run_id: string };
  expect({ status, body }).toEqual({
    status: 202,
    body: {
      run_id: expect.stringMatching(UUID),
      status: 'running',
      location: `/api/v1/templates/greeting/runs/${id}`,
    },
  });
  const object = env.TEMPLATE_RUNS.getByName(`${gateway.organization.uuid}:${id}`);
  return { id, object };
}

/** A gateway on the clock of the object, which nobody moves. */
async function start() {
  const gateway = await startGateway('Write');
  gateway.clock.now = Date.now();
  await make(gateway, GREETING);
  return gateway;
}

async function ended(object: DurableObjectStub<TemplateRun>): Promise<void> {
  await runDurableObjectAlarm(object);
}

describe('an asynchronous run', () => {
  test('answers 202, and its outcome when it is asked for', async () => {
    const gateway = await start();
    const { id, object } = await begin(gateway);
    await ended(object);
    expect(await gateway.call('GET', `/templates/greeting/runs/${id}`)).toEqual({
      status: 200,
      body: {
        run_id: id,
        status: 'succeeded',
        output: { hello: 'Ada' },
        started: expect.any(String),
        ended: expect.any(String),
      },
    });
  });

  test('follows Prefer: respond-async, and says so', async () => {
    const gateway = await start();
    const response = await gateway.send('/templates/greeting', {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${await gateway.token()}`,
        'Content-Type': 'application/json',
        Prefer: 'wait=5, respond-async',
      },
      body: '{}',
    });
    expect(response.status).toBe(202);
    expect(response.headers.get('Preference-Applied')).toBe('respond-async');
    expect(response.headers.get('Location')).toContain('/api/v1/templates/greeting/runs/');
  });

  test('that failed tells the error', async () => {
    const gateway = await start();
    await gateway.call('PATCH', '/templates/greeting', { inputSchema: { required: ['age'] } });
    const { id, object } = await begin(gateway);
    await ended(object);
    const { body } = await gateway.call('GET', `/templates/greeting/runs/${id}`);
    expect(body).toMatchObject({ status: 'failed', error: { code: 'BAD_REQUEST' } });
  });

  test('is told to who started it and to Admin, and to nobody else', async () => {
    const gateway = await start();
    const { id, object } = await begin(gateway);
    await ended(object);
    const as = async (level: 'Write' | 'Admin') => {
      const bearer = await gateway.token(await gateway.addUser(level));
      return gateway.call('GET', `/templates/greeting/runs/${id}`, undefined, bearer);
    };
    expect((await as('Admin')).status).toBe(200);
    expect(await as('Write')).toEqual({
      status: 404,
      body: failure(
        'RUN_NOT_FOUND',
        'There is no such run: it may have ended more than 24 hours ago',
      ),
    });
    const other = await start();
    expect((await other.call('GET', `/templates/greeting/runs/${id}`)).status).toBe(404);
  });

  test('is gone a day after its end', async () => {
    const gateway = await start();
    const { id, object } = await begin(gateway);
    await ended(object);
    gateway.clock.now += 24 * 3600 * 1000 + 60_000;
    expect((await gateway.call('GET', `/templates/greeting/runs/${id}`)).status).toBe(404);
    await ended(object);
    await runInDurableObject(object, async (_run, { storage }) => {
      expect((await storage.list()).size).toBe(0);
    });
  });

  test('that was cut short is not begun again', async () => {
    const gateway = await start();
    const { id, object } = await begin(gateway);
    await runInDurableObject(object, async (_run, { storage }) => {
      const state = (await storage.get<{ owner: object; at: string }>('state')) ?? {};
      await storage.put('state', { ...state, at: 'begun' });
    });
    await ended(object);
    const { body } = await gateway.call('GET', `/templates/greeting/runs/${id}`);
    expect(body).toMatchObject({ status: 'failed', error: { code: 'OUTCOME_UNKNOWN' } });
  });
});
