/** A relay that listens nowhere, called through its tunnels and the real edge runtime. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { memoryDriver } from '../test/memory-driver.ts';
import { failureOf, query, targetOf, utf8Of } from '../test/relay.ts';
import { startTunnelledRelay, type TunnelledRelay } from './test/relay.ts';

const { driver, seen } = memoryDriver();
let node: TunnelledRelay;
let sealedConnection: string;
beforeAll(async () => {
  node = await startTunnelledRelay({ drivers: { postgres: driver } });
  sealedConnection = await node.sealFor({});
});
afterAll(() => node.stop());

const read = (text: string) => ({
  target: targetOf('read', { sealedConnection }),
  request: query(text),
});

describe('a call through a tunnel', () => {
  test('is answered as one to a port is', async () => {
    const { result } = await node.client.run(read('select 1'));
    expect(JSON.parse(utf8Of(result))).toEqual({
      request: { type: 'query', query: 'select 1' },
      mode: 'read',
    });
    expect(await failureOf(node.client.run(read('refuse')))).toMatchObject({
      code: 'REQUEST_FAILED',
      message: 'The database refused it',
    });
  });

  test('about its health is answered without a part', async () => {
    const { socket } = node.places;
    node.places.socket = undefined;
    const reply = await fetch(`${node.edge.url}/healthz`);
    node.places.socket = socket;
    expect([reply.status, reply.headers.get('Causeway-Instance'), await reply.text()]).toEqual([
      200,
      'one',
      'up',
    ]);
  });

  test('carries large bodies both ways', async () => {
    const text = `select ${'x'.repeat(10 * 1024 * 1024)}`;
    const { collectId } = await node.client.run(read(text));
    let size = 0;
    for await (const { chunk } of node.client.collect({ collectId })) size += chunk.byteLength;
    expect(size).toBe(
      JSON.stringify({ request: { type: 'query', query: text }, mode: 'read' }).length,
    );
  });

  test('streams, and stops the stream that is left', async () => {
    let rows = 0;
    for await (const { chunk } of node.client.runStream(read('rows 100'))) {
      if (chunk.byteLength > 0) rows += 1;
    }
    expect(rows).toBe(100);
    const left = node.client.runStream(read('rows 100000'), { headers: { 'Test-Call': 'stream' } });
    for await (const { chunk } of left) if (chunk.byteLength > 0) break;
    expect(node.relay.figures().callsInFlight).toBe(1);
    await node.leave('stream');
    await expect.poll(() => node.relay.figures().callsInFlight).toBe(0);
  });

  test('ends at the backend when the gateway gives it up', async () => {
    const before = seen.aborted.length;
    const call = node.client.run(read('hang'), { headers: { 'Test-Call': 'left' } });
    const failed = failureOf(call);
    await expect.poll(() => seen.running).toBe(1);
    await node.leave('left');
    await expect.poll(() => seen.aborted.length).toBe(before + 1);
    await failed;
  });

  test('keeps its deadline', async () => {
    const failure = await failureOf(node.client.run(read('hang'), { timeoutMs: 100 }));
    expect(failure.connect).toBe(4);
  });
});
