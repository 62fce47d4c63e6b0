/** What a relay sends through a tunnel may be anything: it harms no more than its own call. */
import { describe, expect, test } from 'vitest';
import { encode, type Frame } from '../../../proto/tunnel/frame.ts';
import { byHand, pairOf } from '../../../proto/tunnel/test/pair.ts';
import { exchange } from './exchange.ts';
import { HeldReplies } from './held-replies.ts';

const FILLER: readonly Frame[] = Array.from({ length: 10_000 }, () => ({ type: 'pong', nonce: 9 }));

/** A request that its relay answers by the frames that are given, each list one message. */
async function answeredBy(...messages: readonly (readonly Frame[])[]): Promise<Response> {
  const pair = pairOf(byHand().serve);
  const reply = exchange(new Request('http://node/method'), pair.gateway, {
    organization: 'own',
    replies: new HeldReplies(1024),
    later: queueMicrotask,
  });
  // The request is sent a turn later.
  await new Promise((resolve) => setTimeout(resolve));
  pair.deliver();
  for (const frames of messages) pair.gateway.receive(encode(frames));
  return reply;
}

describe('a reply through a tunnel', () => {
  test('holds no more memory than its parts, however large the messages were', async () => {
    const part: Frame = { type: 'data', call: 1, bytes: new Uint8Array([7]) };
    const { body } = await answeredBy(
      [{ type: 'head', call: 1, head: { status: 200, headers: {} } }],
      ...Array.from({ length: 100 }, () => [part, ...FILLER]),
    );
    const { value } = (await body?.getReader().read()) ?? {};
    expect([value?.byteLength, value?.buffer.byteLength]).toEqual([100, 100]);
  });

  test.each([
    ['a line break in a header', { status: 200, headers: { a: 'b\r\nc: d' } }],
    ['a name that no header has', { status: 200, headers: { 'a b': '' } }],
  ])('with %s counts as failed', async (_, head) => {
    const { status, headers } = await answeredBy([
      { type: 'head', call: 1, head },
      { type: 'end', call: 1 },
    ]);
    expect([status, headers.get('Causeway-Tunnel')]).toEqual([503, 'failed']);
  });
});
