/** Runs that start each other by calls of the gateway over HTTP end as those by events do. Spec: workflows.md §5, "Our own events". */
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../proto/json.ts';
import { type OwnGateway, startGateway } from '../gateway.ts';
import { newOrganization, type Organization } from '../organization.ts';
import { Workflows } from './workflows.ts';

/** Runs that lead to one another. */
const MOST = 16;
const TOO_DEEP = `${MOST} runs have led to this, one after the other: it starts no further one`;
const REFUSED = { code: 'UPSTREAM_STATUS', action: 'again' };

let gateway: OwnGateway;
let proxy: Server;

/** The gateway's own ports are refused; what is in front of it is how runs reach it. */
beforeAll(async () => {
  proxy = createServer((incoming, reply) => {
    const { method, headers, url } = incoming;
    const passed = request(`${gateway.url}${url}`, { method, headers }, (answer) => {
      reply.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(reply);
    });
    passed.on('error', () => reply.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo; // It listens on a port.
  gateway = await startGateway({
    env: { HTTP_ALLOW_PRIVATE: 'true', PUBLIC_URL: `http://127.0.0.1:${port}` },
  });
});
afterAll(async () => {
  await gateway?.stop();
  proxy?.closeAllConnections();
  proxy?.close();
});

interface Listed {
  readonly run_id: string;
  readonly status: string;
}

/** An organization with an endpoint `self` that leads to the gateway, and a run that waits for `trigger.failed`. */
async function start(transport: string) {
  const organization = await newOrganization(gateway);
  const on = new Workflows(organization);
  const { port } = proxy.address() as AddressInfo; // It listens on a port.
  const headers = { Authorization: `Bearer ${organization.token}` };
  const write_conn = { url: `http://127.0.0.1:${port}`, headers };
  await on.made('/endpoints', {
    endpoint: 'self',
    kind: 'http',
    config: { transport, write_conn },
  });
  const told = { eventSource: 'causeway', eventPattern: 'trigger.failed' };
  const told_by = await on.add([{ id: 'told', type: 'wait', ...told }]);
  const waits = await on.start(told_by);
  await on.waits(told_by, waits);
  return { organization, on, told: () => on.ended(told_by, waits) };
}

function again(path: string, body: JsonObject): JsonObject {
  const input = { method: 'POST', path, body };
  return { id: 'again', type: 'endpoint', endpoint: 'self', operation: 'write', input };
}

/** The runs of a workflow, the newest first, once there are so many and all have ended. */
async function runsOf(organization: Organization, workflow: string): Promise<Listed[]> {
  const list = async () => {
    const { body } = await organization.call('GET', `/workflows/${workflow}/executions`);
    return (body as unknown as { executions: Listed[] }).executions; // As the operation answers.
  };
  const ended = async () =>
    (await list()).filter(({ status }) => ['succeeded', 'failed'].includes(status)).length;
  await expect.poll(ended, { timeout: 60_000, interval: 200 }).toBe(MOST);
  return list();
}

/** All but the last succeeded, and what the last asked for was refused. */
async function expectRefused({ organization, on }: Awaited<ReturnType<typeof start>>, id: string) {
  const runs = await runsOf(organization, id);
  const failed = runs.filter(({ status }) => status === 'failed');
  expect(failed).toHaveLength(1);
  const { error } = await on.ended(id, failed[0]?.run_id ?? '');
  expect(error).toMatchObject({ ...REFUSED, details: { status: 400 } });
  expect(JSON.stringify(error)).toContain(TOO_DEEP);
}

describe.each(['edge', 'relay'])('over the %s', (transport) => {
  test('starts by anyone', async () => {
    const at = await start(transport);
    const trigger = { type: 'api', authentication: { required: false } };
    const action = again(`/hooks/${at.organization.id}/loop`, {});
    const input = { schema: { type: 'object' } };
    await at.on.made('/workflows', { id: 'loop', name: 'Loop', trigger, input, actions: [action] });
    await at.on.start('loop');
    await expectRefused(at, 'loop');
    const data = { workflow: 'loop', trigger: 0, code: 'INVALID_INPUT', message: TOO_DEEP };
    expect(await at.told()).toMatchObject({ output: { event: 'trigger.failed', data } });
  }, 120_000);

  test('starts with a token', async () => {
    const at = await start(transport);
    const action = again('/api/v1/workflows/loop', {});
    await at.on.made('/workflows', { id: 'loop', name: 'Loop', actions: [action] });
    await at.on.start('loop');
    await expectRefused(at, 'loop');
    const data = { workflow: 'loop', code: 'INVALID_INPUT', message: TOO_DEEP };
    expect(await at.told()).toMatchObject({ output: { event: 'trigger.failed', data } });
  }, 120_000);

  test('events', async () => {
    const at = await start(transport);
    const trigger = { type: 'event', source: 'app', event: 'again' };
    const action = again('/api/v1/events', { source: 'app', event: 'again', data: {} });
    await at.on.made('/workflows', { id: 'loop', name: 'Loop', trigger, actions: [action] });
    await at.on.start('loop');
    const runs = await runsOf(at.organization, 'loop');
    expect(runs.filter(({ status }) => status !== 'succeeded')).toEqual([]);
    const data = { workflow: 'loop', trigger: 0, code: 'INVALID_INPUT', message: TOO_DEEP };
    expect(await at.told()).toMatchObject({ output: { event: 'trigger.failed', data } });
  }, 120_000);
});
