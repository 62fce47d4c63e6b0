/** Runs that wait for others, while the number that may run at a time changes. Spec: workflows.md §1, `maxConcurrency`. */
import { runInDurableObject } from 'cloudflare:test';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../proto/json.ts';
import { startGateway, type TestGateway } from '../../test/gateway.ts';
import { make } from '../test/definitions.ts';
import { enterGate, leaveGate, tellLetIn } from './gates.ts';
import type { Keeper } from './keeper.ts';
import type { Reachable } from './reachable.ts';
import { createTables } from './tables.ts';
import { startRunner } from './test/runner.ts';

const actions = [
  { id: 'made', type: 'condition', condition: 'true', true: 'w' },
  { id: 'w', type: 'wait', mode: 'callback' },
];

describe('runs that wait at a gate', () => {
  let gateway: TestGateway;
  const start = async (query = '') =>
    String(((await gateway.call('POST', `/workflows/flow${query}`, {})).body as JsonObject).run_id);
  const statuses = (runs: readonly string[]) => Promise.all(runs.map(statusOf));
  const statusOf = async (run: string) => {
    const { body } = await gateway.call('GET', `/workflows/flow/executions/${run}`);
    return (body as JsonObject).status;
  };
  const allow = (maxConcurrency: number, more: JsonObject = {}) =>
    gateway.call('PATCH', '/workflows/flow', { executionSettings: { maxConcurrency }, ...more });
  const cancel = (run = '') => gateway.call('POST', `/workflows/flow/executions/${run}/cancel`);

  beforeEach(async () => {
    gateway = await startGateway('SuperAdmin');
    gateway.clock.now = Date.now();
    await make(gateway, {
      ...{ id: 'flow', name: 'Flow', actions, version: '1.0.0' },
      executionSettings: { maxConcurrency: 1 },
    });
  });

  describe('where a start brings a larger number', () => {
    test('those that wait begin first, as many as it lets in', async () => {
      const runs = [await start(), await start(), await start()];
      await expect.poll(() => statuses(runs)).toEqual(['waiting', 'queued', 'queued']);
      await allow(2);
      runs.push(await start());
      await expect.poll(() => statuses(runs)).toEqual(['waiting', 'waiting', 'queued', 'queued']);
      await cancel(runs[1]);
      await expect
        .poll(() => statuses(runs))
        .toEqual(['waiting', 'cancelled', 'waiting', 'queued']);
      await cancel(runs[0]);
      await cancel(runs[2]);
      await expect
        .poll(() => statuses(runs))
        .toEqual(['cancelled', 'cancelled', 'cancelled', 'waiting']);
    });

    test('by a version of its own, too, and the new one with them', async () => {
      const runs = [await start(), await start()];
      await expect.poll(() => statuses(runs)).toEqual(['waiting', 'queued']);
      await allow(3, { version: '1.1.0' });
      runs.push(await start('?version=1.1.0'));
      await expect.poll(() => statuses(runs)).toEqual(['waiting', 'waiting', 'waiting']);
    });
  });

  describe('a run that goes on', () => {
    const post = async (path: string, body?: JsonObject) =>
      (await gateway.call('POST', `/workflows/flow/executions/${path}`, body)).body as JsonObject;

    test('waits until it is its turn, and keeps what it has', async () => {
      const cancelled = await start();
      await expect.poll(() => statuses([cancelled])).toEqual(['waiting']);
      await cancel(cancelled);
      const [inside, next] = [await start(), await start()];
      await expect.poll(() => statuses([inside, next])).toEqual(['waiting', 'queued']);
      expect(await post(`${cancelled}/retry`)).toMatchObject({
        run_id: cancelled,
        status: 'queued',
      });
      const runs = [inside, next, cancelled];
      await cancel(inside);
      await expect.poll(() => statuses(runs)).toEqual(['cancelled', 'waiting', 'queued']);
      await cancel(next);
      await expect.poll(() => statuses(runs)).toEqual(['cancelled', 'cancelled', 'waiting']);
      const { body } = await gateway.call('GET', `/workflows/flow/executions/${cancelled}`);
      expect((body as JsonObject).actions).toMatchObject([
        { path: 'made', status: 'succeeded', attempts: [{}] },
        { path: 'w', status: 'waiting' },
      ]);
    });

    test('begins where it had not begun, a fork after what it keeps', async () => {
      const first = await start();
      await expect.poll(() => statuses([first])).toEqual(['waiting']);
      const fork = String((await post(`${first}/fork`, { from: 'w' })).run_id);
      const other = await start();
      for (const run of [fork, other]) {
        await cancel(run);
        expect(await post(`${run}/retry`)).toMatchObject({ status: 'queued' });
      }
      await cancel(first);
      await expect.poll(() => statuses([fork, other])).toEqual(['waiting', 'queued']);
      await cancel(fork);
      await expect.poll(() => statuses([fork, other])).toEqual(['cancelled', 'waiting']);
    });

    test('leaves the number as runs that began later brought it', async () => {
      const old = await start();
      await cancel(old);
      await allow(2);
      const runs = [await start(), await start(), old];
      await post(`${old}/retry`);
      await expect.poll(() => statuses(runs)).toEqual(['waiting', 'waiting', 'queued']);
      await cancel(runs[0]);
      await expect.poll(() => statuses(runs)).toEqual(['cancelled', 'waiting', 'waiting']);
    });
  });
});

type Act =
  | { readonly max: number; readonly twice: boolean; readonly isAgain: boolean }
  | { readonly leaves: number };

/** Runs at a gate, and how many it lets in: those that came first. */
class Model {
  most = 0;
  #came: { readonly run: string; readonly isInside: boolean }[] = [];

  get inside(): string[] {
    return this.#came.filter(({ isInside }) => isInside).map(({ run }) => run);
  }

  enter(run: string, max: number, isAgain: boolean): void {
    if (!isAgain || this.#came.length === 0) this.most = max;
    this.#came.push({ run, isInside: false });
    this.#admit();
  }

  /** Takes one out; undefined where there is none. */
  leave(nth: number): string | undefined {
    const [left] = this.#came.splice(nth % Math.max(this.#came.length, 1), 1);
    this.#admit();
    return left?.run;
  }

  #admit(): void {
    let room = this.most - this.inside.length;
    this.#came = this.#came.map((each) => {
      if (each.isInside || room <= 0) return each;
      room -= 1;
      return { ...each, isInside: true };
    });
  }
}

function play(keeper: Keeper, model: Model, act: Act, at: number): void {
  if ('leaves' in act) {
    const left = model.leave(act.leaves);
    if (left !== undefined) leaveGate(keeper, 'gate', model.most, left);
    return;
  }
  const run = `run ${at}`;
  const { max, isAgain } = act;
  model.enter(run, max, isAgain);
  enterGate(keeper, 'gate', isAgain ? { max, isAgain } : { max }, run);
  // One that asks twice brings no other number.
  if (act.twice) enterGate(keeper, 'gate', { max: 9 }, run);
}

const acts = fc.array(
  fc.oneof(
    fc.record({
      max: fc.integer({ min: 1, max: 4 }),
      twice: fc.boolean(),
      isAgain: fc.boolean(),
    }),
    fc.record({ leaves: fc.nat() }),
  ),
  { maxLength: 30 },
);

test('whoever enters and leaves, in any order: the first are inside, as many as the latest number says', async () => {
  const runner = await startRunner();
  await runInDurableObject(runner.object('any'), (_object, { storage: { sql } }) => {
    createTables(sql);
    const keeper = { sql } as Keeper; // All that a gate uses.
    const inside = () => {
      const rows = sql.exec('SELECT run FROM gates WHERE inside != 0 ORDER BY id').toArray();
      return rows.map(({ run }) => run);
    };
    const holds = (all: readonly Act[]) => {
      sql.exec('DELETE FROM gates; DELETE FROM gate_limits');
      const model = new Model();
      for (const [at, act] of all.entries()) {
        play(keeper, model, act, at);
        expect(inside()).toEqual(model.inside);
      }
      for (const at of all.keys()) play(keeper, model, { leaves: 0 }, at);
      expect(sql.exec('SELECT name FROM gate_limits').toArray()).toEqual([]);
    };
    fc.assert(fc.property(acts, holds), { numRuns: 300 });
  });
});

test('a run that was let in and not told, as after a crash, is told by what comes next', async () => {
  const runner = await startRunner();
  await runner.store('flow', { executionSettings: { maxConcurrency: 2 }, actions });
  const begun = async () => ((await runner.start('flow', {}, {}, false)) as { run: string }).run;
  const runs = [await begun(), await begun(), await begun()];
  for (const run of runs.slice(0, 2)) await runner.until(run, 'waiting');
  const untold = runs[2] ?? '';
  const { gate } = (await runner.shown(untold)).record.head;
  await runInDurableObject(runner.object(gate?.name ?? ''), (_object, { storage: { sql } }) => {
    sql.exec('UPDATE gates SET inside = 2 WHERE run = ?', untold);
  });
  expect((await runner.shown(untold)).record.status).toBe('queued');
  await begun();
  await runner.until(untold, 'waiting');
});

test('a run that leaves while others are told, and comes again to wait, is not told', async () => {
  const runner = await startRunner();
  await runInDurableObject(runner.object('any'), async (_object, { storage: { sql } }) => {
    createTables(sql);
    const keeper = { sql, owner: { orgUuid: 'o' } } as Keeper; // All that a gate uses.
    for (const run of ['a', 'b', 'c']) enterGate(keeper, 'gate', { max: 1 }, run);
    enterGate(keeper, 'gate', { max: 3 }, 'd');
    const told: string[] = [];
    const released = async (run: string) => {
      told.push(run);
      if (run !== 'b') return;
      leaveGate(keeper, 'gate', 3, 'c');
      enterGate(keeper, 'gate', { max: 3, isAgain: true }, 'c');
    };
    const env = { WORKFLOW_RUNS: { getByName: () => ({ released }) } };
    await tellLetIn({ env, driver: { keeper } } as unknown as Reachable, 'gate'); // All that it uses.
    expect(told).toEqual(['b']);
  });
});
