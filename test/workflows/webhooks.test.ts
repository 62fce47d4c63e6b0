/** Deliveries over real sockets: large, in pieces, compressed, and again after the gateway was killed. Spec: workflows.md §5, `webhook`. */
import { createHmac, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../proto/json.ts';
import { freePort } from '../../server/ports.ts';
import { dataFolder, type Gateway, sharedGateway, startGateway } from '../gateway.ts';
import { newOrganization, type Organization } from '../organization.ts';
import { Workflows } from './workflows.ts';

const SECRET = 'a secret of tests';
const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/);
const MEBIBYTE = 1024 * 1024;

const sign = (body: string | Buffer) =>
  `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;

/** A webhook whose run answers the length of `text` in its body. */
const HOOK = {
  trigger: {
    type: 'webhook',
    path: 'sized',
    synchronous: true,
    authentication: {
      type: 'hmac',
      header: 'X-Signature',
      secret: SECRET,
      idHeader: 'X-Delivery',
    },
    mapping: { value: '$.body.text.length' },
  },
};
const ECHO = { id: 'only', type: 'template', template: 'echo', input: { value: '$.input.value' } };

async function storeHook(organization: Organization): Promise<Workflows> {
  const on = new Workflows(organization);
  await on.addEcho();
  await on.made('/workflows', { id: 'sized', name: 'Sized', actions: [ECHO], ...HOOK });
  return on;
}

/** Sends bytes as they are, in so many pieces with no length told where it is more than one. */
function post(
  { gateway, id }: Pick<Organization, 'gateway' | 'id'>,
  body: Buffer,
  headers: Readonly<Record<string, string>>,
  pieces = 1,
): Promise<{ status: number | undefined; body: JsonObject }> {
  return new Promise((resolve, reject) => {
    const length = pieces === 1 ? { 'Content-Length': String(body.byteLength) } : {};
    const type = { 'Content-Type': 'application/json' };
    const options = { method: 'POST', headers: { ...type, ...length, ...headers } };
    const sent = request(`${gateway.url}/hooks/${id}/sized`, options, async (reply) => {
      let text = '';
      for await (const part of reply) text += part;
      resolve({ status: reply.statusCode, body: JSON.parse(text) as JsonObject }); // Replies are JSON.
    });
    sent.on('error', reject);
    const step = Math.ceil(body.byteLength / pieces);
    for (let at = 0; at < body.byteLength; at += step) sent.write(body.subarray(at, at + step));
    sent.end();
  });
}

const textOf = (length: number) => Buffer.from(JSON.stringify({ text: 'x'.repeat(length) }));

describe('a delivery', () => {
  let organization: Organization;
  beforeAll(async () => {
    organization = await newOrganization(await sharedGateway());
    await storeHook(organization);
  });

  test.each([
    ['of 1 KiB, in one piece', 1024, 1],
    ['of 1 KiB, in 5 pieces of no told length', 1024, 5],
    ['of nearly 10 MiB, in one piece', 10 * MEBIBYTE - 20, 1],
    ['of nearly 10 MiB, in 100 pieces of no told length', 10 * MEBIBYTE - 20, 100],
  ])('%s starts a run', async (_what, length, pieces) => {
    const body = textOf(length);
    const reply = await post(organization, body, { 'X-Signature': sign(body) }, pieces);
    expect(reply).toEqual({
      status: 200,
      body: { run_id: UUID, status: 'succeeded', output: { value: length } },
    });
  });

  test.each([1, 100])('of more than 10 MiB in %d pieces is 413', async (pieces) => {
    const body = textOf(10 * MEBIBYTE);
    const reply = await post(organization, body, { 'X-Signature': sign(body) }, pieces);
    expect(reply).toMatchObject({ status: 413, body: { code: 'PAYLOAD_TOO_LARGE' } });
  });

  test('that is compressed is 415, whatever it is signed over', async () => {
    const plain = textOf(1024);
    const body = gzipSync(plain);
    for (const signed of [plain, body]) {
      const headers = { 'Content-Encoding': 'gzip', 'X-Signature': sign(signed) };
      expect(await post(organization, body, headers)).toMatchObject({ status: 415 });
    }
  });

  test('that is empty is 400, and without a signature 401', async () => {
    const empty = Buffer.alloc(0);
    expect(await post(organization, empty, { 'X-Signature': sign('') })).toMatchObject({
      status: 400,
      body: { message: 'The body is empty: send JSON, or a form' },
    });
    expect(await post(organization, empty, {})).toMatchObject({ status: 401 });
  });
});

test('a delivery comes once although the gateway is killed after it was answered, or before', async () => {
  const data = await dataFolder();
  const args = ['--port', String(await freePort('127.0.0.1'))];
  let gateway = await startGateway({ data, args });
  try {
    const organization = await newOrganization(gateway);
    await storeHook(organization);
    const at = { gateway, id: organization.id };
    const send = (name: string) => {
      const body = textOf(10);
      return post(at, body, { 'X-Signature': sign(body), 'X-Delivery': name });
    };
    const first = await send('answered');
    expect(first.status).toBe(200);
    const { run_id } = first.body;
    // Whether it has started a run by then is not known.
    const cut = Array.from({ length: 5 }, () => send(`cut-${randomUUID()}`).catch(() => undefined));
    await gateway.stop('SIGKILL');
    await Promise.all(cut);

    gateway = await startGateway({ data, args });
    expect(await send('answered')).toEqual({ status: 202, body: { run_id } });
    const again = await Promise.all([send('new'), send('new'), send('new')]);
    expect(new Set(again.map(({ body }) => body.run_id)).size).toBe(1);
    const listed = async () => {
      const { body } = await organization.call('GET', '/workflows/sized/executions?limit=100');
      const { executions } = body as { executions: { trigger: { id: string } }[] };
      return executions.map(({ trigger }) => trigger.id);
    };
    await expect.poll(async () => (await listed()).includes('new')).toBe(true);
    const names = await listed();
    expect(names.length).toBe(new Set(names).size);
    // It is noted a second late.
    const triggers = async () => (await organization.call('GET', '/workflows/sized/triggers')).body;
    const last = expect.any(String);
    const told = { triggers: [{ index: 0, type: 'webhook', state: 'active', last }] };
    await expect.poll(triggers).toEqual(told);
  } finally {
    await gateway.stop('SIGKILL');
    await rm(data, { recursive: true, force: true });
  }
});

test('a flood of deliveries that are not signed is refused by address, and holds up no right one', async () => {
  const gateway = await startGateway({ env: { RATE_LIMITS: 'on' } });
  try {
    const organization = await newOrganization(gateway);
    await storeHook(organization);
    const body = textOf(10);
    const at: { gateway: Gateway; id: string } = { gateway, id: organization.id };
    const wrong = { 'X-Signature': sign('another body') };
    const replies = await Promise.all(Array.from({ length: 300 }, () => post(at, body, wrong)));
    const statuses = replies.map(({ status }) => status);
    // The limiter counts by the minutes of the clock: two of them at most.
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(120);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(180);
    expect(await post(at, body, { 'X-Signature': sign(body) })).toMatchObject({ status: 200 });
  } finally {
    await gateway.stop('SIGKILL');
  }
});
