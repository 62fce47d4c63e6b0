/** The front: it alone says who is calling, and passes everything else on as it is. */
import { once } from 'node:events';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { front, type Handler, stopFronts } from './test/front.ts';

afterEach(stopFronts);

const echoHeaders: Handler = (incoming, reply) => {
  reply.end(JSON.stringify(incoming.headers));
};

/** Headers as the worker sees them. */
async function seen(port: number, headers: Record<string, string>) {
  const sent = request({ port, headers, agent: false }).end();
  const [answer]: IncomingMessage[] = await once(sent, 'response');
  return JSON.parse((await answer?.toArray())?.join('') ?? '');
}

describe('who is calling', () => {
  test('is the peer of the connection, whatever the client claims', async () => {
    const { port } = await front(echoHeaders);
    const claims = {
      'X-Causeway-Peer': 'secret 6.6.6.6',
      'X-Forwarded-For': '6.6.6.6',
      'CF-Connecting-IP': '6.6.6.6',
      'MF-CF-Blob': '{"clientIp":"6.6.6.6"}',
      'True-Client-IP': '6.6.6.6',
      'X-Real-IP': '6.6.6.6',
      Forwarded: 'for=6.6.6.6',
    };
    expect(await seen(port, { ...claims, 'X-Other': 'stays' })).toEqual({
      host: `localhost:${port}`,
      connection: 'keep-alive',
      'x-other': 'stays',
      'x-causeway-peer': 'secret 127.0.0.1',
    });
  });

  test.each([
    { proxy: '127.0.0.1', forwarded: '6.6.6.6, 203.0.113.7', caller: '203.0.113.7' },
    { proxy: '::ffff:127.0.0.1', forwarded: '2001:db8::7', caller: '2001:db8::7' },
    { proxy: '127.0.0.1', forwarded: 'no address', caller: '127.0.0.1' },
    { proxy: '127.0.0.1', forwarded: '', caller: '127.0.0.1' },
    { proxy: '10.0.0.1', forwarded: '203.0.113.7', caller: '127.0.0.1' },
  ])('behind $proxy, which says "$forwarded", is $caller', async ({ proxy, forwarded, caller }) => {
    const { port } = await front(echoHeaders, proxy);
    const headers = await seen(port, { 'X-Forwarded-For': forwarded });
    expect(headers).toMatchObject({ 'x-causeway-peer': `secret ${caller}` });
    expect(headers).not.toHaveProperty('x-forwarded-for');
  });
});

describe('what passes', () => {
  test('is everything but what belongs to the connection', async () => {
    const { port } = await front(echoHeaders);
    const headers = await seen(port, {
      Connection: 'close, X-Hop',
      'X-Hop': '1',
      TE: 'trailers',
      Cookie: 'a=1; b=2',
      Authorization: 'Bearer t',
    });
    expect(headers).toEqual({
      host: `localhost:${port}`,
      connection: 'keep-alive',
      cookie: 'a=1; b=2',
      authorization: 'Bearer t',
      'x-causeway-peer': 'secret 127.0.0.1',
    });
  });

  test('goes on as often as it came', async () => {
    const { port } = await front(({ headersDistinct }, reply) =>
      reply.end(JSON.stringify(headersDistinct['content-type'])),
    );
    const headers = { 'Content-Type': ['application/json', 'text/plain'] };
    const sent = request({ port, headers, agent: false }).end();
    const [answer]: IncomingMessage[] = await once(sent, 'response');
    expect((await answer?.toArray())?.join('')).toBe('["application/json","text/plain"]');
  });

  const HOST =
    'Host: must be a host name or an address, with a port or without, and the target a path';
  test.each([
    ['two hosts', 'GET / HTTP/1.1\r\nHost: one\r\nHost: two', HOST],
    ['no host', 'GET / HTTP/1.1', HOST],
    ['no host, of HTTP/1.0', 'GET / HTTP/1.0', HOST],
    ['a host that holds a path', 'GET / HTTP/1.1\r\nHost: a/b#', HOST],
    ['a target that is no path', 'GET * HTTP/1.1\r\nHost: a', HOST],
    [
      'a character that cannot go on',
      'GET / HTTP/1.1\r\nHost: a\r\nX-Other: a\x7fb',
      'The request is not one of HTTP/1.1',
    ],
    ['no HTTP', 'GET / HTTP/1.1\r\nHost a', 'The request is not one of HTTP/1.1'],
  ])('holds no request with %s', async (_what, head, message) => {
    const { port } = await front(echoHeaders);
    const socket = connect(port, '127.0.0.1');
    socket.write(Buffer.from(`${head}\r\nConnection: close\r\n\r\n`, 'latin1'));
    const [first = '', body = ''] = (await socket.toArray()).join('').split('\r\n\r\n');
    expect(first).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(JSON.parse(body)).toMatchObject({ error: 'Bad Request', code: 'BAD_REQUEST', message });
  });

  test.each([
    ['a tunnel', 'CONNECT a:80 HTTP/1.1\r\nHost: a', 'CONNECT is not supported: this is no proxy'],
    [
      'a body in another coding',
      'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked',
      'Transfer-Encoding is taken as chunked alone',
    ],
  ])('is refused as not supported: %s', async (_what, head, message) => {
    const { port } = await front(echoHeaders);
    const socket = connect(port, '127.0.0.1');
    // The connection is closed: what follows is not read as another request.
    socket.write(`${head}\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n`);
    const [first = '', body = '', ...more] = (await socket.toArray()).join('').split('\r\n\r\n');
    expect(first).toMatch(/^HTTP\/1\.1 501 Not Implemented\r\n/);
    expect(first).toMatch(/\r\nConnection: close/);
    expect(JSON.parse(body)).toMatchObject({ code: 'NOT_SUPPORTED', message });
    expect(more).toEqual([]);
  });

  test('that is answered before its body has come ends its connection', async () => {
    const { port } = await front((_, reply) => reply.writeHead(408).end('late'));
    const socket = connect(port, '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n{');
    expect((await socket.toArray()).join('')).toMatch(/\r\nConnection: close\r\n[\s\S]*late/);
  });

  test('names its host as the client did', async () => {
    const { port } = await front(echoHeaders);
    expect(await seen(port, { Host: '[::1]:8787' })).toMatchObject({ host: '[::1]:8787' });
  });

  test('is method, path, status, headers and body, unchanged', async () => {
    const { port } = await front((incoming, reply) => {
      reply.writeHead(418, {
        'Set-Cookie': ['a=1', 'b=2'],
        'X-Was': `${incoming.method} ${incoming.url}`,
      });
      incoming.pipe(reply);
    });
    const body = Buffer.alloc(3_000_000, 'body');
    const reply = await fetch(`http://127.0.0.1:${port}/a%20b?c=%2F`, { method: 'PATCH', body });
    expect([reply.status, reply.headers.get('x-was')]).toEqual([418, 'PATCH /a%20b?c=%2F']);
    expect(reply.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(Buffer.from(await reply.arrayBuffer()).equals(body)).toBe(true);
  });

  test('passes as it arrives: a line is here before the next is written', async () => {
    const writers: ServerResponse[] = [];
    const { port } = await front((_, reply) => {
      writers.push(reply);
      reply.flushHeaders();
    });
    // The head alone already arrives.
    const { body } = await fetch(`http://127.0.0.1:${port}/`);
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    for (const line of ['one\n', 'two\n']) {
      writers[0]?.write(line);
      expect(await reader?.read()).toEqual({ done: false, value: line });
    }
    writers[0]?.end();
    expect(await reader?.read()).toEqual({ done: true, value: undefined });
  });

  test('does not pile up: a reader that stops stops the writer', async () => {
    let written = 0;
    const { port } = await front((_, reply) => {
      const more = () => {
        do written += 65_536;
        while (reply.write(Buffer.alloc(65_536)));
        reply.once('drain', more);
      };
      more();
    });
    const sent = request({ port }).end();
    const [answer]: IncomingMessage[] = await once(sent, 'response');
    answer?.pause();
    let before = -1;
    const sinceThen = () => {
      const more = written - before;
      before = written;
      return more;
    };
    await expect.poll(sinceThen, { interval: 300 }).toBe(0);
    expect(written).toBeGreaterThan(65_536);
    expect(written).toBeLessThan(32 * 1024 * 1024);
    sent.destroy();
  });
});

describe('an end', () => {
  test('of the client ends the work upstream', async () => {
    const gone = Promise.withResolvers<string>();
    const { port } = await front((_, reply) => {
      reply.on('close', () => gone.resolve('gone'));
      reply.write('first');
    });
    const controller = new AbortController();
    const reply = await fetch(`http://127.0.0.1:${port}/`, { signal: controller.signal });
    await reply.body?.getReader().read();
    controller.abort();
    expect(await gone.promise).toBe('gone');
  });

  test('of the worker in the middle of a reply is an end, not a whole reply', async () => {
    const replies: ServerResponse[] = [];
    const { port } = await front((_, reply) => {
      replies.push(reply);
      reply.write('first');
    });
    const reply = await fetch(`http://127.0.0.1:${port}/`);
    replies[0]?.destroy();
    await expect(reply.text()).rejects.toThrow();
  });

  test('of the worker before a reply is 503 in the form of all errors', async () => {
    const { port } = await front((_, reply) => reply.destroy());
    const headers = { 'X-Request-Id': 'mine' };
    const reply = await fetch(`http://127.0.0.1:${port}/`, { headers });
    expect([reply.status, Object.fromEntries(reply.headers)]).toMatchObject([
      503,
      {
        'retry-after': '1',
        'x-request-id': 'mine',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      },
    ]);
    expect(await reply.json()).toEqual({
      error: 'Service unavailable',
      message: 'The gateway is not ready',
      code: 'SERVICE_UNAVAILABLE',
      request_id: 'mine',
    });
  });
});
