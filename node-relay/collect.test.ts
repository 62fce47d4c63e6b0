/** Kept results as bytes alone: what they hold, that they come once, and that nobody waits for who does not read. */

import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { create, toBinary } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { CollectRequestSchema } from '../proto/gen/relay/v1/relay_pb.ts';
import { COLLECT_PATH } from './collect.ts';
import { callToken, query, relaysOfTests, type TestRelay, targetOf } from './test/relay.ts';

const start = relaysOfTests();

async function keep(node: TestRelay, characters: number): Promise<string> {
  const target = targetOf('read', { sealedConnection: node.sealed });
  const { collectId } = await node.client.run({ target, request: query(`big ${characters}`) });
  return collectId;
}

async function collect(node: TestRelay, collectId: string, authorization?: string) {
  const token = await callToken(node.keys, node.relay.nodeId);
  return fetch(`${node.baseUrl}${COLLECT_PATH}`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/proto',
      Authorization: authorization ?? `Bearer ${token}`,
    },
    body: toBinary(CollectRequestSchema, create(CollectRequestSchema, { collectId })),
  });
}

test('a result comes as its bytes, with their number, and once', async () => {
  const node = await start();
  const collectId = await keep(node, 3_000_000);
  const reply = await collect(node, collectId);
  expect(reply.status).toBe(200);
  expect(reply.headers.get('content-length')).toBe('3000002');
  expect(await reply.text()).toBe(JSON.stringify('x'.repeat(3_000_000)));
  const again = await collect(node, collectId);
  expect(again.status).toBe(404);
  expect(await again.json()).toMatchObject({
    code: 'not_found',
    message: 'The result is gone: it is kept for 30 seconds, once',
  });
});

test('who has no token is told so, and the result stays', async () => {
  const node = await start();
  const collectId = await keep(node, 300_000);
  expect((await collect(node, collectId, 'Bearer nothing')).status).toBe(401);
  expect((await (await collect(node, collectId)).text()).length).toBe(300_002);
});

test('a stop waits for who reads, and no longer than it may for who does not', async () => {
  const node = await start({ drainMaxMs: 300 });
  const ids = [await keep(node, 300_000), await keep(node, 60_000_000)];
  const [reading = '', stuck = ''] = ids;
  const token = await callToken(node.keys, node.relay.nodeId);
  const message = create(CollectRequestSchema, { collectId: stuck });
  const sent = httpRequest(`${node.baseUrl}${COLLECT_PATH}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/proto', Authorization: `Bearer ${token}` },
  });
  sent.end(toBinary(CollectRequestSchema, message));
  const [reply] = (await once(sent, 'response')) as [IncomingMessage];
  const broken = once(reply, 'error');
  const drained = node.relay.drain();
  expect((await (await collect(node, reading)).text()).length).toBe(300_002);
  await drained;
  reply.resume();
  expect((await broken)[0]).toMatchObject({ message: 'aborted' });
});
