/**
 * A run of many elements, small: `npm run bench -- workflow-scale` has a hundred thousand, and measures what
 * they cost. Spec: workflows.md §3, `loop`; §7.
 */
import { runInDurableObject } from 'cloudflare:test';
import { expect, test } from 'vitest';
import type { Shown } from '../executions/show.ts';
import { NodeRows } from './node-rows.ts';
import { PendingPaths } from './pending-paths.ts';
import { createTables } from './tables.ts';
import { startRunner } from './test/runner.ts';

const MANY = 1_000;
/** Some are large: they are referred to, the others copied. */
const ITEMS = Array.from({ length: MANY }, (_, at) => (at % 100 === 7 ? 'x'.repeat(30_000) : at));
const STEP = { id: 'step', type: 'template', template: 'echo', input: { n: '$.item' } };

test.each(['sequential', 'parallel'])(
  'a %s loop of many elements ends, with the output of each in order and on record',
  async (mode) => {
    const runner = await startRunner();
    const loop = { id: 'each', type: 'loop', mode, collection: '$.input.items', action: STEP };
    await runner.store('many', { actions: [loop] });
    const { run } = (await runner.start('many', { items: ITEMS }, {}, false)) as { run: string };
    await runner.until(run, 'succeeded');
    const { ref } = (await runner.shown(run)).record.output ?? { ref: 0 };
    const output = await runner.object(run).value(run, ref);
    expect(JSON.parse(output ?? '')).toEqual({ results: ITEMS.map((of) => ({ of })), count: MANY });
    const path = `each[${MANY - 1}].step`;
    const part = await runner.object(run).record(run, { after: 0, limit: 10, path });
    expect((JSON.parse(part ?? '') as Shown).actions).toMatchObject([
      { path, status: 'succeeded' },
    ]);
    // Nothing of the way there is kept besides the record.
    const left = await runInDurableObject(runner.object(run), (_object, { storage: { sql } }) =>
      ['results', 'dues', 'outbox'].map((table) => [...sql.exec(`SELECT 1 FROM ${table}`)].length),
    );
    expect(left).toEqual([0, 0, 0]);
  },
);

test.each(['after nothing', 'after one'])(
  'a graph of many actions %s ends, with each on record once',
  async (what) => {
    const runner = await startRunner();
    const actions = Array.from({ length: MANY }, (_, at) => ({
      ...{ id: `a${at}`, type: 'template', template: 'echo', input: { n: at } },
      after: what === 'after one' && at > 0 ? ['a0'] : [],
    }));
    await runner.store('wide', { actions });
    const { run } = (await runner.start('wide', {}, {}, false)) as { run: string };
    await runner.until(run, 'succeeded');
    const { actions: shown, record } = await runner.shown(run);
    const output = await runner.object(run).value(run, record.output?.ref ?? 0);
    const followed = what === 'after one' ? 1 : 0;
    const outputs = actions.slice(followed).map(({ id, input }) => [id, { of: input.n }]);
    expect(JSON.parse(output ?? '')).toEqual(Object.fromEntries(outputs));
    expect(shown.map(({ path, status }) => `${path} ${status}`)).toEqual(
      actions.map(({ id }) => `${id} succeeded`),
    );
  },
);

test('what a run has still to begin is written while the time of the run is not', async () => {
  const runner = await startRunner();
  const rows = await runInDurableObject(runner.object('any'), (_object, { storage: { sql } }) => {
    createTables(sql);
    const pending = new PendingPaths(sql, 7, false);
    pending.due(Date.now() + 3_600_000, '', 'deadline');
    pending.due(1, '', 'go');
    pending.writeDues(true);
    const kinds = () =>
      [...sql.exec<{ kind: string }>('SELECT kind FROM dues WHERE run = 7 ORDER BY kind')].map(
        ({ kind }) => kind,
      );
    const first = kinds();
    pending.writeDues(false);
    return [first, kinds()];
  });
  expect(rows).toEqual([['go'], ['deadline', 'go']]);
});

test('actions that are asked for together are read by one statement, those that are not there, too', async () => {
  const runner = await startRunner();
  const paths = Array.from({ length: MANY }, (_, at) => `a${at}`);
  const [found, statements] = await runInDurableObject(
    runner.object('any'),
    (_object, { storage: { sql } }) => {
      createTables(sql);
      for (const [at, path] of paths.slice(1).entries()) {
        sql.exec(
          "INSERT INTO nodes VALUES (7, ?, 0, '', 'ended', 'none', ?, 0, 0, ?)",
          ...[path, at, JSON.stringify({ path })],
        );
      }
      let count = 0;
      const exec = (query: string, ...bound: SqlStorageValue[]) => {
        count += 1;
        return sql.exec(query, ...bound);
      };
      // All that is asked of it here.
      const counted = { exec } as unknown as SqlStorage;
      const rows = new NodeRows(counted, { run: 7, seq: 0 }, false);
      rows.readAhead(paths);
      return [paths.map((path) => rows.node(path)?.path), count];
    },
  );
  expect(found).toEqual([undefined, ...paths.slice(1)]);
  expect(statements).toBe(1);
});

test('a run of many waits is cancelled whole, and retried whole', async () => {
  const runner = await startRunner();
  const actions = Array.from({ length: MANY }, (_, at) => ({
    ...{ id: `a${at}`, type: 'wait', mode: 'callback', after: [] },
  }));
  await runner.store('waits', { actions });
  const { run } = (await runner.start('waits', {}, {}, false)) as { run: string };
  const object = runner.object(run);
  const statuses = () =>
    runInDurableObject(object, (_object, { storage: { sql } }) => [
      ...sql
        .exec(
          "SELECT json_extract(body, '$.status') AS is_, count(*) AS count FROM nodes GROUP BY 1",
        )
        .raw(),
    ]);
  await expect.poll(statuses).toEqual([['waiting', MANY]]);
  expect(await object.cancel(run)).toMatchObject({ status: 'running' });
  await runner.until(run, 'cancelled');
  expect(await statuses()).toEqual([['cancelled', MANY]]);
  const { user, organization } = runner;
  const by = { caller: { userUuid: user.uuid, orgUuid: organization.uuid }, address: 'local' };
  await object.retry(run, JSON.stringify(by));
  await expect.poll(statuses).toEqual([['waiting', MANY]]);
  await runner.until(run, 'waiting');
});
