/** The secrets of a webhook while its sender changes from one to another. Spec: workflows.md §5, `secret`. */
import { beforeAll, expect, test } from 'vitest';
import type { Json } from '../../../proto/json.ts';
import { hook, type Shop, signed, startShop } from './test/shop.ts';

const [OLD, NEW, OTHER] = ['the old secret', 'the new secret', 'the other secret'];

let shop: Shop;
beforeAll(async () => {
  shop = await startShop();
});

/** Those of the three by whose signatures a delivery is taken. */
async function takenBy(path: string): Promise<string[]> {
  const taken: string[] = [];
  for (const secret of [OLD, NEW, OTHER]) {
    const body = JSON.stringify({ secret });
    const { status } = await shop.post(path, body, await signed(body, secret));
    if (status === 202) taken.push(secret);
  }
  return taken;
}

test.each<[what: string, id: string, stored: Json, sent: Json, taken: string[]]>([
  ['a single one behind a new one', 'behind', OLD, [NEW, '***'], [OLD, NEW]],
  ['a single one before a new one', 'before', OLD, ['***', NEW], [OLD, NEW]],
  ['a single one alone', 'alone', OLD, '***', [OLD]],
  ['the second of two', 'second', [OLD, OTHER], [NEW, '***'], [NEW, OTHER]],
  ['the first of two', 'first', [OLD, OTHER], ['***', NEW], [OLD, NEW]],
  ['both of two', 'both', [OLD, OTHER], ['***', '***'], [OLD, OTHER]],
])('a PATCH keeps %s', async (_what, id, stored, sent, taken) => {
  await shop.store(id, hook(id, {}, { secret: stored }));
  const patch = { trigger: hook(id, {}, { secret: sent }) };
  expect(await shop.call('PATCH', `/workflows/${id}`, patch)).toMatchObject({ status: 200 });
  expect(await takenBy(id)).toEqual(taken);
});
