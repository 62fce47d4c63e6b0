/**
 * A million elements in a loop, in the real edge runtime with a heap of 96 MiB: the gateway itself,
 * input and output included. (An isolate has 128 MB; one whose heap is full is gone, and so would
 * be every reply after it.) Above that a clear error, and the isolate goes on.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OwnGateway, startGateway } from '../gateway.ts';
import { newOrganization, type Organization } from '../organization.ts';

/** The engine's own flag: what is beyond it ends the runtime, as 64 do here. */
const HEAP = { MINIFLARE_WORKERD_V8_FLAGS: '--max-heap-size=96' };
/** More than by default: what is looked at here is memory, not time. */
const STEPS = { TEMPLATE_BUDGETS: '{"fuel":50000000}' };

let gateway: OwnGateway;
let organization: Organization;

beforeAll(async () => {
  gateway = await startGateway({ env: { ...HEAP, ...STEPS } });
  organization = await newOrganization(gateway);
});
afterAll(() => gateway?.stop());

const loop = (rules: readonly object[], more: object = {}) => [
  { forEach: { array: 'items', as: 'item', ...more }, target: 'made', rules },
];
const ID = loop([{ target: 'id', source: 'item' }]);

/** Runs such rules on so many times an element. */
async function run(transformationRules: readonly object[], element: string, count: number) {
  const template = { name: 'Million', transformationRules };
  await organization.call('DELETE', '/templates/million');
  expect(await organization.call('POST', '/templates', template)).toMatchObject({ status: 200 });
  const body = `{"items":[${`${element},`.repeat(count - 1)}${element}]}`;
  const reply = await organization.send('POST', '/templates/million', body);
  return { status: reply.status, text: await reply.text() };
}

describe('a million', () => {
  test.each([
    ['numbers become objects', ID, '7', '{"made":[{"id":7},{"id":7},', 9_000_010],
    [
      'objects become objects',
      loop([{ target: 'i', source: 'item.i' }]),
      '{"i":7}',
      '{"made":[{"i":7},{"i":7},',
      8_000_010,
    ],
    [
      'expressions write numbers',
      [
        {
          forEach: { array: 'items', as: 'item', index: 'i' },
          rules: [{ target: 'n[i]', expression: 'item * 2' }],
        },
      ],
      '7',
      '{"n":[14,14,14,',
      3_000_007,
    ],
    [
      'texts are trimmed',
      [
        {
          forEach: { array: 'items', as: 'item', index: 'i' },
          rules: [{ target: 't[i]', source: 'item', transformers: ['trim'] }],
        },
      ],
      '" a"',
      '{"t":["a","a",',
      4_000_007,
    ],
    [
      'are left out except for the last',
      loop([{ target: 'at', source: 'i' }], { index: 'i', filter: 'i === 999999' }),
      '"abcde"',
      '{"made":[{"at":999999}]}',
      24,
    ],
    ['are moved', [{ target: 'items', source: 'items' }], '7', '{"items":[7,7,7,', 2_000_011],
  ])('%s', async (_what, rules, element, begins, length) => {
    const { status, text } = await run(rules, element, 1_000_000);
    expect({ status, begins: text.slice(0, begins.length), length: text.length }).toEqual({
      status: 200,
      begins,
      length,
    });
  });
});

describe('beyond what a run may hold', () => {
  const members = 'abcdefgh'.split('').map((target) => ({ target, source: 'item' }));
  test.each([
    ['three million objects', ID, 3_000_000],
    ['a million objects of eight members', loop(members), 1_000_000],
    [
      'a million texts that are made',
      loop([{ target: 't', expression: '"x".repeat(100 + i)' }], { index: 'i' }),
      1_000_000,
    ],
    ['a million times one text', loop([{ target: 't', value: 'x'.repeat(100) }]), 1_000_000],
    [
      'arrays that an expression makes',
      [{ target: 'n', expression: 'items.map((n) => ({ n, m: [n] }))' }],
      1_000_000,
    ],
  ])('%s are refused, and the next run is unharmed', async (_what, rules, count) => {
    const { status, text } = await run(rules, '7', count);
    expect({ status, body: JSON.parse(text) }).toMatchObject({
      status: 400,
      body: {
        code: 'TEMPLATE_FAILED',
        message: expect.stringContaining('makes more data than one run may hold'),
      },
    });
    expect(await run(ID, '7', 2)).toEqual({ status: 200, text: '{"made":[{"id":7},{"id":7}]}' });
  });
});
