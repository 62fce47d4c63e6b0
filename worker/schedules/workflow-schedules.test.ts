/** Schedules in their object: ticks on time, missed, overlapping; the clock is the test's. Spec: workflows.md §5, `schedule`. */
import { env, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Json, JsonObject } from '../../proto/json.ts';
import { startGateway } from '../test/gateway.ts';
import { objectNamesOf } from '../workflows/runs/names.ts';
import { make } from '../workflows/test/definitions.ts';
import type { WorkflowSchedules } from './workflow-schedules.ts';

const MINUTE_MS = 60_000;
/** A full hour that is to come: what the runtime itself plans then does not come while the test runs. */
const START = Math.ceil(Date.now() / 3_600_000) * 3_600_000 + 24 * 3_600_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.setSystemTime(START);
});
afterEach(() => {
  vi.useRealTimers();
});

async function start() {
  const gateway = await startGateway('SuperAdmin');
  gateway.clock.now = START;
  const orgUuid = gateway.organization.uuid;
  // Made again each time: a stub of an object that is gone stays broken.
  const object = () => env.WORKFLOW_SCHEDULES.getByName(orgUuid);
  const runsOf = async (workflow: string) => {
    await Promise.all(
      objectNamesOf(orgUuid).map((name) => env.WORKFLOW_RUNS.getByName(name).index()),
    );
    const { body } = await gateway.call('GET', `/workflows/${workflow}/executions`);
    return (body as unknown as { executions: Run[] }).executions.toReversed();
  };
  return {
    ...gateway,
    object,
    store: (id: string, trigger: JsonObject, more: JsonObject = {}) =>
      make(gateway, { id, name: id, trigger: { type: 'schedule', ...trigger }, ...QUICK, ...more }),
    /** Puts the clock so many milliseconds from the start, and lets the object see to it. */
    async at(ms: number): Promise<void> {
      vi.setSystemTime(START + ms);
      gateway.clock.now = START + ms;
      await runDurableObjectAlarm(object());
      await runInDurableObject(object(), (instance: WorkflowSchedules) => instance.idle());
    },
    /** The object is made again, as after a crash. */
    async away(): Promise<void> {
      await runInDurableObject(object(), async (_, state) => state.abort('away')).catch(
        () => undefined,
      );
    },
    runsOf,
    /** Ticks that runs were started for, in minutes from the start. */
    ticks: async (workflow: string) =>
      (await runsOf(workflow))
        .map(({ trigger }) => (Date.parse(String(trigger.id)) - START) / MINUTE_MS)
        .sort((one, other) => one - other),
    async output(workflow: string, run: string): Promise<Json> {
      const { body } = await gateway.call('GET', `/workflows/${workflow}/executions/${run}`);
      return (body as { output: Json }).output;
    },
  };
}

interface Run {
  readonly run_id: string;
  readonly status: string;
  readonly trigger: JsonObject;
}

/** Ends at once. */
const QUICK = { actions: [{ id: 'done', type: 'condition', condition: 'true' }] };
const WAITS = { actions: [{ id: 'wait', type: 'wait', mode: 'callback' }] };
const EVERY = { schedule: '* * * * *' };

describe('a schedule', () => {
  test('starts one run for each tick, with its input', async () => {
    const { store, at, ticks, runsOf, output } = await start();
    await store(
      'each',
      {
        schedule: '*/2 * * * *',
        timezone: 'Asia/Kolkata',
        input: { at: '$.trigger.tick.time', n: 1 },
      },
      { output: { input: '$.input', trigger: '$.trigger' } },
    );
    await at(119_000);
    expect(await ticks('each')).toEqual([]);
    await at(120_010);
    await at(121_000);
    expect(await ticks('each')).toEqual([2]);
    await at(240_000);
    expect(await ticks('each')).toEqual([2, 4]);
    const [run] = await runsOf('each');
    const time = new Date(START + 120_000).toISOString();
    expect(run?.trigger).toEqual({ type: 'schedule', index: 0, id: time });
    expect(await output('each', run?.run_id ?? '')).toEqual({
      input: { at: time, n: 1 },
      trigger: {
        ...{ type: 'schedule', index: 0, id: time, time },
        tick: { time, schedule: '*/2 * * * *', timezone: 'Asia/Kolkata', missed: false },
      },
    });
  });

  test.each([
    ['once', [4]],
    ['all', [1, 2, 3, 4]],
    ['skip', []],
  ])('of which ticks were missed runs %s', async (missed, expected) => {
    const { store, at, away, ticks, call, runsOf, output } = await start();
    await store(
      'listens',
      {},
      {
        trigger: { type: 'event', source: 'causeway', event: 'schedule.missed' },
        output: '$.input',
      },
    );
    await store('misses', { ...EVERY, missed });
    await away();
    await at(4 * MINUTE_MS + 30_000);
    expect(await ticks('misses')).toEqual(expected);
    await at(5 * MINUTE_MS);
    expect(await ticks('misses')).toEqual([...expected, 5]);
    await expect.poll(async () => (await runsOf('listens')).length).toBe(1);
    const [told] = await runsOf('listens');
    await call('GET', '/workflows/listens');
    expect(await output('listens', told?.run_id ?? '')).toEqual({
      ...{ workflow: 'misses', trigger: 0, missed },
      first: new Date(START + MINUTE_MS).toISOString(),
      last: new Date(START + 4 * MINUTE_MS).toISOString(),
    });
  });

  test.each([
    ['allow', ['waiting', 'waiting', 'waiting'], ['waiting', 'waiting', 'cancelled']],
    ['skip', ['waiting'], ['cancelled']],
    ['queue', ['waiting'], ['cancelled', 'waiting']],
  ])('whose runs overlap does as told: %s', async (overlap, standing, after) => {
    const { store, at, call, runsOf, ticks } = await start();
    await store('slow', { ...EVERY, overlap }, WAITS);
    for (const minute of [1, 2, 3]) await at(minute * MINUTE_MS);
    const runs = await runsOf('slow');
    expect(runs.map(({ status }) => status)).toEqual(standing);
    const [first] = runs;
    await call('POST', `/workflows/slow/executions/${first?.run_id}/cancel`);
    const now = async () => (await runsOf('slow')).map(({ status }) => status).sort();
    await expect.poll(now).toEqual([...after].sort());
    if (overlap === 'queue') expect(await ticks('slow')).toEqual([1, 2]);
    if (overlap !== 'skip') return;
    await at(4 * MINUTE_MS);
    expect(await ticks('slow')).toEqual([1, 4]);
  });

  test('neither loses nor repeats a tick where the clock jumps by an hour', async () => {
    const { store, at, away, ticks } = await start();
    await store('jumps', { ...EVERY, missed: 'all' });
    await at(MINUTE_MS);
    await at(61 * MINUTE_MS);
    const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);
    expect(await ticks('jumps')).toEqual(upTo(61));
    await at(2 * MINUTE_MS);
    await away();
    for (const minute of [3, 30, 61]) await at(minute * MINUTE_MS);
    expect(await ticks('jumps')).toEqual(upTo(61));
    await at(62 * MINUTE_MS);
    expect(await ticks('jumps')).toEqual(upTo(62));
  });

  test('that is new after the clock was put back has missed nothing', async () => {
    const { store, at, ticks } = await start();
    await store('before', EVERY);
    await at(-60 * MINUTE_MS);
    await store('after', { ...EVERY, missed: 'skip' });
    for (const minute of [-59, -58]) await at(minute * MINUTE_MS);
    expect(await ticks('after')).toEqual([-59, -58]);
  });

  test('that is paused misses nothing, and one that is deleted or changed does not tick as before', async () => {
    const { store, at, call, ticks, object } = await start();
    const { uuid } = (await call('GET', `/workflows/${await store('pauses', EVERY)}`)).body as {
      uuid: string;
    };
    await call('PATCH', '/workflows/pauses', { status: 'paused' });
    expect(await object().scheduleStates(uuid)).toEqual([{ index: 0, state: 'paused' }]);
    await at(2 * MINUTE_MS);
    await call('PATCH', '/workflows/pauses', { status: 'active' });
    await at(3 * MINUTE_MS);
    expect(await ticks('pauses')).toEqual([3]);
    expect(await object().scheduleStates(uuid)).toEqual([
      { index: 0, state: 'active', last: START + 3 * MINUTE_MS, next: START + 4 * MINUTE_MS },
    ]);
    const trigger = { type: 'schedule', schedule: '*/10 * * * *' };
    await call('PATCH', '/workflows/pauses', { trigger });
    await at(5 * MINUTE_MS);
    await at(10 * MINUTE_MS);
    expect(await ticks('pauses')).toEqual([3, 10]);
    expect((await call('DELETE', '/workflows/pauses')).status).toBe(200);
    await at(20 * MINUTE_MS);
    expect(await ticks(uuid)).toEqual([3, 10]);
    expect(await object().scheduleStates(uuid)).toEqual([]);
  });

  test('whose input cannot be made is failing, and recorded as failed runs', async () => {
    const { store, at, runsOf, object, call } = await start();
    await store('broken', { ...EVERY, input: { n: '$(JSON.parse("{"))' } });
    const { uuid } = (await call('GET', '/workflows/broken')).body as { uuid: string };
    await at(MINUTE_MS);
    expect((await runsOf('broken')).map(({ status }) => status)).toEqual(['failed']);
    expect(await object().scheduleStates(uuid)).toMatchObject([
      { state: 'failing', error: { code: 'EXPRESSION_FAILED' }, next: START + 2 * MINUTE_MS },
    ]);
  });
});
