/** Bad input to workflows, from the outside: each has its reply or its record, whole, and does no harm. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../proto/json.ts';
import { sharedGateway } from '../gateway.ts';
import { ask, newOrganization, type Organization, refusal } from '../organization.ts';
import { freshDatabase } from '../servers/backends.ts';

const ENDED = ['succeeded', 'failed', 'cancelled'];

let organization: Organization;

beforeAll(async () => {
  organization = await newOrganization(await sharedGateway());
  await made('/templates', {
    id: 'echo',
    name: 'Echo',
    transformationRules: [{ target: 'value', source: 'value' }],
  });
  await made('/workflows', { id: 'echo-it', name: 'Echo it', actions: [echo('only')] });
});

function echo(id: string): JsonObject {
  return { id, type: 'template', template: 'echo', input: { value: '$.input.value' } };
}

async function made(path: string, body: JsonObject): Promise<void> {
  expect(await organization.call('POST', path, body)).toMatchObject({ status: 200 });
}

/** Stores a workflow of these actions; answers its id. */
async function workflow(actions: readonly Json[], more: JsonObject = {}): Promise<string> {
  const id = `w-${randomUUID().slice(0, 8)}`;
  await made('/workflows', { id, name: id, actions: [...actions], ...more });
  return id;
}

/** What a record tells, as its schema says. */
interface Told {
  readonly run_id: string;
  readonly status: string;
  readonly started_by: string;
  readonly error?: unknown;
}

/** Runs a workflow to its end. */
async function run(id: string, input: JsonObject = {}): Promise<Told> {
  return ended(id, await start(id, input));
}

async function start(id: string, input: JsonObject = {}): Promise<string> {
  const reply = await organization.call('POST', `/workflows/${id}`, input);
  expect(reply).toMatchObject({ status: 202 });
  return (reply.body as Told).run_id;
}

async function record(id: string, execution: string): Promise<Told> {
  const { body } = await organization.call('GET', `/workflows/${id}/executions/${execution}`);
  return body as Told;
}

async function ended(id: string, execution: string): Promise<Told> {
  const poll = async () => ENDED.includes((await record(id, execution)).status);
  await expect.poll(poll, { timeout: 60_000, interval: 100 }).toBe(true);
  return record(id, execution);
}

async function waits(id: string, execution: string): Promise<Told> {
  const poll = async () => (await record(id, execution)).status;
  await expect.poll(poll, { timeout: 20_000 }).toBe('waiting');
  return record(id, execution);
}

/** How a run failed. */
async function failureOf(told: Told | Promise<Told>): Promise<unknown> {
  const { status, error } = await told;
  expect(status).toBe('failed');
  return error;
}

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
    const id = await workflow([echo('only')], { input: { schema } });
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
    const other = await workflow([echo('only')]);
    const { run_id } = await run(other);
    for (const execution of [randomUUID(), 'no-uuid', run_id]) {
      const whole = `/workflows/echo-it/executions/${execution}${path}`;
      expect(await organization.call(method, whole)).toEqual(unknownRun());
    }
  });

  test('that succeeded is not retried', async () => {
    const { run_id } = await run('echo-it');
    const path = `/workflows/echo-it/executions/${run_id}/retry`;
    expect(await organization.call('POST', path)).toEqual(
      refusal(
        'RUN_CONFLICT',
        'The run has succeeded: only one that failed or was cancelled can be retried',
      ),
    );
  });

  test('is not forked from an action that never ran, or that is none', async () => {
    const id = await workflow([
      { id: 'choose', type: 'condition', condition: '$.input.yes', true: 'asked', false: null },
      echo('asked'),
    ]);
    const { run_id } = await run(id, { yes: false });
    for (const from of ['asked', 'nowhere']) {
      const path = `/workflows/${id}/executions/${run_id}/fork`;
      expect(await organization.call('POST', path, { from })).toEqual(
        refusal('RUN_CONFLICT', `The run never came to an action ${from} of the top level`),
      );
    }
  });

  test('is not compared with one of another workflow', async () => {
    const other = await workflow([echo('only')]);
    const [own, its] = [await run('echo-it'), await run(other)];
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
  const id = await workflow([
    {
      ...{ id: 'decide', type: 'humanTask', title: 'Decide' },
      assignees: { roles: ['Write'] },
      form: { fields },
    },
  ]);
  await start(id);
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

describe('an action fails, and its run with it,', () => {
  test.each([
    [
      'never ends',
      '((again) => again(again))((again) => again(again))',
      'calls itself, or is nested, deeper than a run may go (line 1, column 38)',
    ],
    [
      'takes for ever',
      '$.input.items.reduce((sum, a) => $.input.items.reduce((s, b) => s + a * b, sum), 0)',
      'takes more steps than one run may take (line 1, column 48)',
    ],
    [
      'eats memory',
      "Array.from({length: 100000}, () => 'x'.repeat(10000)).join('')",
      'makes more data than one run may hold (line 1, column 40)',
    ],
  ])('whose expression %s', async (_what, condition, message) => {
    const id = await workflow([
      { id: 'greedy', type: 'condition', condition, true: null, false: null },
    ]);
    const items = Array.from({ length: 5000 }, () => 1);
    expect(await failureOf(run(id, { items }))).toEqual({
      code: 'EXPRESSION_FAILED',
      message,
      action: 'greedy',
    });
  });

  test('whose collection has a million elements', async () => {
    const id = await workflow([
      { id: 'each', type: 'loop', collection: '$.input.items', action: echo('element') },
    ]);
    const items = Array.from({ length: 1_000_000 }, () => 0);
    expect(await failureOf(run(id, { items }))).toEqual({
      code: 'INVALID_INPUT',
      message: 'collection: has 1000000 elements, at most 100000 are taken',
      action: 'each',
    });
  });

  test('whose subworkflow would be the ninth within each other', async () => {
    let outer = await workflow([echo('only')]);
    for (let depth = 8; depth > 0; depth -= 1) {
      outer = await workflow([{ id: `down-${depth}`, type: 'subworkflow', workflow: outer }]);
    }
    expect(await failureOf(run(outer))).toEqual({
      code: 'INVALID_INPUT',
      message: 'Workflows are run at most 8 deep, the first counted',
      action: 'down-1',
    });
  });

  test('whose endpoint was deleted in the middle of the run', async () => {
    const endpoint = await organization.addPostgres((await freshDatabase()).url);
    const id = await workflow(waitThenRead(endpoint));
    const execution = await start(id);
    await waits(id, execution);
    const deletion = await organization.call('DELETE', `/endpoints/${endpoint}?confirm=true`);
    expect(deletion).toMatchObject({ status: 200 });
    await goOn();
    expect(await failureOf(ended(id, execution))).toEqual({
      code: 'ENDPOINT_NOT_FOUND',
      message: `Endpoint ${endpoint} does not exist`,
      action: 'read',
    });
  });

  test('once its starter was lowered in the middle of the run', async () => {
    const endpoint = await organization.addPostgres((await freshDatabase()).url);
    const id = await workflow(waitThenRead(endpoint));
    const authorization = { Authorization: `Bearer ${await organization.member('Write')}` };
    const started = await ask(organization.gateway, 'POST', `/workflows/${id}`, {}, authorization);
    expect(started).toMatchObject({ status: 202 });
    const { run_id, started_by: subject } = await waits(id, (started.body as Told).run_id);
    const grant = { subject, access_level: 'None' };
    const reply = await organization.call('POST', '/iam/rbac/organizations/subjects', grant);
    expect(reply).toMatchObject({ status: 200 });
    await goOn();
    expect(await failureOf(ended(id, run_id))).toEqual({
      code: 'FORBIDDEN',
      message: `This operation needs Read access on endpoint ${endpoint}`,
      action: 'read',
      details: [expect.objectContaining({ needed: 'Read', level: 'None', allowed: false })],
    });
  });
});

function waitThenRead(endpoint: string): JsonObject[] {
  return [
    { id: 'wait', type: 'wait', eventSource: 'test', eventPattern: 'go', next: 'read' },
    {
      ...{ id: 'read', type: 'endpoint', endpoint, operation: 'read' },
      input: { query: 'SELECT 1 AS one' },
    },
  ];
}

async function goOn(): Promise<void> {
  expect(await organization.call('POST', '/events', { source: 'test', event: 'go' })).toEqual({
    status: 202,
    body: { events: [{ id: expect.any(String), duplicate: false }] },
  });
}
