/** A reply is told for what its call reached, and not for another that has its id since. */
import { expect, test } from 'vitest';
import { make, ORDER } from '../templates/test/definitions.ts';
import { bytes, startRunning } from '../test/running.ts';

const ROWS = bytes('{"columns":[],"rows":[],"row_count":0}');
const REDIS = {
  endpoint: 'cache',
  kind: 'redis',
  config: { write_conn: { url: 'redis://r.test:6379' } },
};

test.each([
  ['/endpoints/cache', '/read', { type: 'get', key: 'a' }],
  ['/endpoints/cache', '/write', { type: 'set', key: 'a', value: '1' }],
  ['/endpoints/cache', '/transaction', { operations: [{ type: 'get', key: 'a' }] }],
  ['/templates/order', '', { id: 7 }],
  ['/templates/order', '/render', { data: { id: 7 } }],
])('%s%s', async (path, way, body) => {
  const gateway = await startRunning({
    run: () => ({ result: ROWS }),
    transact: () => ({ result: bytes('[]') }),
  });
  const makeBoth = async () => {
    expect((await gateway.call('POST', '/endpoints', REDIS)).status).toBe(200);
    await make(gateway, ORDER);
  };
  const headers = {
    Authorization: `Bearer ${await gateway.token()}`,
    'Content-Type': 'application/json',
    'Idempotency-Key': 'one',
  };
  const send = async () => {
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await gateway.send(`${path}${way}`, init);
    return { status: response.status, isReplay: response.headers.has('Idempotent-Replayed') };
  };
  await makeBoth();
  expect(await send()).toEqual({ status: 200, isReplay: false });
  expect(await send()).toEqual({ status: 200, isReplay: true });
  await gateway.call('DELETE', '/templates/order');
  await gateway.call('DELETE', '/endpoints/cache');
  await makeBoth();
  expect(await send()).toEqual({ status: 404, isReplay: false });
});
