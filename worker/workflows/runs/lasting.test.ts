/** What outlasts an action or a run, and how long: kept outputs, retention, the index. Spec: workflows.md §1, §4, §7. */
import { env } from 'cloudflare:test';
import { eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { describe, expect, test } from 'vitest';
import { forgetAll } from '../../access/policy.ts';
import { endpoints } from '../../db/schema.ts';
import { workflowTasks } from '../../db/tasks.ts';
import { workflowDeadLetters, workflowRuns } from '../../db/workflows.ts';
import { insertEndpoint } from '../../test/gateway.ts';
import { digestNow } from './digest.ts';
import { startRunner } from './test/runner.ts';

const call = (id: string, template = 'echo') => ({
  ...{ id, type: 'template', template, input: { n: '$.input.n' } },
});

describe('a run', () => {
  test('gets no output of a key from an endpoint that it may not use', async () => {
    const runner = await startRunner();
    await insertEndpoint(runner, 'orders');
    const load = { id: 'a', type: 'endpoint', endpoint: 'orders', operation: 'read' };
    const keyed = { ...load, idempotencyKey: '$.input.key', input: { query: 'select 1' } };
    await runner.store('load', { actions: [keyed] });
    const { run: first } = (await runner.start('load', { key: 'other' })) as { run: string };
    const { orgUuid, orgId, sealedDataKey, workflow } = (await runner.shown(first)).record.head;
    const owner = { orgUuid, orgId, sealedDataKey };
    const name = digestNow(JSON.stringify([orgUuid, workflow.uuid, 'a', '"k"']));
    await runner.object(name).claim(owner, name, first, 'a');
    await runner.object(name).settle(owner, name, first, 'a', 'done', '{"n":1}');
    await drizzle(env.DB).delete(endpoints).where(eq(endpoints.orgUuid, orgUuid));
    forgetAll();
    const { run: second } = (await runner.start('load', { key: 'k' })) as { run: string };
    const { record } = await runner.shown(second);
    expect(record).toMatchObject({
      status: 'failed',
      error: { text: expect.stringContaining('ENDPOINT_NOT_FOUND') },
    });
  });

  test('is gone from its object and the index once its retention is over', async () => {
    const runner = await startRunner();
    await runner.store('short', {
      actions: [call('a')],
      executionSettings: { retention: 'PT0.5S' },
    });
    const { run } = (await runner.start('short', { n: 1 })) as { run: string };
    await runner.object(run).index();
    const indexed = () =>
      drizzle(env.DB).select().from(workflowRuns).where(eq(workflowRuns.uuid, run));
    expect(await indexed()).toHaveLength(1);
    const kept = async () =>
      (await runner.object(run).record(run, { after: 0, limit: 1 })) ?? 'gone';
    await expect.poll(kept, { timeout: 20_000 }).toBe('gone');
    expect(await indexed()).toEqual([]);
  });

  test('is written to the index again when that is lost, with its open task and its dead letter', async () => {
    const runner = await startRunner();
    const ask = { id: 'ask', type: 'humanTask', title: 'Ask', assignees: { roles: ['Write'] } };
    await runner.store('asks', { actions: [ask] });
    await runner.store('fails', {
      actions: [call('a', 'nowhere')],
      errorHandler: { deadLetterQueue: { enabled: true } },
    });
    const { run: asks } = (await runner.start('asks', {}, {}, false)) as { run: string };
    const { run: fails } = (await runner.start('fails', { n: 1 })) as { run: string };
    const db = drizzle(env.DB);
    const found = async () => {
      const { orgUuid } = (await runner.shown(asks)).record.head;
      const of = async (
        table: typeof workflowRuns | typeof workflowTasks | typeof workflowDeadLetters,
      ) =>
        (await db.select({ org: table.orgUuid }).from(table).where(eq(table.orgUuid, orgUuid)))
          .length;
      return [await of(workflowRuns), await of(workflowTasks), await of(workflowDeadLetters)];
    };
    for (const run of [asks, fails]) await runner.object(run).index();
    await expect.poll(found).toEqual([2, 1, 1]);
    const { orgUuid } = (await runner.shown(asks)).record.head;
    await db.delete(workflowRuns).where(eq(workflowRuns.orgUuid, orgUuid));
    await db.delete(workflowTasks).where(eq(workflowTasks.orgUuid, orgUuid));
    await db.delete(workflowDeadLetters).where(eq(workflowDeadLetters.orgUuid, orgUuid));
    for (const run of [asks, fails]) await runner.object(run).remakeIndex();
    await expect.poll(found).toEqual([2, 1, 1]);
  });
});
