/** The edge driver of Pinecone: what it sends, by whom, and what it reports a network that fails. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { PineconeRequest } from '../../../../kinds/pinecone/index.ts';
import type { Call, Mode } from '../../../../proto/driver.ts';
import { GatewayError } from '../../../../proto/errors.ts';
import { Lost } from '../driver.ts';
import { pinecone } from './index.ts';

const ENVELOPE = {
  connection: { url: 'https://products.svc.pinecone.io' },
  settings: { api_key: 'pcsk_key' },
};
const STATS: PineconeRequest = { type: 'describe_index_stats' };
const DELETE: PineconeRequest = { type: 'delete', body: { ids: ['a'], deleteAll: false } };

let outside: ReturnType<typeof vi.spyOn>;
beforeEach(() => {
  outside = vi.spyOn(globalThis, 'fetch');
});
afterEach(() => {
  // The driver has no way to the network but its host's.
  expect(outside).not.toHaveBeenCalled();
  outside.mockRestore();
});

function callOf(mode: Mode, signal = new AbortController().signal): Call {
  return { mode, signal, resultMaxBytes: 1_000, numbersAsStrings: false, inPieces: undefined };
}

/** A session whose host answers with one after another, and what was sent to it. */
function sessionOn(...answers: (Response | Error)[]) {
  const sent: Request[] = [];
  const session = pinecone.open(ENVELOPE, {
    async fetch(request) {
      sent.push(request);
      const answer = answers.shift();
      if (answer instanceof Response) return answer;
      throw answer ?? new Error('nothing more is expected');
    },
  });
  return { session, sent };
}

/** The code and the details of what a call ends in. */
async function failure(ended: Promise<unknown>): Promise<[code: string, message: string]> {
  const thrown = await ended.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(thrown instanceof GatewayError)) throw new Error('no GatewayError', { cause: thrown });
  return [thrown.code, thrown.message];
}

test.each([
  ['products-a1b2c3d.svc.aped-4627-b74a.pinecone.io', true],
  ['pinecone.io.example.com', false],
  ['notpinecone.io', false],
  ['127.0.0.1', false],
])('%s is a host of the vendor: %s', (host, is) => {
  expect(pinecone.serves(host)).toBe(is);
});

test('sends one request by its host alone, which follows no redirect', async () => {
  const { session, sent } = sessionOn(new Response('{"totalVectorCount": 3}'));
  const result = await session.run(STATS, callOf('read'));
  expect(new TextDecoder().decode(result)).toBe('{"totalVectorCount": 3}');
  const [only] = sent;
  expect([sent.length, only?.method, only?.url, only?.redirect]).toEqual([
    1,
    'POST',
    'https://products.svc.pinecone.io/describe_index_stats',
    'manual',
  ]);
  expect(Object.fromEntries(only?.headers ?? [])).toEqual({
    'api-key': 'pcsk_key',
    'content-type': 'application/json',
    'user-agent': 'causeway',
    'x-pinecone-api-version': '2026-07',
  });
});

test('escapes what stands in a URL, and leaves the default namespace out', async () => {
  const { session, sent } = sessionOn(new Response('{}'), new Response('{}'));
  await session.run({ type: 'fetch', ids: ['a&ids=b', 'é /?#'], namespace: null }, callOf('read'));
  const list = {
    type: 'list',
    namespace: 'x&prefix=',
    limit: '7',
    pagination_token: '+/=',
  } as const;
  await session.run(list, callOf('read'));
  expect(sent.map(({ url }) => url.replace('https://products.svc.pinecone.io', ''))).toEqual([
    '/vectors/fetch?ids=a%26ids%3Db&ids=%C3%A9%20%2F%3F%23',
    '/vectors/list?limit=7&paginationToken=%2B%2F%3D&namespace=x%26prefix%3D',
  ]);
});

test.each<[name: string, thrown: () => Error, read: string, write: string]>([
  [
    'a refused address',
    () => new GatewayError('ADDRESS_REFUSED', 'no'),
    'ADDRESS_REFUSED',
    'ADDRESS_REFUSED',
  ],
  [
    'no connection',
    () => new GatewayError('CONNECTION_FAILED', 'no'),
    'CONNECTION_FAILED',
    'CONNECTION_FAILED',
  ],
  [
    'a lost connection',
    () => new Lost('CONNECTION_FAILED', 'no'),
    'CONNECTION_FAILED',
    'OUTCOME_UNKNOWN',
  ],
  ['a passed deadline', () => new Lost('TIMED_OUT', 'no'), 'TIMED_OUT', 'OUTCOME_UNKNOWN'],
])('tells of %s what it means, and sends nothing again', async (_, thrown, read, write) => {
  const { session, sent } = sessionOn(thrown(), thrown());
  const codes = [
    (await failure(session.run(STATS, callOf('read'))))[0],
    (await failure(session.run(DELETE, callOf('write'))))[0],
  ];
  expect([codes, sent.length]).toEqual([[read, write], 2]);
});

test('a failing index is asked once', async () => {
  const { session, sent } = sessionOn(new Response('', { status: 500 }));
  expect(await failure(session.run(STATS, callOf('read')))).toEqual([
    'CONNECTION_FAILED',
    'Unable to connect to database: the index failed',
  ]);
  expect(sent.length).toBe(1);
});

test('refuses a write on a read without sending it', async () => {
  const { session, sent } = sessionOn();
  expect(await failure(session.run(DELETE, callOf('read')))).toEqual([
    'BAD_REQUEST',
    'Requests of type delete write; send them to /write',
  ]);
  expect(sent).toEqual([]);
});

test('sends nothing for a call that has ended', async () => {
  const { session, sent } = sessionOn();
  const reason = new GatewayError('TIMED_OUT', 'over');
  const ended = session.run(DELETE, callOf('write', AbortSignal.abort(reason)));
  expect(await failure(ended)).toEqual(['TIMED_OUT', 'over']);
  expect(sent).toEqual([]);
});

test('stops reading a result that is too large', async () => {
  let pulled = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulled += 1;
      controller.enqueue(new TextEncoder().encode('[1234567890]'.repeat(10)));
    },
  });
  const { session } = sessionOn(new Response(endless));
  expect((await failure(session.run(STATS, callOf('read'))))[0]).toBe('RESULT_TOO_LARGE');
  expect(pulled).toBeLessThan(20);
});

test.each([
  ['{"a":1', 'half of an object'],
  ['{"a":1}}', 'more than an object'],
  ['[]', 'an array'],
  ['null', 'null'],
  ['', 'nothing'],
  ['\ufeff{}', 'a mark before the object'],
])('does not hand on %j: %s', async (text) => {
  const { session } = sessionOn(new Response(text), new Response(text));
  expect((await failure(session.run(STATS, callOf('read'))))[0]).toBe('CONNECTION_FAILED');
  expect((await failure(session.run(DELETE, callOf('write'))))[0]).toBe('OUTCOME_UNKNOWN');
});

test('does not hand on what is not UTF-8', async () => {
  const bytes = new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
  const { session } = sessionOn(new Response(bytes));
  expect((await failure(session.run(STATS, callOf('read'))))[0]).toBe('CONNECTION_FAILED');
});
