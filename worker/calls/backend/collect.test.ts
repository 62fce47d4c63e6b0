/** Results that a relay hands over as bytes alone: what passes to a client, and what is kept as a whole. */
import { expect, test } from 'vitest';
import { make, nesting, ORDER } from '../../templates/test/definitions.ts';
import { relayInMemory } from '../../test/gateway.ts';
import { startRunning } from '../../test/running.ts';

const QUERY = { type: 'query', query: 'select 1' };
const encoder = new TextEncoder();

/** A gateway whose relay keeps every result, and hands this one over. */
function startKeeping(body: () => ReadableStream<Uint8Array>) {
  const relay = relayInMemory({
    ping: () => ({ latencyUs: 100n }),
    status: () => ({}),
    release: () => ({}),
    run: () => ({ collectId: 'kept-1', backendUs: 10n }),
  });
  const RELAY = {
    async fetch(url: string, init: RequestInit) {
      if (!url.endsWith('/Collect')) return relay.fetch(url, init);
      return new Response(body(), { headers: { 'Content-Type': 'application/octet-stream' } });
    },
  };
  return startRunning({}, { bindings: { RELAY } });
}

function streamOf(...pieces: string[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(encoder.encode(piece));
      controller.close();
    },
  });
}

/** Breaks off after its beginning. */
function broken(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(encoder.encode('{"rows":'));
      controller.error(new Error('Network connection lost'));
    },
  });
}

test('pass to a client between the halves of the envelope', async () => {
  const rows = `[${Array.from({ length: 200_000 }, (_, at) => at).join()}]`;
  const gateway = await startKeeping(() => streamOf('{"rows":', rows, '}'));
  const reply = await gateway.post('/read', QUERY);
  expect(reply.status).toBe(200);
  expect(await reply.text()).toBe(`{"status":"success","data":{"rows":${rows}}}`);
});

test('are the same to who keeps them as a whole', async () => {
  const gateway = await startKeeping(() => streamOf('{"rows":', '[{"id":1.10}]', '}'));
  await make(gateway, ORDER);
  expect(await gateway.call('POST', `/templates/${ORDER.id}`, { id: 1 })).toMatchObject({
    status: 200,
    body: { rows: [{ id: 1.1 }] },
  });
});

test('break off where the relay is lost in the middle', async () => {
  const gateway = await startKeeping(broken);
  const reply = await gateway.post('/read', QUERY);
  await expect(reply.text()).rejects.toThrow();
});

test('are lost as a whole where the relay is lost in the middle', async () => {
  const gateway = await startKeeping(broken);
  await make(gateway, ORDER);
  await make(gateway, nesting('whole', ORDER.id));
  expect(await gateway.call('POST', '/templates/whole', { id: 1 })).toMatchObject({
    status: 503,
    body: { code: 'NODE_UNAVAILABLE' },
  });
});

test('end at the relay when the client leaves', async () => {
  const { promise: left, resolve: leave } = Promise.withResolvers<void>();
  const gateway = await startKeeping(
    () =>
      new ReadableStream({
        async pull(controller) {
          controller.enqueue(encoder.encode('[1'));
          await scheduler.wait(5);
        },
        cancel: () => leave(),
      }),
  );
  const reply = await gateway.post('/read', QUERY);
  const reader = reply.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  expect(await left).toBeUndefined();
});
