/** Runs of an organization whose storage is used up. Contract §5, "Quotas"; Spec: workflows.md §6. */
import { env, runInDurableObject } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { settingsOf } from '../../settings.ts';
import { failure, startGateway, type TestGateway } from '../../test/gateway.ts';
import { make } from '../test/definitions.ts';
import { objectNamesOf } from './names.ts';
import { runsObject } from './reachable.ts';
import { callbackToken } from './test/callbacks.ts';

const ECHO = { id: 'a', type: 'template', template: 'echo', input: { n: '$.input.n' } };
/** More than an object holds ahead. */
const MORE = { ...ECHO, input: { n: '$.input.n.repeat(4)' } };
const WAIT = { id: 'wait', type: 'wait', mode: 'callback', next: 'a' };
const FULL = "The organization's storage is used up";

async function start(): Promise<TestGateway> {
  const gateway = await startGateway('SuperAdmin');
  gateway.clock.now = Date.now();
  await gateway.call('POST', '/templates', {
    id: 'echo',
    name: 'Echo',
    transformationRules: [{ target: 'of', source: 'n' }],
  });
  await make(gateway, { name: 'Echoes', actions: [ECHO] });
  await make(gateway, { name: 'Waits', actions: [WAIT, MORE] });
  return gateway;
}

/** Something else of the organization takes all of it. */
async function fill({ organization }: TestGateway): Promise<void> {
  await env.DB.prepare('insert into storage_holdings values (?, ?, ?, ?)')
    .bind(organization.uuid, 'other', 'somebody', settingsOf(env).QUOTAS.storage)
    .run();
}

async function free({ organization }: TestGateway): Promise<void> {
  await env.DB.prepare("delete from storage_holdings where org_uuid = ? and holder = 'other'")
    .bind(organization.uuid)
    .run();
}

test('are not started, and leave nothing; with room again they are', async () => {
  const gateway = await start();
  await fill(gateway);
  const refused = { status: 403, body: failure('QUOTA_EXCEEDED', FULL) };
  for (const query of ['', '?synchronous=true']) {
    // More than an object may take without asking.
    const input = { n: 'x'.repeat(512 * 1024) };
    expect(await gateway.call('POST', `/workflows/echoes${query}`, input)).toEqual(refused);
  }
  const kept = objectNamesOf(gateway.organization.uuid).map((name) =>
    runInDurableObject(env.WORKFLOW_RUNS.getByName(name), (_object, { storage: { sql } }) => {
      const [made] = sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'runs'").toArray();
      return made ? sql.exec('SELECT id FROM runs').toArray() : [];
    }),
  );
  expect((await Promise.all(kept)).flat()).toEqual([]);
  expect(await gateway.call('GET', '/workflows/echoes/executions')).toEqual({
    status: 200,
    body: { executions: [] },
  });
  await free(gateway);
  const path = '/workflows/echoes?synchronous=true';
  expect(await gateway.call('POST', path, { n: 1 })).toMatchObject({
    status: 200,
    body: { status: 'succeeded' },
  });
});

test('that are under way fail with it at the next call, and can be cancelled before', async () => {
  const gateway = await start();
  const begin = async () => {
    const { body } = await gateway.call('POST', '/workflows/waits', { n: 'x'.repeat(512 * 1024) });
    return (body as { run_id: string }).run_id;
  };
  const [goesOn, cancelled] = [await begin(), await begin()];
  const shown = async (run: string) =>
    (await gateway.call('GET', `/workflows/waits/executions/${run}`)).body;
  for (const run of [goesOn, cancelled]) {
    await expect.poll(() => shown(run)).toMatchObject({ status: 'waiting' });
  }
  await fill(gateway);
  const cancel = `/workflows/waits/executions/${cancelled}/cancel`;
  expect(await gateway.call('POST', cancel)).toMatchObject({ status: 202 });
  expect(await shown(cancelled)).toMatchObject({ status: 'cancelled' });
  const token = await callbackToken(gateway, goesOn, 'wait');
  const object = runsObject(env, gateway.organization.uuid, goesOn);
  expect(await object.callBack(token, goesOn, 'wait', '{}')).toBe(true);
  const error = { code: 'QUOTA_EXCEEDED', message: FULL, action: 'a' };
  await expect.poll(() => shown(goesOn)).toMatchObject({ status: 'failed', error });
});
