/** Events of subscriptions, rewritten for clients of Upstash. */
import { expect, test } from 'vitest';
import type { RedisCommand } from '../../../kinds/redis/command.ts';
import { Content } from '../../outcome.ts';
import { asUpstashTells } from './events.ts';

/** What a client reads of a stream that came in those pieces. */
async function read(command: RedisCommand, ...pieces: string[]): Promise<string> {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(encoder.encode(piece));
      controller.close();
    },
  });
  return new Response(asUpstashTells(command, new Content('text/event-stream', body)).bytes).text();
}

test('a subscription is confirmed for each channel, then tells messages', async () => {
  const told = await read(
    { type: 'subscribe', args: ['chat', 'news'] },
    ':\n\n',
    'data: {"channel":"chat","message":"hello, all"}\n\ndata: {"channel":"ne',
    'ws","message":{"$bytes":"aP8="}}\n\n',
  );
  expect(told).toBe(
    'data: subscribe,chat,1\n\ndata: subscribe,news,2\n\n:\n\ndata: message,chat,hello, all\n\ndata: message,news,h\ufffd\n\n',
  );
});

test('a message of a pattern names it and its channel; one of many lines stays one event', async () => {
  const told = await read(
    { type: 'psubscribe', args: ['n*'] },
    'data: {"pattern":"n*","channel":"news","message":"one\\ntwo"}\n\n',
  );
  expect(told).toBe('data: psubscribe,n*,1\n\ndata: pmessage,n*,news,one\ndata: two\n\n');
});

test('MONITOR tells lines, without whose they are', async () => {
  const told = await read(
    { type: 'monitor', args: [] },
    'data: {"time":1721284005.24209,"db":0,"command":["SET","k","a\\"b\\n"]}\n\n',
  );
  expect(told).toBe('data: "OK"\n\ndata: 1721284005.242090 [0 0.0.0.0:0] "SET" "k" "a\\"b\\n"\n\n');
});

test('a failure is the last event, in the words that other errors have', async () => {
  const told = await read(
    { type: 'subscribe', args: ['chat'] },
    'event: error\ndata: {"error":"Unauthorized","message":"Token has expired","code":"TOKEN_EXPIRED"}\n\n',
  );
  expect(told).toBe(
    'data: subscribe,chat,1\n\nevent: error\ndata: {"error":"Token has expired"}\n\n',
  );
});

test('a message of a shard is one of a shard', async () => {
  const told = await read(
    { type: 'ssubscribe', args: ['{a}'] },
    'data: {"channel":"{a}","message":"x"}\n\n',
  );
  expect(told).toBe('data: ssubscribe,{a},1\n\ndata: smessage,{a},x\n\n');
});
