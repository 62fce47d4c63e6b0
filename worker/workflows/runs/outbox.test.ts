/** What runs have to do outside, when the clock has been put back since it was tried. Spec: workflows.md §5, §7. */
import { env, runInDurableObject } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { objectNameOf } from './names.ts';
import { startRunner } from './test/runner.ts';

/** A run that waits for an event, of which its object has still to tell the log of events, at a time of its own. */
async function startUntold(fromNowMs: number) {
  const runner = await startRunner();
  const wait = { id: 'w', type: 'wait', eventSource: 'shop', eventPattern: 'paid' };
  await runner.store('waits', { actions: [wait] });
  const { run } = (await runner.start('waits', {}, {}, false)) as { run: string };
  await runner.until(run, 'waiting');
  const { orgUuid, orgId, sealedDataKey } = (await runner.shown(run)).record.head;
  const owner = { orgUuid, orgId, sealedDataKey };
  const events = env.ORGANIZATION_EVENTS.getByName(orgUuid);
  const object = env.WORKFLOW_RUNS.getByName(objectNameOf(orgUuid, run));
  const left = () =>
    runInDurableObject(object, (_, { storage }) =>
      storage.sql.exec<{ tries: number }>('SELECT tries FROM outbox').toArray(),
    );
  await expect.poll(left).toEqual([]);
  await events.unlisten(run, 'w');
  const effect = { do: 'listen', path: 'w', source: 'shop', pattern: 'paid' };
  await runInDurableObject(object, (_, { storage }) =>
    storage.sql.exec(
      'INSERT INTO outbox (run, body, tries, at) SELECT run, ?, 1, ? FROM runs WHERE id = ?',
      JSON.stringify(effect),
      Date.now() + fromNowMs,
      run,
    ),
  );
  return { ...runner, run, events, owner, object, left };
}

test('what is to be tried again is tried at once where the clock was put back an hour', async () => {
  const runner = await startUntold(3_600_000);
  const { run, events, owner, object, left } = runner;
  await object.wake();
  await expect.poll(left).toEqual([]);
  const time = new Date().toISOString();
  await events.append(owner, [{ source: 'shop', event: 'paid', id: 'e', time, data: '{}' }]);
  await runner.until(run, 'succeeded');
});

test('what is to be tried again waits for its time where the clock goes right', async () => {
  const { object, left } = await startUntold(30_000);
  await object.wake();
  await scheduler.wait(300);
  expect(await left()).toEqual([{ tries: 1 }]);
});
