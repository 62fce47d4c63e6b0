/** `POST /workflows/{w}`, and what a run's record reports. Spec: workflows.md §6. */
import { describe, expect, test } from 'vitest';
import { failure, startGateway } from '../../test/gateway.ts';

const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/);
const TIME = expect.stringMatching(/^\d{4}-.*Z$/);

async function startShop() {
  const gateway = await startGateway('Write');
  gateway.clock.now = Date.now();
  const template = await gateway.call('POST', '/templates', {
    id: 'echo',
    name: 'Echo',
    transformationRules: [{ target: 'of', source: 'n' }],
  });
  expect(template.status).toBe(200);
  const workflow = await gateway.call('POST', '/workflows', {
    id: 'ship',
    name: 'Ship',
    key: '$.input.order',
    input: { schema: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } } },
    actions: [{ id: 'a', type: 'template', template: 'echo', input: { n: '$.input.n' } }],
  });
  expect(workflow.status).toBe(200);
  return gateway;
}

describe('POST /workflows/{workflow}', () => {
  test('refuses an input that is larger than what a run can be started with', async () => {
    const gateway = await startShop();
    // What is sent of the run has four characters for each quote, and the euro makes each of them two bytes.
    const note = `${'"'.repeat(4_300_000)}€`;
    const reply = await gateway.call('POST', '/workflows/ship', { n: 1, note });
    expect(reply).toMatchObject({
      status: 400,
      body: failure('BAD_REQUEST', 'body: is larger than what a run can be started with'),
    });
  });

  test('answers the record of a run that has ended, when it is waited for', async () => {
    const gateway = await startShop();
    const path = '/workflows/ship?synchronous=true';
    const reply = await gateway.call('POST', path, { n: 4, order: 'o-1' });
    const { run_id } = reply.body as { run_id: string };
    const record = {
      run_id: UUID,
      workflow: 'ship',
      version: '1.0.0',
      key: 'o-1',
      status: 'succeeded',
      trigger: { type: 'api', id: expect.any(String) },
      started_by: gateway.user.username,
      input: { n: 4, order: 'o-1' },
      output: { of: 4 },
      started: TIME,
      ended: TIME,
      duration_ms: expect.any(Number),
      actions: [
        {
          id: 'a',
          path: 'a',
          type: 'template',
          status: 'succeeded',
          attempts: [{ started: TIME, ended: TIME }],
          input: { n: 4 },
          output: { of: 4 },
          started: TIME,
          ended: TIME,
          duration_ms: expect.any(Number),
        },
      ],
    };
    expect(reply).toEqual({ status: 200, body: record });
    const shown = await gateway.call('GET', `/workflows/ship/executions/${run_id}`);
    expect(shown).toEqual({ status: 200, body: record });
  });

  test('answers 202 at once, and the same run to the same key', async () => {
    const gateway = await startShop();
    const send = async (body: object) => {
      const response = await gateway.send('/workflows/ship', {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${await gateway.token()}`,
          'Content-Type': 'application/json',
          'Idempotency-Key': 'k',
        },
        body: JSON.stringify(body),
      });
      const replayed = response.headers.get('Idempotent-Replayed');
      return { status: response.status, replayed, body: await response.json() };
    };
    const first = await send({ n: 1 });
    const { run_id } = first.body as { run_id: string };
    const location = `/api/v1/workflows/ship/executions/${run_id}`;
    const body = { run_id: UUID, status: expect.any(String), location };
    expect(first).toEqual({ status: 202, replayed: null, body });
    expect(await send({ n: 1 })).toEqual({ status: 202, replayed: 'true', body });
    expect(await send({ n: 2 })).toMatchObject({ status: 422 });
  });

  test('tells every fault of the input', async () => {
    const gateway = await startShop();
    expect(await gateway.call('POST', '/workflows/ship', { n: 'x' })).toEqual({
      status: 400,
      body: failure('BAD_REQUEST', expect.stringContaining('n: '), [
        { path: 'n', message: expect.any(String) },
      ]),
    });
    expect(await gateway.call('POST', '/workflows/ship', [1])).toMatchObject({
      status: 400,
      body: { message: 'body: must be an object: the input of the run' },
    });
  });

  test('refuses an input whose key is no valid Unicode: the list of runs could not tell it', async () => {
    const gateway = await startShop();
    for (const order of ['\ud800', 'a\udc00b', `${'x'.repeat(300)}\ud800`]) {
      expect(await gateway.call('POST', '/workflows/ship', { n: 1, order })).toEqual({
        status: 400,
        body: failure('BAD_REQUEST', 'key: must be valid Unicode', [
          { path: 'key', message: 'must be valid Unicode' },
        ]),
      });
    }
  });

  test('calls a run in its record as in the list, also where its key is cut', async () => {
    const gateway = await startShop();
    const keys = ['ü😀', `${'x'.repeat(254)}😀`, `${'x'.repeat(253)}😀y`];
    const shown: unknown[] = [];
    for (const order of keys) {
      const body = { n: 1, order };
      const reply = await gateway.call('POST', '/workflows/ship?synchronous=true', body);
      shown.unshift((reply.body as { key: string }).key);
    }
    expect(shown).toEqual([`${'x'.repeat(253)}😀`, 'x'.repeat(254), 'ü😀']);
    const listed = async () => {
      const { body } = await gateway.call('GET', '/workflows/ship/executions');
      return (body as { executions: { key: string }[] }).executions.map(({ key }) => key);
    };
    await expect.poll(listed, { timeout: 5_000 }).toEqual(shown);
  });

  test('starts nothing while the workflow is paused', async () => {
    const gateway = await startShop();
    await gateway.call('PATCH', '/workflows/ship', { status: 'paused' });
    expect(await gateway.call('POST', '/workflows/ship', { n: 1 })).toEqual({
      status: 409,
      body: failure('WORKFLOW_PAUSED', 'Workflow ship is paused'),
    });
  });
});
