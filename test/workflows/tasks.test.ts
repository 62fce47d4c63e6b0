/** Tasks of people from end to end: each of their events starts a workflow that sends a mail. Spec: workflows.md §3 `humanTask`, §5. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../proto/json.ts';
import { sharedGateway } from '../gateway.ts';
import { ask, newOrganization, type Organization } from '../organization.ts';
import { Workflows } from './workflows.ts';

/** What a mailer was sent, as the workflow `mail` sends it. */
interface Mail {
  readonly event: string;
  readonly run: string;
  readonly [member: string]: unknown;
}

const FORM = { fields: [{ id: 'approved', type: 'boolean', required: true }] };
const MAIL = {
  id: 'mail',
  name: 'Mail',
  trigger: { type: 'event', source: 'causeway', event: 'task.*', mapping: '$' },
  actions: [
    {
      id: 'send',
      type: 'endpoint',
      endpoint: 'mailer',
      operation: 'write',
      input: {
        method: 'POST',
        path: '/mails',
        body: {
          event: '$.input.event',
          run: '$.input.data.run_id',
          workflow: '$.input.data.workflow',
          action: '$.input.data.action',
          title: '$.input.data.title',
          assignees: '$.input.data.assignees',
          escalation: '$.input.data.escalation',
          status: '$.input.data.status',
          by: '$.input.data.by',
        },
      },
    },
  ],
};

let organization: Organization;
let on: Workflows;
const mails: Mail[] = [];
const sentFor = (run: string) => mails.filter((mail) => mail.run === run);

beforeAll(async () => {
  const mailer = createServer(async (request, response) => {
    let text = '';
    for await (const part of request) text += part;
    // It is asked whether it is there, too. As MAIL sends it.
    if (request.method === 'POST') mails.push(JSON.parse(text, withoutNull) as Mail);
    response.writeHead(202, { 'Content-Type': 'application/json' }).end('{"sent":true}');
  });
  await new Promise<void>((resolve) => mailer.listen(0, '127.0.0.1', resolve));
  mailer.unref();
  const { port } = mailer.address() as AddressInfo; // It listens on a port.
  organization = await newOrganization(await sharedGateway('private'));
  on = new Workflows(organization);
  const write_conn = { url: `http://127.0.0.1:${port}` };
  await on.made('/endpoints', { endpoint: 'mailer', kind: 'http', config: { write_conn } });
  await on.made('/workflows', MAIL);
});

/** What an event has not is null in the request. */
const withoutNull = (_name: string, value: unknown) => (value === null ? undefined : value);

/** Starts a run with a task; answers the run and the task's id. */
async function opened(assignees: JsonObject, more: JsonObject = {}) {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is one of the workflow's language.
  const title = '$(`Approve order ${$.input.order}`)';
  const task = { id: 'approve', type: 'humanTask', title, assignees, form: FORM, ...more };
  const id = await on.add([task]);
  const run = await on.start(id, { order: 1042 });
  const path = `/tasks?workflow=${id}&status=open`;
  const tasks = async () =>
    (await organization.call('GET', path)).body as { tasks: { id: string }[] };
  await expect.poll(async () => (await tasks()).tasks.length).toBe(1);
  return { id, run, task: (await tasks()).tasks[0]?.id ?? '' };
}

const as = (token: string) => ({
  complete: (task: string, body: JsonObject) =>
    ask(organization.gateway, 'POST', `/tasks/${task}/complete`, body, {
      Authorization: `Bearer ${token}`,
    }),
  tasks: async (workflow: string) => {
    const path = `/tasks?workflow=${workflow}&status=open`;
    const headers = { Authorization: `Bearer ${token}` };
    const reply = await ask(organization.gateway, 'GET', path, undefined, headers);
    return (reply.body as { tasks?: { id: string }[] }).tasks?.map(({ id }) => id) ?? reply.status;
  },
});

describe('a task', () => {
  test('is mailed when it is opened, and when it is done', async () => {
    const assignees = { roles: ['Write'] };
    const { id, run, task } = await opened(assignees);
    const writer = as(await organization.member('Write'));
    const reply = await writer.complete(task, { form: { approved: true } });
    expect(reply).toEqual({
      status: 200,
      body: { message: 'The task is done', id: task, run_id: run },
    });
    expect(await on.ended(id, run)).toMatchObject({
      status: 'succeeded',
      output: { approved: true },
    });
    const of = { run, workflow: id, action: 'approve', title: 'Approve order 1042', assignees };
    await expect
      .poll(() => sentFor(run))
      .toEqual([
        { event: 'task.created', ...of },
        { event: 'task.completed', ...of, status: 'done', by: expect.stringMatching(/^write-/) },
      ]);
  });

  test('that is rejected fails its action, and is mailed as such', async () => {
    const { id, run, task } = await opened({ users: [organization.username] });
    const reply = await as(organization.token).complete(task, {
      reject: true,
      comment: 'Too dear',
    });
    expect(reply.status).toBe(200);
    expect(await on.ended(id, run)).toMatchObject({
      status: 'failed',
      error: { code: 'TASK_REJECTED', message: 'Too dear', action: 'approve' },
    });
    await expect
      .poll(() => sentFor(run).map(({ event, status, by }) => ({ event, status, by })))
      .toEqual([
        { event: 'task.created' },
        { event: 'task.completed', status: 'rejected', by: organization.username },
      ]);
  });

  test('goes to more people when its time is over, and expires when it is over again', async () => {
    const timeout = { duration: 'PT3S', escalation: { roles: ['Read'] } };
    const { id, run, task } = await opened({ roles: ['SuperAdmin'] }, { timeout });
    const reader = as(await organization.member('Read'));
    expect(await reader.tasks(id)).toEqual([]);
    expect((await reader.complete(task, { form: { approved: true } })).status).toBe(403);
    await expect.poll(() => reader.tasks(id), { interval: 100 }).toEqual([task]);
    expect(await on.ended(id, run)).toMatchObject({
      status: 'failed',
      error: { code: 'TIMED_OUT' },
    });
    expect(await reader.complete(task, { form: { approved: true } })).toMatchObject({
      status: 409,
      body: { code: 'TASK_CLOSED', message: 'The task is expired' },
    });
    await expect
      .poll(() =>
        sentFor(run).map(({ event, status, escalation }) => ({ event, status, escalation })),
      )
      .toEqual([
        { event: 'task.created' },
        { event: 'task.escalated', escalation: ['Read'] },
        { event: 'task.completed', status: 'expired' },
      ]);
  });

  test('that was escalated is done by one of the roles that came', async () => {
    const timeout = { duration: 'PT6S', escalation: { roles: ['Read'] } };
    const { id, run, task } = await opened({ roles: ['SuperAdmin'] }, { timeout });
    const reader = as(await organization.member('Read'));
    const done = async () => (await reader.complete(task, { form: { approved: false } })).status;
    await expect.poll(done, { interval: 200 }).toBe(200);
    expect(await on.ended(id, run)).toMatchObject({ status: 'succeeded' });
  });

  test('goes to others when a role changes, while it is open', async () => {
    const { id, run, task } = await opened({ roles: ['Admin'] });
    const username = `moved-${crypto.randomUUID().slice(0, 8)}@example.com`;
    const { password } = organization;
    const user = { username, password, access_level: 'Read' };
    expect((await organization.call('POST', '/iam/users', user)).status).toBe(200);
    const login = await ask(organization.gateway, 'POST', '/auth/login', undefined, {
      Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
      'X-Org-Id': organization.id,
    });
    const moved = as((login.body as { token: string }).token);
    expect(await moved.tasks(id)).toEqual([]);
    const grant = { access_level: 'Admin', subject: username, workflow_id: id };
    const granted = await organization.call('POST', '/iam/rbac/workflows/subjects', grant);
    expect(granted).toMatchObject({ status: 200 });
    await expect.poll(() => moved.tasks(id)).toEqual([task]);
    expect((await moved.complete(task, { form: { approved: true } })).status).toBe(200);
    expect(await on.ended(id, run)).toMatchObject({ status: 'succeeded' });
  });

  test('of a run that is cancelled expires, and is mailed as such', async () => {
    const { id, run, task } = await opened({ roles: ['Admin'] });
    const cancel = `/workflows/${id}/executions/${run}/cancel`;
    expect((await organization.call('POST', cancel)).status).toBe(202);
    expect(await on.ended(id, run)).toMatchObject({ status: 'cancelled' });
    expect((await as(organization.token).complete(task, { form: { approved: true } })).status).toBe(
      409,
    );
    await expect
      .poll(() => sentFor(run).map(({ event, status }) => ({ event, status })))
      .toEqual([{ event: 'task.created' }, { event: 'task.completed', status: 'expired' }]);
  });
});
