/** The relay's connections to an index: kept, counted, replaced and given up. */
import { once } from 'node:events';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { PineconeRequest } from '../../../kinds/pinecone/index.ts';
import type { BackendClient, Call, Mode } from '../../../proto/driver.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { type PineconeStandIn, startPinecone } from '../../../test/stand-ins/pinecone/index.ts';
import type { Host } from '../driver.ts';
import { selfSigned } from '../test/certificate.ts';
import { callOf, jsonOf, openClient, testHost } from '../test/host.ts';
import { pinecone } from './index.ts';

const STATS: PineconeRequest = { type: 'describe_index_stats' };
const WRITE: PineconeRequest = { type: 'delete', body: { ids: ['a'], deleteAll: false } };

let index: PineconeStandIn;
/** Of the session under test, in their order. */
let dialled: Socket[];
beforeAll(async () => {
  index = await startPinecone();
});
afterAll(() => index.stop());
beforeEach(() => {
  dialled = [];
});

function counting(host: Host): Host {
  return {
    ...host,
    async dial(...args) {
      const socket = await host.dial(...args);
      dialled.push(socket);
      return socket;
    },
  };
}

function open(mode: Mode, connections?: number): Promise<BackendClient<PineconeRequest>> {
  return openClient(pinecone, {
    connection: { url: index.url },
    settings: { api_key: index.apiKey },
    mode,
    host: counting(testHost(connections)),
  });
}

async function codeOf(ended: Promise<unknown>): Promise<string | undefined> {
  const thrown = await ended.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return thrown instanceof GatewayError ? thrown.code : String(thrown);
}

test('one connection serves call after call', async () => {
  const session = await open('read');
  for (let at = 0; at < 20; at += 1) await session.run(STATS, callOf('read'));
  expect(dialled.length).toBe(1);
  await session.close();
  expect(dialled[0]?.destroyed).toBe(true);
});

test('calls at once have connections of their own, as many as there may be', async () => {
  const session = await open('read', 3);
  const results = await Promise.all(
    Array.from({ length: 30 }, () => session.run(STATS, callOf('read'))),
  );
  expect(results.map(jsonOf)).toEqual(results.map(() => expect.objectContaining({ dimension: 3 })));
  expect(dialled.length).toBe(3);
  await session.close();
});

test.each(['read', 'write'] as const)(
  'a connection that was dropped while idle is replaced, for a %s too',
  async (mode) => {
    const session = await open(mode);
    const request = mode === 'read' ? STATS : WRITE;
    await session.run(request, callOf(mode));
    const [first] = dialled;
    if (!first) throw new Error('nothing was dialled');
    first.destroy();
    await once(first, 'close');
    await session.run(request, callOf(mode));
    expect(dialled.length).toBe(2);
    await session.close();
  },
);

test('a refused connection is no lost write', async () => {
  const gone = await startPinecone();
  await gone.stop();
  const session = await openClient(pinecone, {
    connection: { url: gone.url },
    settings: { api_key: gone.apiKey },
    mode: 'write',
  });
  expect(await codeOf(session.run(WRITE, callOf('write')))).toBe('CONNECTION_FAILED');
  await session.close();
});

test('a write that was cut off is not known to have failed, and is not sent again', async () => {
  const session = await open('write');
  await session.run(WRITE, callOf('write'));
  const before = index.received.length;
  index.failing.push({ cut: 'before' });
  expect(await codeOf(session.run(WRITE, callOf('write')))).toBe('OUTCOME_UNKNOWN');
  expect(index.received.length).toBe(before + 1);
  await session.close();
});

test('a call that ends early frees its connection for the next', async () => {
  const session = await open('read', 1);
  const controller = new AbortController();
  const reason = new GatewayError('TIMED_OUT', 'over');
  index.failing.push('silence');
  const ended = session.run(STATS, callOf('read', { signal: controller.signal }));
  await expect.poll(() => index.failing.length).toBe(0);
  controller.abort(reason);
  expect(await codeOf(ended)).toBe('TIMED_OUT');
  expect(dialled[0]?.destroyed).toBe(true);
  expect(jsonOf(await session.run(STATS, callOf('read')))).toMatchObject({ dimension: 3 });
  await session.close();
});

test('a result that is too large frees its connection for the next', async () => {
  const session = await open('read', 1);
  const small: Partial<Call> = { resultMaxBytes: 1_000 };
  index.failing.push({ status: 200, body: `{"a":"${'x'.repeat(1_000_000)}"}` });
  expect(await codeOf(session.run(STATS, callOf('read', small)))).toBe('RESULT_TOO_LARGE');
  expect(jsonOf(await session.run(STATS, callOf('read')))).toMatchObject({ dimension: 3 });
  await session.close();
});

test('TLS asks for a certificate that is trusted', async () => {
  const { certificate: cert, key } = selfSigned({ dnsName: 'localhost', years: 1 });
  const server = createSecureServer({ cert, key }, (_, response) => response.end('{}'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // Of a server that listens on a port.
  const session = await openClient(pinecone, {
    connection: { url: `https://localhost:${port}` },
    settings: { api_key: 'pcsk_key' },
    mode: 'write',
  });
  expect(await codeOf(session.run(WRITE, callOf('write')))).toBe('CONNECTION_FAILED');
  await session.close();
  server.close();
});
