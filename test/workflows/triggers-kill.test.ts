/** Events and schedules while everything is killed: each event and each tick starts its run once. Spec: workflows.md §5. */
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { Site } from '../proofs/workflow-kills/site.ts';

/** Times that everything is killed. */
const ROUNDS = 3;
/** Events of a round; one of three starts a run. */
const EVENTS = 60;
const STARTS = 3;
const SECOND_MS = 1_000;

let site: Site;

beforeAll(async () => {
  site = await Site.open();
  const actions = [{ id: 'echo', type: 'template', template: 'echo', input: { n: 1 } }];
  const event = { type: 'event', source: 'shop', event: 'order.*', filter: 'data.starts' };
  const schedule = { type: 'schedule', schedule: '* * * * * *', missed: 'all' };
  await site.must('POST', '/workflows', {
    id: 'listens',
    name: 'Listens',
    trigger: event,
    actions,
  });
  await site.must('POST', '/workflows', { id: 'ticks', name: 'Ticks', trigger: schedule, actions });
});

afterAll(async () => {
  await site?.close();
});

/** Sends an event until the gateway has it. */
async function send(id: string, starts: boolean): Promise<void> {
  const event = { source: 'shop', event: 'order.paid', id, data: { starts } };
  await expect
    .poll(() =>
      site.organization.call('POST', '/events', event).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(202);
}

interface Run {
  readonly status: string;
  readonly trigger: { readonly id: string };
}

async function runs(workflow: string): Promise<Run[]> {
  const { executions } = (await site.must(
    'GET',
    `/workflows/${workflow}/executions`,
  )) as unknown as {
    executions: Run[];
  };
  return executions;
}

async function round(number: number, delay: number): Promise<string[]> {
  const events = Array.from({ length: EVENTS }, (_, at) => ({
    id: `${number}-${at}`,
    starts: at % STARTS === 0,
  }));
  const sent = Promise.all(events.map(({ id, starts }) => send(id, starts)));
  await sleep(delay);
  await site.kill('gateway', async () => {});
  await sent;
  return events.filter(({ starts }) => starts).map(({ id }) => id);
}

test('each event and each tick starts one run, though everything is killed meanwhile', async () => {
  const delays = fc.sample(fc.integer({ min: 20, max: 900 }), {
    numRuns: ROUNDS,
    seed: inject('seed'),
  });
  const expected: string[] = [];
  for (const [number, delay] of delays.entries()) expected.push(...(await round(number, delay)));
  const ids = async () => (await runs('listens')).map(({ trigger }) => trigger.id).sort();
  await expect.poll(ids).toEqual(expected.sort());
  await site.must('PATCH', '/workflows/ticks', { status: 'paused' });
  const ticks = async () =>
    (await runs('ticks'))
      .map(({ trigger }) => Date.parse(trigger.id) / SECOND_MS)
      .sort((a, b) => a - b);
  // Those before the pause may still be under way: none is missing once all have come, and none is twice.
  await expect
    .poll(async () => {
      const [first = 0, ...rest] = await ticks();
      const isWhole = rest.every((tick, at) => tick === first + at + 1);
      return isWhole && rest.length > ROUNDS;
    })
    .toBe(true);
  const all = async () => [...(await runs('listens')), ...(await runs('ticks'))];
  await expect
    .poll(async () => (await all()).every(({ status }) => status === 'succeeded'))
    .toBe(true);
  const told = await ticks();
  expect(told).toEqual(Array.from(told, (_, at) => (told[0] ?? 0) + at));
}, 240_000);
