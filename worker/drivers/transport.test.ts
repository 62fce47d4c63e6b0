import { create, equals, toBinary } from '@bufbuild/protobuf';
import {
  Code,
  ConnectError,
  createClient,
  createConnectRouter,
  type ServiceImpl,
} from '@connectrpc/connect';
import { createFetchHandler } from '@connectrpc/connect/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ErrorDetailSchema,
  RelayService,
  type RunRequest,
  RunRequestSchema,
  RunResponseSchema,
} from '../../proto/gen/relay/v1/relay_pb.ts';
import { relayTransport } from './transport.ts';

/** A client of our transport against a stock handler, and the requests that went over the wire. */
function clientOf(implementation: Partial<ServiceImpl<typeof RelayService>>) {
  const router = createConnectRouter({ requireConnectProtocolHeader: true });
  router.service(RelayService, implementation);
  const handlers = new Map(
    router.handlers.map((each) => [each.requestPath, createFetchHandler(each)]),
  );
  const sent: Request[] = [];
  const client = answeredBy((request) => {
    sent.push(request);
    const handler = handlers.get(new URL(request.url).pathname);
    return handler ? handler(request) : Promise.reject(new Error('no such method'));
  });
  return { client, sent };
}

function answeredBy(fetch: (request: Request) => Promise<Response>, replyMaxBytes?: number) {
  return createClient(
    RelayService,
    relayTransport(
      'http://relay.test',
      (url, init) => fetch(new Request(url, init)),
      replyMaxBytes === undefined
        ? undefined
        : { replyMaxBytes, messageMaxBytes: replyMaxBytes, takeIn: (body) => body },
    ),
  );
}

const failureOf = (work: Promise<unknown>): Promise<ConnectError> =>
  work.then(
    () => expect.unreachable('the call succeeds'),
    (thrown) => ConnectError.from(thrown),
  );
const bytes = (text: string) => new TextEncoder().encode(text);

describe('a unary call', () => {
  test('stops reading a reply that is larger than it may be, whatever its head says', async () => {
    let [sent, isCancelled] = [0, false];
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1_024;
        if (sent > 1_000_000) return controller.close();
        controller.enqueue(new Uint8Array(1_024));
      },
      cancel() {
        isCancelled = true;
      },
    });
    const headers = { 'Content-Type': 'application/proto', 'Content-Length': '5' };
    const client = answeredBy(async () => new Response(endless, { headers }), 10_000);
    const { code, isWireError } = await failureOf(client.status({}));
    expect({ code, isWireError, isCancelled, isBounded: sent < 20_000 }).toEqual({
      code: Code.ResourceExhausted,
      isWireError: false,
      isCancelled: true,
      isBounded: true,
    });
  });

  test('takes a reply that is as large as it may be', async () => {
    const body = toBinary(RunResponseSchema, create(RunResponseSchema, { result: bytes('x') }));
    const headers = { 'Content-Type': 'application/proto' };
    const client = answeredBy(async () => new Response(body, { headers }), body.byteLength);
    expect((await client.run({})).result).toEqual(bytes('x'));
  });

  test('brings every request and result through as it is', async () => {
    let seen: RunRequest | undefined;
    const { client } = clientOf({
      run(request) {
        seen = request;
        return { result: request.request, backendUs: request.resultMaxBytes };
      },
    });
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 5000 }),
        fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
        fc.string(),
        fc.boolean(),
        async (request, resultMaxBytes, poolKey, numbersAsStrings) => {
          const message = create(RunRequestSchema, {
            request,
            resultMaxBytes,
            numbersAsStrings,
            target: { poolKey, caps: { total: 7 } },
          });
          const { result, backendUs } = await client.run(message);
          expect(seen && equals(RunRequestSchema, seen, message)).toBe(true);
          expect({ result, backendUs }).toEqual({ result: request, backendUs: resultMaxBytes });
        },
      ),
      { numRuns: 50 },
    );
  });

  test('is a binary POST that follows no redirect and tells the deadline', async () => {
    const { client, sent } = clientOf({ status: () => ({ version: '1' }) });
    await client.status({}, { timeoutMs: 1234.5, headers: { 'X-Request-Id': 'r1' } });
    const [request] = sent;
    expect({
      url: request?.url,
      method: request?.method,
      redirect: request?.redirect,
      headers: Object.fromEntries(request?.headers ?? []),
    }).toEqual({
      url: 'http://relay.test/relay.v1.RelayService/Status',
      method: 'POST',
      redirect: 'manual',
      headers: {
        'content-type': 'application/proto',
        'connect-protocol-version': '1',
        'connect-timeout-ms': '1235',
        'x-request-id': 'r1',
      },
    });
  });

  const codes = Object.values(Code).filter((code) => typeof code === 'number');
  test.each(codes)('keeps code %s of a failure, its text, details and headers', async (code) => {
    const value = { code: 'POOL_EXHAUSTED', details: '[1]' };
    const { client } = clientOf({
      run() {
        const detail = { desc: ErrorDetailSchema, value };
        throw new ConnectError('in words', code, { 'Retry-After': '7' }, [detail]);
      },
    });
    const failure = await failureOf(client.run({}));
    expect({
      code: failure.code,
      text: failure.rawMessage,
      details: failure.findDetails(ErrorDetailSchema).map(({ code, details }) => [code, details]),
      retryAfter: failure.metadata.get('Retry-After'),
      isAnswer: failure.isWireError,
    }).toEqual({
      code,
      text: 'in words',
      details: [['POOL_EXHAUSTED', '[1]']],
      retryAfter: '7',
      isAnswer: true,
    });
  });

  test('ends with the deadline that the other side keeps', async () => {
    const { client } = clientOf({
      run: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
    });
    const failure = await failureOf(client.run({}, { timeoutMs: 5 }));
    expect(failure.code).toBe(Code.DeadlineExceeded);
  });

  test.each([
    [
      'a proxy without the relay',
      new Response('<h1>Bad gateway</h1>', { status: 502 }),
      Code.Unavailable,
    ],
    ['a redirect', new Response(null, { status: 302 }), Code.Unknown],
    ['another server', new Response('not found', { status: 404 }), Code.Unimplemented],
    ['JSON that is no error', Response.json([], { status: 500 }), Code.Unknown],
    [
      'a lie about JSON',
      new Response('{', { status: 503, headers: { 'Content-Type': 'application/json' } }),
      Code.Unavailable,
    ],
  ])('takes %s for no answer of the relay', async (_, response, code) => {
    const failure = await failureOf(answeredBy(() => Promise.resolve(response)).run({}));
    expect({ code: failure.code, isAnswer: failure.isWireError }).toEqual({
      code,
      isAnswer: false,
    });
  });

  test('takes a line that breaks for unavailable', async () => {
    const lost = () => Promise.reject(new Error('Network connection lost.'));
    const failure = await failureOf(answeredBy(lost).run({}));
    expect([failure.code, failure.isWireError]).toEqual([Code.Unavailable, false]);
  });
});

describe('a stream', () => {
  test('hands messages over as they are sent', async () => {
    const { promise: wanted, resolve: want } = Promise.withResolvers<void>();
    const { client, sent } = clientOf({
      async *runStream() {
        yield { chunk: bytes('1') };
        await wanted;
        yield { chunk: bytes('2') };
      },
    });
    const messages = client.runStream({}, { timeoutMs: 9000 })[Symbol.asyncIterator]();
    expect((await messages.next()).value?.chunk).toEqual(bytes('1'));
    want();
    expect((await messages.next()).value?.chunk).toEqual(bytes('2'));
    expect((await messages.next()).done).toBe(true);
    expect(sent[0]?.redirect).toBe('manual');
    expect(sent[0]?.headers.get('Connect-Timeout-Ms')).toBe('9000');
  });

  test('ends with the failure that comes after messages', async () => {
    const { client } = clientOf({
      async *runStream() {
        yield { chunk: bytes('1') };
        const value = { code: 'TIMED_OUT', details: '' };
        throw new ConnectError('late', Code.DeadlineExceeded, undefined, [
          { desc: ErrorDetailSchema, value },
        ]);
      },
    });
    const messages = client.runStream({})[Symbol.asyncIterator]();
    await messages.next();
    const failure = await failureOf(messages.next());
    expect(failure.findDetails(ErrorDetailSchema)[0]?.code).toBe('TIMED_OUT');
  });

  test('tells the other side when it is left', async () => {
    const { promise: left, resolve: leave } = Promise.withResolvers<void>();
    const { client } = clientOf({
      async *runStream(_, { signal }) {
        signal.addEventListener('abort', () => leave());
        for (;;) yield { chunk: bytes('row') };
      },
    });
    const leaving = new AbortController();
    const messages = client.runStream({}, { signal: leaving.signal })[Symbol.asyncIterator]();
    await messages.next();
    leaving.abort();
    await left;
    expect((await failureOf(messages.next())).code).toBe(Code.Canceled);
  });

  test('takes a line that breaks for unavailable', async () => {
    const lost = () => Promise.reject(new Error('Network connection lost.'));
    const messages = answeredBy(lost).runStream({})[Symbol.asyncIterator]();
    expect((await failureOf(messages.next())).code).toBe(Code.Unavailable);
  });
});
