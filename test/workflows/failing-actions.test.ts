/** What an action of a workflow fails of while it runs, from the outside: each has its record, whole. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../proto/json.ts';
import { sharedGateway } from '../gateway.ts';
import { ask, newOrganization, type Organization } from '../organization.ts';
import { freshDatabase } from '../servers/backends.ts';
import { echo, failureOf, type Told, Workflows } from './workflows.ts';

let organization: Organization;
let on: Workflows;

beforeAll(async () => {
  organization = await newOrganization(await sharedGateway());
  on = new Workflows(organization);
  await on.addEcho();
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
    const id = await on.add([
      { id: 'greedy', type: 'condition', condition, true: null, false: null },
    ]);
    const items = Array.from({ length: 5000 }, () => 1);
    expect(await failureOf(on.run(id, { items }))).toEqual({
      code: 'EXPRESSION_FAILED',
      message,
      action: 'greedy',
    });
  });

  test('whose collection has a million elements', async () => {
    const id = await on.add([
      { id: 'each', type: 'loop', collection: '$.input.items', action: echo('element') },
    ]);
    const items = Array.from({ length: 1_000_000 }, () => 0);
    expect(await failureOf(on.run(id, { items }))).toEqual({
      code: 'INVALID_INPUT',
      message: 'collection: has 1000000 elements, at most 100000 are taken',
      action: 'each',
    });
  });

  test('whose subworkflow would be the ninth within each other', async () => {
    let outer = await on.add([echo('only')]);
    for (let depth = 8; depth > 0; depth -= 1) {
      outer = await on.add([{ id: `down-${depth}`, type: 'subworkflow', workflow: outer }]);
    }
    expect(await failureOf(on.run(outer))).toEqual({
      code: 'INVALID_INPUT',
      message: 'Workflows are run at most 8 deep, the first counted',
      action: 'down-1',
    });
  });

  test('whose read writes: it says how the action, or its template, is let write', async () => {
    const endpoint = await organization.addPostgres((await freshDatabase()).url);
    const input = { query: 'DELETE FROM orders' };
    const template = await organization.call('POST', '/templates', {
      ...{ id: 'clears', request: 'Read', template: { endpoint, ...input } },
    });
    expect(template.status).toBe(200);
    const what = 'DELETE is not taken by a read; give the';
    const read = { id: 'read', type: 'endpoint', endpoint, operation: 'read', input };
    expect(await failureOf(on.run(await on.add([read])))).toMatchObject({
      code: 'BAD_REQUEST',
      message: `${what} action "operation": "write"`,
    });
    const nested = { id: 'nested', type: 'template', template: 'clears' };
    expect(await failureOf(on.run(await on.add([nested])))).toMatchObject({
      code: 'BAD_REQUEST',
      message: `${what} template "request": "Write"`,
    });
  });

  test('whose endpoint was deleted in the middle of the run', async () => {
    const endpoint = await organization.addPostgres((await freshDatabase()).url);
    const id = await on.add(waitThenRead(endpoint));
    const execution = await on.start(id);
    await on.waits(id, execution);
    const deletion = await organization.call('DELETE', `/endpoints/${endpoint}?confirm=true`);
    expect(deletion).toMatchObject({ status: 200 });
    await goOn();
    expect(await failureOf(on.ended(id, execution))).toEqual({
      code: 'ENDPOINT_NOT_FOUND',
      message: `Endpoint ${endpoint} does not exist`,
      action: 'read',
    });
  });

  test('once its starter was lowered in the middle of the run', async () => {
    const endpoint = await organization.addPostgres((await freshDatabase()).url);
    const id = await on.add(waitThenRead(endpoint));
    const authorization = { Authorization: `Bearer ${await organization.member('Write')}` };
    const started = await ask(organization.gateway, 'POST', `/workflows/${id}`, {}, authorization);
    expect(started).toMatchObject({ status: 202 });
    const { run_id, started_by: subject } = await on.waits(id, (started.body as Told).run_id);
    const grant = { subject, access_level: 'None' };
    const reply = await organization.call('POST', '/iam/rbac/organizations/subjects', grant);
    expect(reply).toMatchObject({ status: 200 });
    await goOn();
    expect(await failureOf(on.ended(id, run_id))).toEqual({
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
