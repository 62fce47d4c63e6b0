/** What lasts is told of a stop: a client can tell it from a result that is complete. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { type OwnGateway, startGateway } from './gateway.ts';
import { checkedFetch } from './openapi/checked-fetch.ts';
import { newOrganization } from './organization.ts';
import { backend } from './servers/backends.ts';

const DRAIN_S = 2;
const STOPPING = {
  error: 'Service unavailable',
  message: 'The gateway is stopping',
  code: 'SERVICE_UNAVAILABLE',
  request_id: expect.any(String),
};

let gateway: OwnGateway | undefined;
afterEach(async () => {
  await gateway?.stop('SIGKILL');
});

/** A body as it arrives; `whole` settles at its end, with how that came after `since`. */
function reading(response: Response) {
  expect(response.status).toBe(200);
  const first = Promise.withResolvers<void>();
  let text = '';
  const whole = (async () => {
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += piece;
      first.resolve();
      // A stream without an end would else take all that the machine has.
      await sleep(5);
    }
    return { text, endedAt: performance.now() };
  })();
  whole.catch(first.reject);
  return { first: first.promise, whole };
}

test.each([
  ['on a socket of its own', []],
  ['behind its front', ['--host', '0.0.0.0']],
])('streams end with their last line, subscriptions with their last event: %s', async (_, args) => {
  const [postgres, redis] = await Promise.all([backend('postgres'), backend('redis')]);
  gateway = await startGateway({ args, env: { DRAIN_S: String(DRAIN_S), RELAY_ALLOW: '*' } });
  const { token, call, addPostgres } = await newOrganization(gateway);
  const rows = await addPostgres(postgres.url);
  const events = { endpoint: 'events', kind: 'redis', config: { write_conn: { url: redis.url } } };
  expect(await call('POST', '/endpoints', events)).toMatchObject({ status: 200 });
  const ask = (endpoint: string, accept: string, body: object) =>
    checkedFetch(`${gateway?.url}/api/v1/endpoints/${endpoint}/read`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        Accept: accept,
      },
      body: JSON.stringify(body),
    });
  // In the list of columns, from where rows go out as they are made.
  const query = "select repeat('x', 1000) as x, generate_series(1, 100000000) as n";
  const stream = reading(await ask(rows, 'application/x-ndjson', { query }));
  const channels = { type: 'SUBSCRIBE', channels: ['news'] };
  const subscription = reading(await ask('events', 'text/event-stream', channels));
  await Promise.all([stream.first, subscription.first]);

  const told = performance.now();
  const stopped = gateway.stop();
  const last = await subscription.whole;
  expect(last.text).toMatch(/event: error\ndata: .*\n\n$/);
  expect(JSON.parse(/event: error\ndata: (.*)\n\n$/.exec(last.text)?.[1] ?? '')).toEqual(STOPPING);
  const { text, endedAt } = await stream.whole;
  expect(JSON.parse(text.trimEnd().split('\n').at(-1) ?? '')).toEqual({ $error: STOPPING });
  // The subscription ends at once, the stream has the time of requests in flight.
  expect(last.endedAt).toBeLessThan(endedAt);
  expect(endedAt - told).toBeGreaterThan(DRAIN_S * 1000 - 100);
  expect(await stopped).toEqual({ code: 0, signal: null });
});
