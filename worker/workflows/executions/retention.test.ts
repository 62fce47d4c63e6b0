/** How long an ended run is there, for all that shows it. Spec: workflows.md §1, `retention`; §6. */
import { env } from 'cloudflare:test';
import { eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../proto/json.ts';
import { organizations } from '../../db/schema.ts';
import { workflowRuns } from '../../db/workflows.ts';
import { failure, startGateway, type TestGateway } from '../../test/gateway.ts';
import { make } from '../test/definitions.ts';

const DAY_MS = 86_400_000;
const YES = { id: 'yes', type: 'condition', condition: 'true' };
const GONE = {
  status: 404,
  body: failure('RUN_NOT_FOUND', 'The workflow has no such run, or its retention has ended'),
};

async function start(): Promise<TestGateway> {
  const gateway = await startGateway('SuperAdmin');
  gateway.clock.now = Date.now();
  return gateway;
}

async function runOf(gateway: TestGateway, workflow: string): Promise<string> {
  const { body } = await gateway.call('POST', `/workflows/${workflow}?synchronous=true`, {});
  return (body as { run_id: string }).run_id;
}

test('past it a run is 404 on every way, and in no list; one that runs on is there', async () => {
  const gateway = await start();
  const wait = { id: 'w', type: 'wait', mode: 'callback' };
  const choose = { ...YES, condition: '$.input.waits === true', true: 'w', false: null };
  const executionSettings = { retention: 'PT1S' };
  await make(gateway, { name: 'Short', executionSettings, actions: [choose, wait] });
  const ended = await runOf(gateway, 'short');
  const { body } = await gateway.call('POST', '/workflows/short', { waits: true });
  const { run_id: open } = body as { run_id: string };
  const path = `/workflows/short/executions/${ended}`;
  expect(await gateway.call('GET', path)).toMatchObject({ status: 200 });
  await expect.poll(() => gateway.call('GET', path)).toEqual(GONE);
  gateway.clock.now = Date.now();
  const ways = [
    ...[`GET ${path}/actions`, `GET ${path}/events`, `GET ${path}/values/1`],
    ...[`GET ${path}/diff?with=${open}`, `POST ${path}/cancel`, `POST ${path}/retry`],
    `POST ${path}/fork`,
  ];
  for (const way of ways) {
    const [method = '', to = ''] = way.split(' ');
    const sent = to.endsWith('/fork') ? { from: 'yes' } : undefined;
    expect([way, await gateway.call(method, to, sent)]).toEqual([way, GONE]);
  }
  const listed = async () => {
    const { body: page } = await gateway.call('GET', '/workflows/short/executions');
    return (page as { executions: JsonObject[] }).executions.map(({ run_id: run }) => run);
  };
  await expect.poll(listed).toEqual([open]);
});

test.each([
  ["the organization's", {}, 3 * DAY_MS],
  ["the workflow's own, where it has one", { retention: 'PT12H' }, DAY_MS / 2],
])('it is %s', async (_whose, executionSettings, kept) => {
  const gateway = await start();
  const db = drizzle(env.DB);
  await db
    .update(organizations)
    .set({ settings: { dataRetentionDays: 3 } })
    .where(eq(organizations.uuid, gateway.organization.uuid));
  await make(gateway, { name: 'Kept', executionSettings, actions: [YES] });
  const run = await runOf(gateway, 'kept');
  const ms = async () => {
    const [row] = await db.select().from(workflowRuns).where(eq(workflowRuns.uuid, run));
    return (row?.expiresAt ?? 0) - (row?.endedAt ?? 0);
  };
  await expect.poll(ms).toBe(kept);
});

test('a run that its dead letter keeps is listed as long, also once it was redriven', async () => {
  const gateway = await start();
  const ask = { id: 'ask', type: 'humanTask', title: 'Go on?', assignees: { roles: ['Admin'] } };
  const deadLetterQueue = { enabled: true, retention: 'PT1H' };
  const executionSettings = { retention: 'PT2S' };
  const asks = { id: 'asks', name: 'Asks', executionSettings, errorHandler: { deadLetterQueue } };
  await make(gateway, { ...asks, actions: [ask] });
  const { body: started } = await gateway.call('POST', '/workflows/asks', {});
  const { run_id: run } = started as { run_id: string };
  const all = async (path: string, member: string) =>
    ((await gateway.call('GET', path)).body as Record<string, JsonObject[]>)[member] ?? [];
  const answer = async (how: JsonObject) => {
    const open = () => all('/tasks?status=open', 'tasks');
    await expect.poll(open).toHaveLength(1);
    const [task] = await open();
    const reply = await gateway.call('POST', `/tasks/${String(task?.id)}/complete`, how);
    expect(reply).toMatchObject({ status: 200 });
  };
  const listed = async () =>
    (await all('/workflows/asks/executions', 'executions')).map((each) => [
      each.run_id,
      each.status,
    ]);

  await answer({ reject: true });
  const letters = () => all('/workflows/asks/dead-letters', 'dead_letters');
  await expect.poll(letters).toHaveLength(1);
  await expect.poll(listed).toEqual([[run, 'failed']]);
  gateway.clock.now = Date.now() + 60_000;
  await expect.poll(listed).toEqual([[run, 'failed']]);

  gateway.clock.now = Date.now();
  const [letter] = await letters();
  await gateway.call('POST', `/workflows/asks/dead-letters/${String(letter?.id)}/redrive`);
  await answer({ form: {} });
  await expect.poll(listed).toEqual([[run, 'succeeded']]);
  gateway.clock.now = Date.now() + 60_000;
  expect(await listed()).toEqual([[run, 'succeeded']]);
  // Its object forgets it no sooner.
  await scheduler.wait(3_000);
  expect(await gateway.call('GET', `/workflows/asks/executions/${run}`)).toMatchObject({
    body: { status: 'succeeded' },
  });
  gateway.clock.now = Date.now() + 2 * 3_600_000;
  expect(await listed()).toEqual([]);
});
