/** Workflows that anyone may start, and what may come from one address or for one organization. Spec: workflows.md §5. */

import { beforeAll, describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../proto/json.ts';
import { countDelivery, countStartOf } from '../../limits/hooks.ts';
import { contextOf } from '../../test/audit.ts';
import { failure } from '../../test/gateway.ts';
import { hook, type Shop, signed, startShop, told } from './test/shop.ts';

const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/);
const OPEN = { type: 'api', authentication: { required: false } };
const schema = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string', maxLength: 20 } },
  additionalProperties: false,
};

describe('a workflow that anyone may start', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop();
    await shop.store('contact', OPEN, { input: { schema } });
    await shop.store('ask', { ...OPEN, synchronous: true }, { input: { schema } });
    await shop.store('closed', { type: 'api' }, { input: { schema } });
  });

  test('is started without a token, by its id', async () => {
    const reply = await shop.post('contact', '{"name":"Ada"}');
    expect(told(reply)).toEqual({ status: 202, body: { run_id: UUID } });
    await shop.settle();
    const runs = async () => shop.runsOf('contact');
    await expect
      .poll(async () => (await runs()).map(({ status }) => status))
      .toEqual(['succeeded']);
    expect((await runs())[0]).toMatchObject({ trigger: { type: 'api', index: 0, id: UUID } });
  });

  test('is started by a form', async () => {
    const type = 'application/x-www-form-urlencoded';
    const reply = await shop.post('ask', 'name=Ada', { 'Content-Type': type });
    const output = { of: { name: 'Ada' } };
    expect(told(reply)).toEqual({
      status: 200,
      body: { run_id: UUID, status: 'succeeded', output },
    });
  });

  test('refuses an input that its schema refuses, with every path, and keeps no run of it', async () => {
    const before = await shop.runsOf('ask');
    const reply = await shop.post('ask', '{"name":1,"more":2}');
    expect(reply).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
    const { details } = reply.body as unknown as { details: { path: string }[] };
    expect(details.map(({ path }) => path).toSorted()).toEqual(['more', 'name']);
    expect(await shop.runsOf('ask')).toEqual(before);
  });

  test('takes no token instead, nor an id of one that needs a token', async () => {
    const nothing = { status: 404, body: expect.objectContaining({ code: 'NOT_FOUND' }) };
    expect(told(await shop.post('closed', '{"name":"Ada"}'))).toEqual(nothing);
    expect(told(await shop.post('unknown', '{"name":"Ada"}'))).toEqual(nothing);
    const other = await startShop();
    expect(told(await other.post('contact', '{"name":"Ada"}'))).toEqual(nothing);
  });

  test('tells a failure by its code alone', async () => {
    const actions = [
      {
        id: 'a',
        type: 'dynamicAction',
        selection: {
          expression: '$.input.name',
          options: { x: { type: 'wait', mode: 'duration', duration: 'PT1H' } },
        },
      },
    ];
    await shop.store('fails', { ...OPEN, synchronous: true }, { input: { schema }, actions });
    const reply = await shop.post('fails', '{"name":"Ada"}');
    expect(told(reply)).toEqual({
      status: 200,
      body: { run_id: UUID, status: 'failed', error: { code: 'NO_OPTION' } },
    });
  });

  test('is 409 while it is paused', async () => {
    await shop.store('rests', OPEN, { input: { schema }, status: 'paused' });
    expect(await shop.post('rests', '{"name":"Ada"}')).toMatchObject({
      status: 409,
      body: { code: 'WORKFLOW_PAUSED', message: 'Workflow rests is paused' },
    });
  });
});

describe('with limits', () => {
  const bindings = { RATE_LIMITS: 'on', PEER: '' };
  const from = (address: string) => ({ 'CF-Connecting-IP': address });
  let number = 0;
  /** One that no other test has. */
  const address = () => `192.0.2.${++number}`;

  /** Counts as so many requests for a shop do. */
  function spend(shop: Shop, requests: number, count: typeof countStartOf): void {
    const ctx = { ...contextOf(shop), afterReply: () => undefined };
    for (let request = 0; request < requests; request += 1) count(ctx, shop.organization.uuid);
  }

  /** The platform's limiter here counts by the minutes of the clock: enough of one must be left. */
  async function inOneMinute(): Promise<void> {
    const gone = Date.now() % 60_000;
    if (gone > 35_000) await new Promise((resolve) => setTimeout(resolve, 60_000 - gone));
  }

  test('an address starts 60 a minute; others go on', async () => {
    await inOneMinute();
    const shop = await startShop({ bindings });
    await shop.store('contact', OPEN, { input: { schema } });
    const one = address();
    const start = (of: string) => shop.post('contact', '{"name":"Ada"}', from(of));
    for (let at = 0; at < 60; at += 1) expect((await start(one)).status).toBe(202);
    const refused = await start(one);
    expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
    expect(refused.headers.get('RateLimit-Policy')).toBe('"starts";q=60;w=60');
    expect((await start(one)).status).toBe(429);
    expect((await start(address())).status).toBe(202);
  }, 120_000);

  test('an organization is started 6,000 times a minute, from however many addresses', async () => {
    const shop = await startShop({ bindings });
    await shop.store('contact', OPEN, { input: { schema } });
    await shop.store('listens', hook('listens'));
    const of = (first: number) => (_: unknown, at: number) => from(`198.51.${first}.${at}`);
    // What its schema refuses starts no run, and counts all the same.
    const start = (headers: Record<string, string>) => shop.post('contact', '{}', headers);
    const replies = await Promise.all(Array.from({ length: 100 }, of(1)).map(start));
    expect(replies.filter(({ status }) => status !== 400 && status !== 503)).toEqual([]);
    spend(shop, 5_899, countStartOf);
    expect(await start(from('198.51.100.2'))).toMatchObject({ status: 400 });
    const refused = await start(from('198.51.100.1'));
    expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
    const policy = '"starts-of-organization";q=6000;w=60';
    expect(refused.headers.get('RateLimit-Policy')).toBe(policy);
    expect((await shop.deliver('listens', {}, from(address()))).status).toBe(202);
  });

  test('an address sends 60 unsigned deliveries a minute, to whatever path; its signed ones are taken all the same', async () => {
    await inOneMinute();
    const shop = await startShop({ bindings });
    await shop.store('listens', hook('listens'));
    const one = address();
    const wrong = await signed('{}', 'another secret');
    for (let at = 0; at < 20; at += 1) {
      expect((await shop.post('listens', '{}', from(one))).status).toBe(401);
      expect((await shop.post('listens', '{}', { ...wrong, ...from(one) })).status).toBe(401);
      expect((await shop.post(`unknown-${at}`, '{}', from(one))).status).toBe(404);
    }
    for (const headers of [from(one), { ...wrong, ...from(one) }]) {
      const refused = await shop.post('listens', '{}', headers);
      expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
      expect(refused.headers.get('RateLimit-Policy')).toBe('"unsigned-deliveries";q=60;w=60');
    }
    expect((await shop.post('unknown', '{}', from(one))).status).toBe(429);
    expect((await shop.deliver('listens', {}, from(one))).status).toBe(202);
    expect((await shop.post('listens', '{}', from(address()))).status).toBe(401);
  }, 120_000);

  test('an organization gets 6,000 signed ones a minute', async () => {
    const shop = await startShop({ bindings });
    const question = { type: 'url_verification', challenge: 'c' };
    const authentication = { type: 'hmac', scheme: 'slack', secret: 'a secret of slack' };
    await shop.store('asks', { type: 'webhook', path: 'asks', authentication });
    const body = JSON.stringify(question);
    const at = String(Math.floor(Date.now() / 1000));
    const made = await signed(`v0:${at}:${body}`, authentication.secret);
    const signature = String(Object.values(made)[0]).replace('sha256=', 'v0=');
    const headers = { 'X-Slack-Request-Timestamp': at, 'X-Slack-Signature': signature };
    const one = from(address());
    const ask = () => shop.post('asks', body, { ...headers, ...one });
    const replies = await Promise.all(Array.from({ length: 100 }, ask));
    expect(replies.filter(({ status }) => status !== 200)).toEqual([]);
    spend(shop, 5_899, countDelivery);
    expect(await ask()).toMatchObject({ status: 200 });
    expect(await ask()).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
    expect((await shop.post('asks', body, one)).status).toBe(401);
  });
});

/** Ids of all runs of `listens`, page by page. */
async function runsOf(shop: Awaited<ReturnType<typeof startShop>>): Promise<Json[]> {
  const found: Json[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await shop.call('GET', `/workflows/listens/executions?limit=200${cursor}`);
    const { executions, next_cursor } = body as { executions: JsonObject[]; next_cursor?: string };
    found.push(...executions.map(({ run_id = null }) => run_id));
    if (next_cursor === undefined) return found;
    cursor = `&cursor=${next_cursor}`;
  }
}

/** Far more than may wait, however slowly they arrive. */
const FLOOD = 300;

test('of a flood what has no place is refused and starts nothing; a neighbour is taken meanwhile', async () => {
  const shop = await startShop({ bindings: { RATE_LIMITS: 'off' } });
  const neighbour = await startShop();
  await shop.store('listens', hook('listens'));
  await neighbour.store('listens', hook('listens'));
  let isOver = false;
  // Beside others each start is followed by a rest.
  const beside = async () => {
    while (!isOver) expect((await neighbour.deliver('listens', {})).status).toBe(202);
  };
  const deliver = async () => {
    const reply = await shop.deliver('listens', {});
    // Those that wait go on without rests, once one is refused.
    isOver ||= reply.status === 503;
    return reply;
  };
  const flood = Promise.all(Array.from({ length: FLOOD }, deliver)).finally(() => {
    isOver = true;
  });
  const [replies] = await Promise.all([flood, beside()]);
  const message = 'Too many starts of this organization wait: try again later';
  const shed = replies.filter(({ status }) => status === 503);
  expect(shed.length).toBeGreaterThan(0);
  for (const reply of shed) {
    const body = failure('SERVICE_UNAVAILABLE', message);
    expect(told(reply)).toEqual({ status: 503, body });
    expect(reply.headers.get('Retry-After')).toBe('1');
  }
  const taken = replies.filter(({ status }) => status === 202).map(({ body }) => body);
  expect(taken.length + shed.length).toBe(FLOOD);
  await shop.settle();
  const started = taken.map((each) => (each as JsonObject).run_id).toSorted();
  // What lists read is written soon after.
  const listed = async () => (await runsOf(shop)).toSorted();
  await expect.poll(listed, { timeout: 15_000 }).toEqual(started);
}, 60_000);

test('a large delivery is taken up to the size that callers may send', async () => {
  const shop = await startShop({ bindings: { BODY_MAX_BYTES: '1000000' } });
  await shop.store(
    'large',
    hook('large', { mapping: { n: '$.body.text.length' }, synchronous: true }),
  );
  const text = 'x'.repeat(999_980);
  const reply = await shop.deliver('large', { text });
  expect(reply).toMatchObject({ status: 200, body: { output: { of: { n: 999_980 } } } });
  const more: JsonObject = { text: `${text}xxxxxxxxxxxxxxxxxxxx` };
  expect(await shop.deliver('large', more)).toMatchObject({
    status: 413,
    body: { code: 'PAYLOAD_TOO_LARGE', message: 'The body is larger than 1000000 bytes' },
  });
});
