/** Tasks of an action that is tried again, and what they ask, in memory. Spec: workflows.md §2, §3 `humanTask`, §6 `/tasks`. */
import { expect, test } from 'vitest';
import { type Json, parseJson } from '../../../proto/json.ts';
import { taskEnded } from './arrivals.ts';
import { retryRun } from './resume.ts';
import { World } from './test/world.ts';

const ask = (more: { readonly [member: string]: Json } = {}) => ({
  ...{ id: 'ask', type: 'humanTask', title: 'Look', assignees: { roles: ['Write'] } },
  ...more,
});
const again = { retry: { maxAttempts: 3, retryableErrors: ['TASK_REJECTED'] } };
const asked = (errorHandler: Json = { actions: { ask: again } }) =>
  new World({ actions: [ask()], errorHandler }).begin();

/** Ids of the tasks that were opened and closed, in their order. */
function tasks({ journal }: World): (string | undefined)[][] {
  return journal.effects.flatMap((effect) => {
    if (effect.do === 'open-task') return [['open', effect.task]];
    return effect.do === 'close-task' ? [[effect.status, effect.task, effect.by]] : [];
  });
}

const reject = (world: World, task: string, by: string) =>
  taskEnded(world.turn(), 'ask', { by, task, rejected: 'no' });

test('each attempt opens a task of its own, and an answer to an earlier one counts for none', () => {
  const world = asked();
  const [one, two] = ['task:ask:1', 'task:ask:1:2'];
  expect(reject(world, one, 'ada')).toBe(true);
  world.nextDue();
  expect(reject(world, one, 'ada')).toBe(false);
  expect(world.node('ask')).toMatchObject({ attempts: 2, phase: 'wait', by: undefined });
  expect(reject(world, two, 'eve')).toBe(true);
  world.nextDue();
  expect(tasks(world)).toEqual([
    ['open', one],
    ['done', one, 'ada'],
    ['open', two],
    ['done', two, 'eve'],
    ['open', 'task:ask:1:3'],
  ]);
});

test('a run that is retried opens another task', () => {
  const world = asked({});
  reject(world, 'task:ask:1', 'ada');
  expect(world.run.status).toBe('failed');
  retryRun(world.turn());
  expect(reject(world, 'task:ask:1', 'ada')).toBe(false);
  expect(reject(world, 'task:ask:1:2', 'ada')).toBe(true);
});

test('a task of a later attempt that was stored without an id of its own has that of the first', () => {
  const world = asked();
  reject(world, 'task:ask:1', 'ada');
  world.nextDue();
  delete world.node('ask').state.task;
  expect(reject(world, 'task:ask:1', 'eve')).toBe(true);
  world.nextDue();
  expect(reject(world, 'task:ask:1', 'eve')).toBe(false);
  expect(reject(world, 'task:ask:1:3', 'eve')).toBe(true);
});

test.each([
  { description: '$.input.note', told: {} },
  { description: '$.input.text', told: { description: 'Please' } },
])('a task whose description is $description', ({ description, told }) => {
  const world = new World({ actions: [ask({ description })] }, { text: 'Please' }).begin();
  expect(parseJson(world.journal.text(world.node('ask').input ?? 0))).toEqual({
    ...{ title: 'Look', assignees: { roles: ['Write'] }, form: { fields: [] } },
    ...told,
  });
});

test.each([
  { member: 'title', value: '$.input.note' },
  { member: 'description', value: '$.input.nothing' },
  { member: 'description', value: '$.input.number' },
])('fails a task whose $member is $value, which is no text', ({ member, value }) => {
  const input = { nothing: null, number: 1 };
  const world = new World({ actions: [ask({ [member]: value })] }, input).begin();
  const message = `${member}: must be a text`;
  expect(world.error).toEqual({ code: 'INVALID_INPUT', message, action: 'ask' });
});
