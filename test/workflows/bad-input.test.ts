/** Bad input to workflows, from the outside: each has its reply, whole, and does no harm. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { sharedGateway } from '../gateway.ts';
import { newOrganization, type Organization, refusal } from '../organization.ts';
import { echo, type Told, Workflows } from './workflows.ts';

let organization: Organization;
let on: Workflows;

beforeAll(async () => {
  organization = await newOrganization(await sharedGateway());
  on = new Workflows(organization);
  await on.addEcho();
});

/** The refusal that names each of these. */
function faulty(faults: readonly { readonly path: string; readonly message: string }[]) {
  const message = faults.map((each) => `${each.path}: ${each.message}`).join('; ');
  return refusal('BAD_REQUEST', message, faults);
}

const unknownRun = () =>
  refusal('RUN_NOT_FOUND', 'The workflow has no such run, or its retention has ended');

describe('a start', () => {
  test('with an input that does not fit the schema names every path', async () => {
    const schema = {
      type: 'object',
      required: ['id', 'lines'],
      additionalProperties: false,
      properties: {
        id: { type: 'string' },
        lines: { type: 'array', items: { type: 'object', required: ['sku'] } },
      },
    };
    const id = await on.add([echo('only')], { input: { schema } });
    const input = { id: 7, lines: [{}, { sku: 'a' }, 3], colour: 'red' };
    expect(await organization.call('POST', `/workflows/${id}`, input)).toEqual(
      faulty([
        { path: 'colour', message: 'is not allowed' },
        { path: 'id', message: 'is not a string' },
        { path: 'lines[0].sku', message: 'is required' },
        { path: 'lines[2]', message: 'is not an object' },
      ]),
    );
  });

  test.each([
    ['a list', '[1]'],
    ['a text', '"x"'],
    ['null', 'null'],
  ])('with %s for a body is 400', async (_what, body) => {
    expect(await organization.call('POST', '/workflows/echo-it', body)).toEqual(
      faulty([{ path: 'body', message: 'must be an object: the input of the run' }]),
    );
  });

  test('1,000 times at once with one key is one run', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const replies = await Promise.all(
      Array.from({ length: 1000 }, () =>
        organization.call('POST', '/workflows/echo-it', { value: 1 }, headers),
      ),
    );
    const statuses = new Set(replies.map(({ status }) => status));
    const runs = new Set(replies.map(({ body }) => (body as Told).run_id));
    expect({ statuses: [...statuses], runs: runs.size }).toEqual({ statuses: [202], runs: 1 });
  }, 120_000);
});

describe('a run', () => {
  test.each([
    ['GET', ''],
    ['GET', '/actions'],
    ['POST', '/cancel'],
    ['POST', '/retry'],
  ])('that is not there, or is of another workflow, is 404 to %s …%s', async (method, path) => {
    const other = await on.add([echo('only')]);
    const { run_id } = await on.run(other);
    for (const execution of [randomUUID(), 'no-uuid', run_id]) {
      const whole = `/workflows/echo-it/executions/${execution}${path}`;
      expect(await organization.call(method, whole)).toEqual(unknownRun());
    }
  });

  test('that succeeded is not retried', async () => {
    const { run_id } = await on.run('echo-it');
    const path = `/workflows/echo-it/executions/${run_id}/retry`;
    expect(await organization.call('POST', path)).toEqual(
      refusal(
        'RUN_CONFLICT',
        'The run has succeeded: only one that failed or was cancelled can be retried',
      ),
    );
  });

  test('is not forked from an action that never ran, or that is none', async () => {
    const id = await on.add([
      { id: 'choose', type: 'condition', condition: '$.input.yes', true: 'asked', false: null },
      echo('asked'),
    ]);
    const { run_id } = await on.run(id, { yes: false });
    for (const [from, hint] of [
      ['asked', 'it came to choose'],
      ['nowhere', 'it came to choose'],
      ['chose', 'did you mean "choose"?'],
    ] as const) {
      const path = `/workflows/${id}/executions/${run_id}/fork`;
      expect(await organization.call('POST', path, { from })).toEqual(
        refusal(
          'RUN_CONFLICT',
          `The run never came to an action ${from} of the top level; ${hint}`,
        ),
      );
    }
  });

  test('is not compared with one of another workflow', async () => {
    const other = await on.add([echo('only')]);
    const [own, its] = [await on.run('echo-it'), await on.run(other)];
    const path = `/workflows/echo-it/executions/${own.run_id}/diff?with=${its.run_id}`;
    expect(await organization.call('GET', path)).toEqual(
      faulty([{ path: 'with', message: 'is a run of another workflow' }]),
    );
  });
});

test('the form of a task with unknown, missing and mistyped fields names each, and the task stays open', async () => {
  const fields = [
    { id: 'approved', type: 'boolean', required: true },
    { id: 'amount', type: 'number' },
    { id: 'when', type: 'date' },
    { id: 'way', type: 'select', options: ['post', 'courier'] },
  ];
  const id = await on.add([
    {
      ...{ id: 'decide', type: 'humanTask', title: 'Decide' },
      assignees: { roles: ['Write'] },
      form: { fields },
    },
  ]);
  await on.start(id);
  const tasks = async () => {
    const { body } = await organization.call('GET', `/tasks?workflow=${id}`);
    return (body as { tasks: { id: string; status: string }[] }).tasks;
  };
  await expect.poll(async () => (await tasks()).length, { timeout: 20_000 }).toBe(1);
  const [task] = await tasks();
  const form = { amount: 'ten', when: '2026-02-30', way: 'pigeon', colour: 'red' };
  expect(await organization.call('POST', `/tasks/${task?.id}/complete`, { form })).toEqual(
    faulty([
      { path: 'form.approved', message: 'is required' },
      { path: 'form.amount', message: 'must be a number' },
      { path: 'form.when', message: 'must be a date, such as 2026-01-31' },
      { path: 'form.way', message: 'must be one of "post", "courier"' },
      { path: 'form.colour', message: 'is no field of the form' },
    ]),
  );
  expect(await tasks()).toMatchObject([{ status: 'open' }]);
});
