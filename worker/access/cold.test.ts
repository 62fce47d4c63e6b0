/** What the first request of a new isolate waits for: its caches of callers, endpoints and templates are empty. */
import { env } from 'cloudflare:test';
import { expect, test } from 'vitest';
import type { Json } from '../../proto/json.ts';
import { bytes, startRunning } from '../test/running.ts';
import { countTrips } from '../test/trips.ts';
import { forgetAll } from './policy.ts';

/** Trips to D1 before the reply, and how many of them one after another. */
const [TRIPS_MAX, ROUNDS_MAX] = [5, 2];

const QUERY = { type: 'query', query: 'select 1' };
const INNER = {
  id: 'inner',
  name: 'Inner',
  transformationRules: [{ target: 'total', expression: 'price * 2' }],
};
const OUTER = {
  id: 'outer',
  name: 'Outer',
  transformationRules: [{ target: 'of', template: 'inner', input: 'item' }],
};
const READING = {
  id: 'reading',
  request: 'Read',
  template: { endpoint: 'orders', query: 'select * from orders where id = {{id: Number}}' },
};

/** A gateway that others have filled; nothing of it is remembered here. */
async function startCold() {
  const trips = countTrips(env.DB);
  const made = () => ({ trips: trips.count(), rounds: trips.rounds() });
  let asked: ReturnType<typeof made> | undefined;
  const relay = {
    run() {
      // What is written of the request goes on beside the reply, and may begin before it.
      asked ??= made();
      return { result: bytes('[]') };
    },
  };
  const gateway = await startRunning(relay, { bindings: { DB: trips.binding } });
  const keyed = await gateway.call('POST', '/iam/keys', {
    name: 'cold',
    endpoints: { orders: 'Read' },
  });
  if (keyed.status !== 200) throw new Error(JSON.stringify(keyed));
  const { key } = keyed.body as { key: string }; // Its status says so.
  for (const template of [INNER, OUTER, READING]) {
    const { status, body } = await gateway.call('POST', '/templates', template);
    if (status !== 200) throw new Error(JSON.stringify(body));
  }
  await gateway.settle();
  forgetAll();
  const before = made();
  const counted = async (path: string, body: Json, bearer?: string) => {
    const { status } = await gateway.call('POST', path, body, bearer);
    const after = asked ?? made();
    return {
      status,
      trips: after.trips - before.trips,
      rounds: after.rounds - before.rounds,
    };
  };
  return { ...gateway, key, counted };
}

const ASKED: readonly { name: string; path: string; body: Json; byKey?: true }[] = [
  { name: 'a read by a token', path: '/endpoints/orders/read', body: QUERY },
  { name: 'a read by a key', path: '/endpoints/orders/read', body: QUERY, byKey: true },
  { name: 'a run of a template', path: '/templates/inner', body: { price: 1 } },
  { name: 'a run that nests another', path: '/templates/outer', body: { item: { price: 1 } } },
  { name: 'a run that reads an endpoint', path: '/templates/reading', body: { id: 1 } },
];

test.each(ASKED)('$name makes at most five trips, in two rounds', async ({ path, body, byKey }) => {
  const { counted, key } = await startCold();
  const { status, trips, rounds } = await counted(path, body, byKey ? key : undefined);
  expect(status).toBe(200);
  expect(trips).toBeGreaterThan(0);
  expect(trips).toBeLessThanOrEqual(TRIPS_MAX);
  expect(rounds).toBeLessThanOrEqual(ROUNDS_MAX);
});
