/** A node that signs far more requests than a relay does keeps every nonce until it expires, none longer, and a bounded number. */
import { env, runInDurableObject } from 'cloudflare:test';
import { expect, test } from 'vitest';
import type { RelayNode } from './relay-node.ts';
import { NONCES_MAX } from './used-nonces.ts';

const LIFETIME_MS = 300_000;
const MANY = NONCES_MAX;
/** As long as those that the gateway gives. */
const nonceOf = (at: number) => `${at}.${crypto.randomUUID()}.${'s'.repeat(43)}`;

test('of 10,000 nonces in five minutes each serves once, the last takes no longer than the first, and no more are kept', async () => {
  const object = env.RELAY_NODES.getByName(`${crypto.randomUUID()}:${crypto.randomUUID()}`);
  const instance = crypto.randomUUID();
  await runInDurableObject(object, async (node: RelayNode, { storage }) => {
    const use = (nonce: string, expiresAt = Date.now() + LIFETIME_MS) =>
      node.admit(nonce, expiresAt, Date.now(), instance);
    const nonces = Array.from({ length: MANY }, (_, at) => nonceOf(at));
    const times: number[] = [];
    for (const nonce of nonces) {
      const began = performance.now();
      expect(await use(nonce)).toEqual({ state: 'admitted' });
      times.push(performance.now() - began);
      if (times.length % 1_000 === 500) expect(await use(nonce)).toEqual({ state: 'used' });
    }
    const tookMs = (part: readonly number[]) => part.reduce((sum, each) => sum + each, 0);
    expect(tookMs(times.slice(-1_000))).toBeLessThan(5 * tookMs(times.slice(0, 1_000)) + 50);
    const rows = () => storage.sql.exec('SELECT count(*) AS n FROM nonces').one().n;
    expect(rows()).toBe(MANY);
    // No more, whatever it signs: also those that come again.
    expect(await use(nonceOf(MANY))).toEqual({ state: 'full' });
    expect(await use(nonces[0] ?? '')).toEqual({ state: 'full' });
    expect(rows()).toBe(MANY);
    storage.sql.exec('UPDATE nonces SET expires = expires - ?', LIFETIME_MS + 60_000);
    for (let at = 0; at <= MANY / 100; at += 1) await use(nonceOf(-at));
    expect(rows()).toBe(MANY / 100 + 1);
    // A node that is forgotten has used none.
    await node.forget();
    expect(await use(nonces[0] ?? '')).toEqual({ state: 'admitted' });
  });
});
