/** Runs that another version of the gateway wrote: read where they are of the same form, else left as they are. Spec: workflows.md §7. */
import { env, runInDurableObject } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { failure } from '../../test/gateway.ts';
import { Identity } from './identity.ts';
import { startRunner } from './test/runner.ts';

const ACTIONS = [{ id: 'a', type: 'template', template: 'echo', input: { n: '$.input.n' } }];

async function startWithRun() {
  const runner = await startRunner();
  await runner.store('one', { actions: ACTIONS });
  const { run } = (await runner.start('one', { n: 1 })) as { run: string };
  return { run, object: runner.object(run) };
}

/** Opens what an object keeps as after a restart; answers the format that is kept then. */
function opened(object: DurableObjectStub, change: string) {
  return runInDurableObject(object, async (_object, { storage: { sql }, id }) => {
    sql.exec(change);
    const said = await new Identity(sql, env, id.name ?? '').open().catch(String);
    const [row] = sql.exec("SELECT CAST(value AS TEXT) AS format FROM meta WHERE name = 'format'");
    return [said, row?.format];
  });
}

test.each([
  ['of this form', 'SELECT 1'],
  ['of format 1, without its number', "DELETE FROM meta WHERE name = 'format'"],
  ['of format 1', "UPDATE meta SET value = CAST('1' AS BLOB) WHERE name = 'format'"],
])('%s are read, and get the number', async (_, change) => {
  const { object } = await startWithRun();
  expect(await opened(object, change)).toEqual([true, '2']);
});

test('of a later form are refused, and left as they are', async () => {
  const { object } = await startWithRun();
  const later = "UPDATE meta SET value = CAST('3' AS BLOB) WHERE name = 'format'";
  expect(await opened(object, later)).toEqual([
    'Error: What is kept of workflow runs is in format 3, and this version reads format 2: start that or a later version',
    '3',
  ]);
});

test('of an earlier form are refused with a reply that says so', async () => {
  const runner = await startRunner();
  const workflow = { id: 'one', name: 'One', actions: ACTIONS };
  expect((await runner.call('POST', '/workflows', workflow)).status).toBe(200);
  const { uuid } = runner.organization;
  for (const shard of [0, 1, 2, 3]) {
    const object = env.WORKFLOW_RUNS.getByName(`${uuid}:${shard}`);
    await runInDurableObject(object, (_object, { storage: { sql } }) => {
      // Values had another table then.
      sql.exec('CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL)');
      sql.exec('CREATE TABLE vals (ref INTEGER PRIMARY KEY, run INTEGER NOT NULL, bytes BLOB)');
    });
    // The clock leaves them.
    await object.wake();
  }
  const message =
    'What is kept of workflow runs is in format 0, and this version reads format 2: start the version that wrote it';
  const reply = await runner.call('POST', '/workflows/one?synchronous=true', { n: 1 });
  expect(reply).toEqual({ status: 503, body: failure('SERVICE_UNAVAILABLE', message) });
});
