/** Lists, cancels, retries, forks and compares runs; dead letters, tasks and events. Spec: workflows.md §5, §6. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../proto/json.ts';
import { failure, startGateway, type TestGateway } from '../../test/gateway.ts';

const call = (id: string, more: JsonObject = {}): JsonObject => ({
  id,
  type: 'template',
  template: 'echo',
  input: { n: '$.input.n' },
  ...more,
});
const WORKFLOWS: readonly JsonObject[] = [
  { id: 'two', name: 'Two', actions: [call('a', { next: 'b' }), call('b')] },
  {
    id: 'odd',
    name: 'Odd',
    errorHandler: {
      deadLetterQueue: { enabled: true, includeState: true, destination: 'odd ones' },
    },
    actions: [
      call('a', { next: 'b' }),
      call('b', { template: 'strict', input: { n: '$.actions.a.output.of' } }),
    ],
  },
  {
    id: 'ways',
    name: 'Ways',
    actions: [
      call('a', { next: 'more' }),
      { id: 'more', type: 'condition', condition: '$.input.long', true: 'b', false: null },
      call('b'),
    ],
  },
  {
    id: 'ask',
    name: 'Ask',
    actions: [
      {
        id: 'approve',
        type: 'humanTask',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of a workflow.
        title: '$(`Approve ${$.input.n}`)',
        assignees: { roles: ['Write'] },
        form: { fields: [{ id: 'approved', type: 'boolean', required: true }] },
      },
    ],
  },
  {
    id: 'wait',
    name: 'Wait',
    actions: [{ id: 'w', type: 'wait', eventSource: 'shop', eventPattern: 'order.*' }],
  },
];

let gateway: TestGateway;
const path = (workflow: string, run: string, more = '') =>
  `/workflows/${workflow}/executions/${run}${more}`;

beforeAll(async () => {
  gateway = await startGateway('Admin');
  gateway.clock.now = Date.now();
  await gateway.call('POST', '/templates', {
    id: 'echo',
    name: 'Echo',
    transformationRules: [{ target: 'of', source: 'n' }],
  });
  await gateway.call('POST', '/templates', {
    id: 'strict',
    name: 'Strict',
    inputSchema: { properties: { n: { minimum: 10 } } },
    transformationRules: [{ target: 'of', source: 'n' }],
  });
  for (const each of WORKFLOWS) {
    expect((await gateway.call('POST', '/workflows', each)).status).toBe(200);
  }
});

async function start(workflow: string, input: Json): Promise<string> {
  const reply = await gateway.call('POST', `/workflows/${workflow}?synchronous=true`, input);
  return (reply.body as { run_id: string }).run_id;
}

async function begin(workflow: string, input: Json): Promise<string> {
  const reply = await gateway.call('POST', `/workflows/${workflow}`, input);
  expect(reply.status).toBe(202);
  return (reply.body as { run_id: string }).run_id;
}

async function status(workflow: string, run: string): Promise<unknown> {
  return ((await gateway.call('GET', path(workflow, run))).body as { status: string }).status;
}

describe('runs', () => {
  test('are listed the newest first, by what they are', async () => {
    const runs = [await start('two', { n: 1 }), await start('two', { n: 2 })];
    const list = () => gateway.call('GET', '/workflows/two/executions?status=succeeded');
    const ids = async () =>
      ((await list()).body as { executions: { run_id: string }[] }).executions.map(
        (each) => each.run_id,
      );
    await expect.poll(ids).toEqual([...runs].reverse());
    const { body } = await gateway.call('GET', '/workflows/two/executions?limit=1');
    const { next_cursor } = body as { next_cursor: string };
    const next = await gateway.call('GET', `/workflows/two/executions?cursor=${next_cursor}`);
    expect(next.body).toMatchObject({ executions: [{ run_id: runs[0], status: 'succeeded' }] });
    expect(await gateway.call('GET', '/workflows/two/executions?status=failed')).toEqual({
      status: 200,
      body: { executions: [] },
    });
  });

  test('that wait are cancelled, and others are not', async () => {
    const run = await begin('wait', {});
    await expect.poll(() => status('wait', run)).toBe('waiting');
    expect(await gateway.call('POST', path('wait', run, '/cancel'))).toMatchObject({ status: 202 });
    await expect.poll(() => status('wait', run)).toBe('cancelled');
    expect(await gateway.call('POST', path('wait', run, '/cancel'))).toEqual({
      status: 409,
      body: failure('RUN_CONFLICT', 'The run has ended: it is cancelled'),
    });
    const other = await begin('wait', {});
    await expect.poll(() => status('wait', other)).toBe('waiting');
    const many = await gateway.call('POST', '/workflows/wait/executions/cancel', {
      ids: [other, run],
    });
    expect(many).toEqual({
      status: 200,
      body: { done: [other], failed: [{ id: run, code: 'RUN_CONFLICT' }] },
    });
  });

  test('take an event that is sent', async () => {
    const run = await begin('wait', {});
    const event = { source: 'shop', event: 'order.paid', id: run, data: { n: 1 } };
    const sent = await gateway.call('POST', '/events', [event, event]);
    expect(sent).toEqual({
      status: 202,
      body: {
        events: [
          { id: run, duplicate: false },
          { id: run, duplicate: true },
        ],
      },
    });
    await expect.poll(() => status('wait', run)).toBe('succeeded');
    const { body } = await gateway.call('GET', path('wait', run));
    expect(body).toMatchObject({ output: { ...event, time: expect.any(String) } });
  });

  test('that failed leave a dead letter, which is redriven once', async () => {
    const run = await start('odd', { n: 3 });
    expect(await status('odd', run)).toBe('failed');
    const letters = async () =>
      (await gateway.call('GET', '/workflows/odd/dead-letters')).body as {
        dead_letters: { id: string; run_id: string }[];
      };
    await expect
      .poll(async () => (await letters()).dead_letters.map((each) => each.run_id))
      .toEqual([run]);
    const [letter] = (await letters()).dead_letters;
    expect(letter).toMatchObject({
      failed_action: 'b',
      error: { code: 'BAD_REQUEST' },
      state: { input: { n: 3 }, outputs: { a: { of: 3 } } },
    });
    const redrive = `/workflows/odd/dead-letters/${letter?.id}/redrive`;
    expect(await gateway.call('POST', redrive)).toMatchObject({ status: 202 });
    expect(await gateway.call('POST', redrive)).toEqual({
      status: 409,
      body: failure('DEAD_LETTER_SPENT', 'The dead letter was redriven already'),
    });
  });

  test('fork before an action, and tell what differs', async () => {
    const run = await start('odd', { n: 3 });
    const forked = await gateway.call('POST', path('odd', run, '/fork'), {
      from: 'b',
      input: { n: 4 },
    });
    expect(forked.status).toBe(202);
    const { run_id: fork } = forked.body as { run_id: string };
    await expect.poll(() => status('odd', fork)).toBe('failed');
    expect((await gateway.call('GET', path('odd', fork))).body).toMatchObject({
      forked_from: run,
      input: { n: 4 },
      actions: [
        { path: 'a', status: 'succeeded', output: { of: 3 } },
        { path: 'b', status: 'failed' },
      ],
    });
    expect(await gateway.call('GET', path('odd', run, `/diff?with=${fork}`))).toEqual({
      status: 200,
      body: {
        same: false,
        input: [{ op: 'replace', path: '/n', value: 4 }],
        version: ['1.0.0', '1.0.0'],
        actions: [],
      },
    });
    expect(
      await gateway.call('POST', path('odd', run, '/fork'), { from: 'nowhere' }),
    ).toMatchObject({
      status: 409,
    });
    const other = await start('two', { n: 1 });
    expect(await gateway.call('GET', path('odd', run, `/diff?with=${other}`))).toMatchObject({
      status: 400,
      body: { message: 'with: is a run of another workflow' },
    });
    expect(await gateway.call('POST', path('two', other, '/retry'))).toMatchObject({ status: 409 });
  });

  test('are compared page by page, also where only one of them has an action', async () => {
    const more = await start('ways', { n: 1, long: true });
    const less = await start('ways', { n: 2, long: false });
    const pages: Json[] = [];
    let next = '';
    do {
      const query = `?with=${more}&limit=1${next}`;
      const { body } = await gateway.call('GET', path('ways', less, `/diff${query}`));
      const { same, actions, next_cursor: cursor } = body as JsonObject;
      pages.push([
        same ?? null,
        ...(actions as JsonObject[]).map((each) => `${each.path} ${each.status}`),
      ]);
      next = cursor === undefined ? '' : `&cursor=${String(cursor)}`;
    } while (next !== '');
    expect(pages).toEqual([
      [false, 'a succeeded,succeeded'],
      [false, 'more succeeded,succeeded'],
      [false, 'b ,succeeded'],
    ]);
  });

  test('tell what changes of them, and end with the run', async () => {
    const run = await start('two', { n: 1 });
    const response = await gateway.send(path('two', run, '/events'), {
      headers: { Authorization: `Bearer ${await gateway.token()}` },
    });
    const text = await response.text();
    const told = text.split('\n').filter((line) => line.startsWith('event:'));
    expect(told).toEqual(['event: action', 'event: action', 'event: run']);
    expect(response.headers.get('Content-Type')).toContain('text/event-stream');
  });

  test('show their values to callers who may read what they reached, and their status to others', async () => {
    const run = await start('two', { n: 1 });
    const reader = await gateway.token(await gateway.addUser('Read'));
    expect((await gateway.call('GET', path('two', run), undefined, reader)).body).toMatchObject({
      input: { n: 1 },
    });
  });
});

describe('tasks', () => {
  test('are completed by an assignee, and told what is wrong with a form', async () => {
    const run = await begin('ask', { n: 5 });
    const tasks = async () =>
      (
        (await gateway.call('GET', '/tasks?status=open')).body as {
          tasks: { id: string; run_id: string }[];
        }
      ).tasks;
    await expect.poll(async () => (await tasks()).map((task) => task.run_id)).toEqual([run]);
    const [task] = await tasks();
    expect(task).toMatchObject({ title: 'Approve 5', workflow: 'ask', action: 'approve' });
    const complete = `/tasks/${task?.id}/complete`;
    expect(await gateway.call('POST', complete, { form: { approved: 'yes', more: 1 } })).toEqual({
      status: 400,
      body: failure(
        'BAD_REQUEST',
        'form.approved: must be true or false; form.more: is no field of the form',
        [
          { path: 'form.approved', message: 'must be true or false' },
          { path: 'form.more', message: 'is no field of the form' },
        ],
      ),
    });
    const reader = await gateway.token(await gateway.addUser('Read'));
    expect(
      await gateway.call('POST', complete, { form: { approved: true } }, reader),
    ).toMatchObject({
      status: 403,
    });
    expect(await gateway.call('POST', complete, { form: { approved: true } })).toEqual({
      status: 200,
      body: { message: 'The task is done', id: task?.id, run_id: run },
    });
    await expect.poll(() => status('ask', run)).toBe('succeeded');
    expect((await gateway.call('GET', path('ask', run))).body).toMatchObject({
      output: { approved: true },
      actions: [{ by: gateway.user.username }],
    });
    const again = () => gateway.call('POST', complete, { form: { approved: true } });
    const message = 'The task was completed already, or rejected';
    await expect.poll(again).toEqual({ status: 409, body: failure('TASK_CLOSED', message) });
  });
});
