/** Deliveries that come again, and those of the schemes that name theirs. Spec: workflows.md §5, `webhook`. */
import { sign } from '@octokit/webhooks-methods';
import { Webhook } from 'standardwebhooks';
import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../proto/json.ts';
import { failure } from '../../test/gateway.ts';
import { hook, type Shop, startShop, told } from './test/shop.ts';

const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/);
const UNSIGNED = (message: string) => ({
  status: 401,
  body: failure('DELIVERY_SIGNATURE_INVALID', message),
});

describe('a delivery that comes again', () => {
  test('starts nothing, and is answered with the first run’s id: by a header', async () => {
    const shop = await startShop();
    await shop.store('once', hook('once', {}, { idHeader: 'X-Delivery' }));
    const first = await shop.deliver('once', { n: 1 }, { 'X-Delivery': 'd-1' });
    await shop.settle();
    const again = await shop.deliver('once', { n: 2 }, { 'X-Delivery': 'd-1' });
    expect(told(again)).toEqual({ status: 202, body: first.body });
    const other = await shop.deliver('once', { n: 2 }, { 'X-Delivery': 'd-2' });
    expect(other.body).not.toEqual(first.body);
    const unnamed = [await shop.deliver('once', {}), await shop.deliver('once', {})];
    expect(unnamed[0]?.body).not.toEqual(unnamed[1]?.body);
    const ids = async () =>
      (await shop.runsOf('once')).map(({ trigger }) => (trigger as JsonObject).id);
    await expect.poll(async () => (await ids()).length).toBe(4);
    expect(await ids()).toEqual(['d-1', 'd-2', UUID, UUID]);
  });

  test('at the same moment starts one run', async () => {
    const shop = await startShop();
    await shop.store('once', hook('once', {}, { id: '$.body.id' }));
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => shop.deliver('once', { id: 7 })),
    );
    expect(new Set(replies.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    await shop.settle();
    await expect.poll(async () => (await shop.runsOf('once')).length).toBe(1);
  });

  test('starts a run when the one before was refused', async () => {
    const shop = await startShop();
    const schema = { type: 'object', required: ['n'] };
    await shop.store('once', hook('once', {}, { id: 'body.id' }), { input: { schema } });
    expect((await shop.deliver('once', { id: 'a' })).status).toBe(400);
    expect((await shop.deliver('once', { id: 'a', n: 1 })).status).toBe(202);
  });

  test('whose name is as long as a body is known by all of it, and its run is listed', async () => {
    const shop = await startShop();
    await shop.store('once', hook('once', {}, { id: '$.body.id' }));
    const long = 'i'.repeat(3_000_000);
    const first = await shop.deliver('once', { id: long });
    expect(told(first)).toEqual({ status: 202, body: { run_id: UUID } });
    expect(told(await shop.deliver('once', { id: long }))).toEqual(told(first));
    expect(told(await shop.deliver('once', { id: `${long}j` }))).not.toEqual(told(first));
    await shop.settle();
    const ids = async () =>
      (await shop.runsOf('once')).map(({ trigger }) => (trigger as JsonObject).id);
    await expect.poll(ids).toEqual([long.slice(0, 255), long.slice(0, 255)]);
  });

  test('whose name cannot be made is refused', async () => {
    const shop = await startShop();
    await shop.store('once', hook('once', {}, { id: '$.body.id.toUpperCase()' }));
    expect(await shop.deliver('once', {})).toMatchObject({
      status: 400,
      body: { details: [{ path: 'trigger.authentication.id' }] },
    });
  });
});

describe('of a scheme', () => {
  const secret = `whsec_${btoa('a secret of the standard')}`;
  const now = () => Math.floor(Date.now() / 1000);
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop();
    for (const scheme of ['standard', 'stripe', 'slack']) {
      const authentication = { type: 'hmac', scheme, secret };
      await shop.store(scheme, { type: 'webhook', path: scheme, authentication });
    }
  });

  async function deliver(scheme: string, body: string, at = now()) {
    if (scheme === 'standard') {
      const signature = new Webhook(secret).sign('msg_1', new Date(at * 1000), body);
      const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': String(at) };
      return shop.post(scheme, body, { ...headers, 'webhook-signature': signature });
    }
    if (scheme === 'stripe') {
      const made = await sign(secret, `${at}.${body}`);
      return shop.post(scheme, body, {
        'Stripe-Signature': `t=${at},${made.replace('sha256=', 'v1=')}`,
      });
    }
    const made = await sign(secret, `v0:${at}:${body}`);
    const headers = { 'X-Slack-Request-Timestamp': String(at) };
    return shop.post(scheme, body, {
      ...headers,
      'X-Slack-Signature': made.replace('sha256=', 'v0='),
    });
  }

  test.each([
    ['standard', '{"type":"paid"}'],
    ['stripe', '{"id":"evt_1","type":"paid"}'],
    ['slack', '{"event_id":"Ev1","type":"event_callback"}'],
  ])(
    '%s it is taken once within seven days, by the name that the scheme gives it',
    async (scheme, body) => {
      const first = await deliver(scheme, body);
      expect(told(first)).toEqual({ status: 202, body: { run_id: UUID } });
      expect(told(await deliver(scheme, body, now() - 100))).toEqual(told(first));
      expect(told(await deliver(scheme, body, now() - 400))).toEqual(
        UNSIGNED(
          "The delivery was signed more than 300 seconds from now: look at the sender's clock",
        ),
      );
    },
  );

  test('slack the question for the address is answered, and starts nothing', async () => {
    const body = JSON.stringify({ type: 'url_verification', token: 't', challenge: '3eZbrw1a' });
    expect(told(await deliver('slack', body))).toEqual({
      status: 200,
      body: { challenge: '3eZbrw1a' },
    });
    expect((await shop.post('slack', body)).status).toBe(401);
  });
});
