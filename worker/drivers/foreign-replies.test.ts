/** Replies of an organization's own nodes, which may answer with anything, share the memory of an isolate. docs/heavy-work.md. */

import { create, toBinary } from '@bufbuild/protobuf';
import { Code, createClient } from '@connectrpc/connect';
import { describe, expect, test } from 'vitest';
import {
  CollectResponseSchema,
  RelayService,
  RunResponseSchema,
} from '../../proto/gen/relay/v1/relay_pb.ts';
import { takenIn } from '../limits/heavy-work.ts';
import { relayTransport } from './transport.ts';

const KIBIBYTE = 1024;
const LARGE = 4 * 1024 * KIBIBYTE;
const AT_ONCE = 6;
/** What comes in of a reply before it is known to be large, and a part beyond. */
const BEGUN = 4 * 128 * KIBIBYTE;

/** A node that answers with these bytes, and how many of replies that are not complete have come in. */
function nodeOf(reply: Uint8Array, contentType: string) {
  const seen = { bytes: 0, most: 0 };
  const send = async () => {
    let at = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          // As from a network.
          await new Promise((resolve) => setTimeout(resolve));
          const part = reply.subarray(at, at + 64 * KIBIBYTE);
          at += part.byteLength;
          seen.bytes += part.byteLength;
          seen.most = Math.max(seen.most, seen.bytes);
          if (part.byteLength > 0) return controller.enqueue(part);
          seen.bytes -= reply.byteLength;
          controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    return new Response(body, { headers: { 'Content-Type': contentType } });
  };
  const address = crypto.randomUUID();
  const transport = relayTransport('http://node', send, {
    replyMaxBytes: 2 * LARGE,
    messageMaxBytes: 2 * LARGE,
    takeIn: (body, keptWith) => takenIn({ address }, body, keptWith),
  });
  return { client: createClient(RelayService, transport), seen };
}

test('replies that come no further hold no more than a bound', async () => {
  const begun: number[] = [];
  const send = async () => {
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1;
        if (sent <= 20) return controller.enqueue(new Uint8Array(1024 * KIBIBYTE));
        begun.push(Date.now());
        return new Promise<void>(() => {}); // It comes to no end.
      },
    });
    return new Response(body, { headers: { 'Content-Type': 'application/proto' } });
  };
  const address = crypto.randomUUID();
  const transport = relayTransport('http://node', send, {
    replyMaxBytes: 10 * LARGE,
    messageMaxBytes: 10 * LARGE,
    takeIn: (body, keptWith) => takenIn({ address }, body, keptWith),
  });
  const client = createClient(RelayService, transport);
  const failed: unknown[] = [];
  for (let call = 0; call < 5; call += 1) client.run({}).catch((thrown) => failed.push(thrown));
  // Of 20 MiB each, three go into 64 MiB. The others are lost: what they asked for may have taken effect.
  await expect.poll(() => [begun.length, failed.length], { timeout: 15_000 }).toEqual([3, 2]);
  expect(failed).toMatchObject([{ code: Code.Unavailable }, { code: Code.Unavailable }]);
});

describe('large ones come in one after another', () => {
  test('as whole replies', async () => {
    const result = new Uint8Array(LARGE).fill(7);
    const reply = toBinary(RunResponseSchema, create(RunResponseSchema, { result }));
    const { client, seen } = nodeOf(reply, 'application/proto');
    const replies = await Promise.all(Array.from({ length: AT_ONCE }, () => client.run({})));
    expect(replies.map((each) => each.result.byteLength)).toEqual(replies.map(() => LARGE));
    expect(seen.most).toBeLessThan(LARGE + AT_ONCE * BEGUN);
  });

  test('as messages of streams', async () => {
    const chunk = new Uint8Array(LARGE).fill(7);
    const message = toBinary(CollectResponseSchema, create(CollectResponseSchema, { chunk }));
    const end = new TextEncoder().encode('{}');
    const reply = new Uint8Array(5 + message.byteLength + 5 + end.byteLength);
    const view = new DataView(reply.buffer);
    view.setUint32(1, message.byteLength);
    reply.set(message, 5);
    view.setUint8(5 + message.byteLength, 2);
    view.setUint32(6 + message.byteLength, end.byteLength);
    reply.set(end, 10 + message.byteLength);
    const { client, seen } = nodeOf(reply, 'application/connect+proto');
    const collect = async () => {
      const sizes: number[] = [];
      for await (const piece of client.collect({})) sizes.push(piece.chunk.byteLength);
      return sizes;
    };
    const sizes = await Promise.all(Array.from({ length: AT_ONCE }, collect));
    expect(sizes).toEqual(sizes.map(() => [LARGE]));
    expect(seen.most).toBeLessThan(LARGE + AT_ONCE * BEGUN);
  });
});
