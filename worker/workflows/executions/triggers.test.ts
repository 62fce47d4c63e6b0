/** The state of triggers, and what they make of a sample. Spec: workflows.md §5. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../proto/json.ts';
import { hook, type Shop, SIGNATURE, startShop } from '../../facades/hooks/test/shop.ts';
import { failure } from '../../test/gateway.ts';

const TIME = expect.stringMatching(/^\d{4}-.*Z$/);
const OPEN = { type: 'api', authentication: { required: false } };
const schema = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } };
const EVENT = {
  type: 'event',
  source: 'shop',
  event: 'order.*',
  filter: 'event.startsWith("order") && data.n > 1',
  mapping: { n: '$.data.n', of: '$.event' },
};
const SCHEDULE = {
  type: 'schedule',
  schedule: '0 9 * * 1-5',
  input: { n: 1, at: '$.trigger.time' },
};

describe('triggers', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop();
  });
  const listed = async (id: string) =>
    (await shop.call('GET', `/workflows/${id}/triggers`)).body as unknown as {
      triggers: JsonObject[];
    };

  test('are told in the order of the definition, without secrets', async () => {
    await shop.store('all', [{ type: 'api' }, EVENT, hook('all')]);
    expect(await listed('all')).toEqual({
      triggers: [
        { index: 0, type: 'api', state: 'active' },
        { index: 1, type: 'event', state: 'active' },
        { index: 2, type: 'webhook', state: 'active' },
      ],
    });
    await shop.store('none', []);
    expect(await listed('none')).toEqual({ triggers: [] });
  });

  test('tell when they last started a run, and when their workflow is paused', async () => {
    await shop.store('last', [{ type: 'api' }, hook('last/hook'), OPEN], { input: { schema } });
    await shop.call('POST', '/workflows/last', { n: 1 });
    await shop.deliver('last/hook', { n: 1 });
    await shop.post('last', '{"n":1}');
    await shop.settle();
    const last = { state: 'active', last: TIME };
    const triggers = [
      { index: 0, type: 'api', ...last },
      { index: 1, type: 'webhook', ...last },
      { index: 2, type: 'api', ...last },
    ];
    await expect.poll(() => listed('last')).toEqual({ triggers });
    await shop.call('PATCH', '/workflows/last', { status: 'paused' });
    const paused = triggers.map((each) => ({ ...each, state: 'paused' }));
    expect(await listed('last')).toEqual({ triggers: paused });
  });

  test('tell the last fault of a webhook: one that its sender made fails it, a stranger’s does not', async () => {
    await shop.store('faults', hook('faults'), { input: { schema } });
    await shop.post('faults', '{}', { [SIGNATURE]: '0'.repeat(64) });
    await shop.settle();
    const unsigned = {
      code: 'DELIVERY_SIGNATURE_INVALID',
      message: 'The signature does not match',
    };
    expect(await listed('faults')).toEqual({
      triggers: [{ index: 0, type: 'webhook', state: 'active', error: unsigned }],
    });
    await shop.deliver('faults', { n: 'x' });
    await shop.settle();
    const error = { code: 'BAD_REQUEST', message: expect.stringMatching(/^n: /) };
    expect(await listed('faults')).toEqual({
      triggers: [{ index: 0, type: 'webhook', state: 'failing', error }],
    });
    await shop.deliver('faults', { n: 1 });
    await shop.settle();
    expect(await listed('faults')).toEqual({
      triggers: [{ index: 0, type: 'webhook', state: 'active', last: TIME, error }],
    });
  });

  test('are forgotten with their workflow', async () => {
    await shop.store('again', hook('again'));
    await shop.deliver('again', {});
    await shop.settle();
    expect((await listed('again')).triggers[0]).toHaveProperty('last');
    await shop.call('DELETE', '/workflows/again?confirm=true');
    await shop.settle();
    await shop.store('again', hook('again'));
    expect((await listed('again')).triggers[0]).not.toHaveProperty('last');
  });

  const tried = (id: string, index: string | number, sample: Json) =>
    shop.call('POST', `/workflows/${id}/triggers/${index}/test`, sample);

  test.each<[what: string, index: number, sample: JsonObject, answer: JsonObject]>([
    [
      'an event that matches',
      0,
      { source: 'shop', event: 'order.paid', data: { n: 2 } },
      { matches: true, input: { n: 2, of: 'order.paid' }, faults: [] },
    ],
    [
      'one that the filter leaves out',
      0,
      { event: 'order.', data: { n: 1 } },
      { matches: false, faults: [] },
    ],
    [
      'one of another source',
      0,
      { source: 'bank', event: 'order.paid', data: { n: 2 } },
      { matches: false, faults: [] },
    ],
    [
      'one of another name',
      0,
      { source: 'shop', event: 'paid', data: { n: 2 } },
      { matches: false, faults: [] },
    ],
    [
      'one at which the filter throws',
      0,
      { data: { n: 2 } },
      {
        matches: false,
        faults: [{ path: 'trigger.0.filter', message: expect.any(String) }],
      },
    ],
    [
      'one whose input the schema refuses',
      0,
      { event: 'order.paid', data: { n: 2.5 } },
      {
        matches: true,
        input: { n: 2.5, of: 'order.paid' },
        faults: [{ path: 'n', message: expect.any(String) }],
      },
    ],
    [
      'a delivery',
      1,
      { body: { n: 3 }, headers: { 'X-Of': 'a' } },
      { matches: true, input: { n: 3, of: 'a' }, faults: [] },
    ],
    [
      'a tick',
      2,
      { trigger: { time: '2026-03-10T09:00:00Z' } },
      { matches: true, input: { n: 1, at: '2026-03-10T09:00:00Z' }, faults: [] },
    ],
    ['an input', 3, { n: 4 }, { matches: true, input: { n: 4 }, faults: [] }],
  ])('answer what they make of %s, and start nothing', async (_what, index, sample, answer) => {
    const triggers = [
      EVENT,
      hook('tried/hook', { mapping: { n: '$.body.n', of: '$.headers["x-of"]' } }),
      SCHEDULE,
      OPEN,
    ];
    const known = await shop.call('GET', '/workflows/tried');
    if (known.status === 404) await shop.store('tried', triggers, { input: { schema } });
    expect(await tried('tried', index, sample)).toEqual({ status: 200, body: answer });
    expect(await shop.runsOf('tried')).toEqual([]);
  });

  test('of a webhook take what a delivery has, and name what it has not', async () => {
    await shop.store('strict', hook('strict'));
    const [n, boddy] = ['is no member of a delivery; known are', 'is no member of a delivery; did'];
    const details = [
      { path: 'n', message: `${n} body, headers, query` },
      { path: 'boddy', message: `${boddy} you mean "body"?` },
    ];
    const told = details.map(({ path, message }) => `${path}: ${message}`).join('; ');
    expect(await tried('strict', 0, { n: 1, boddy: {} })).toEqual({
      status: 400,
      body: failure('BAD_REQUEST', told, details),
    });
  });

  test('answer numbers and members as the sample writes them', async () => {
    await shop.store('text', [
      { type: 'event', source: 'shop', event: 'order' },
      { type: 'event', source: 'shop', event: 'order', mapping: '$.data' },
    ]);
    const data = '{"b":1.10,"a":1.0,"1":12345678901234567890,"__proto__":-0}';
    const headers = {
      Authorization: `Bearer ${await shop.token()}`,
      'Content-Type': 'application/json',
    };
    for (const index of [0, 1]) {
      const init = { method: 'POST', headers, body: `{"data":${data}}` };
      const reply = await shop.send(`/workflows/text/triggers/${index}/test`, init);
      expect(await reply.text()).toBe(`{"matches":true,"input":${data},"faults":[]}`);
    }
  });

  test('that are none are 404', async () => {
    await shop.store('few', hook('few'));
    for (const index of ['1', '-1', 'x', '00']) {
      expect(await tried('few', index, {})).toEqual({
        status: 404,
        body: failure('NOT_FOUND', `Workflow few has no trigger ${index}`),
      });
    }
  });

  test('can be tried by who may read the workflow', async () => {
    await shop.store('read', hook('read'));
    const reader = await shop.token(await shop.addUser('Read'));
    const path = '/workflows/read/triggers/0/test';
    expect(await shop.call('POST', path, { body: { n: 1 } }, reader)).toEqual({
      status: 200,
      body: { matches: true, input: { n: 1 }, faults: [] },
    });
  });
});
