import { Code } from '@connectrpc/connect';
import { describe, expect, test } from 'vitest';
import { failure } from '../test/gateway.ts';
import { bytes, startRunning, text, textOf, told } from '../test/running.ts';

const QUERY = { type: 'query', query: 'select 1' };
const LINES = { Accept: 'application/x-ndjson' };

/** The lines of a body. */
const lines = (body: string): unknown[] =>
  body
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

describe('a request that accepts NDJSON', () => {
  test('answers rows as they arrive, bare', async () => {
    const { promise: wanted, resolve: want } = Promise.withResolvers<void>();
    const gateway = await startRunning({
      async *runStream({ target, request }) {
        yield { chunk: new Uint8Array() };
        yield { chunk: bytes(`${JSON.stringify([target?.mode, JSON.parse(text(request))])}\n`) };
        await wanted;
        yield { chunk: bytes('{"n":1}\n{"n":2}\n') };
      },
    });
    const response = await gateway.post('/read', QUERY, LINES);
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toBe('application/x-ndjson');
    const reader = response.body?.getReader();
    const first = text((await reader?.read())?.value ?? bytes(''));
    expect(lines(first)).toEqual([['read', QUERY]]);
    want();
    expect(lines(text((await reader?.read())?.value ?? bytes('')))).toEqual([{ n: 1 }, { n: 2 }]);
    expect((await reader?.read())?.done).toBe(true);
  });

  test('is refused as any other when the backend does not accept it', async () => {
    const gateway = await startRunning({
      // biome-ignore lint/correctness/useYield: it fails before anything is sent.
      async *runStream() {
        throw told(Code.InvalidArgument, 'REQUEST_FAILED', 'The backend refused it');
      },
    });
    expect(await gateway.ask('/read', QUERY, LINES)).toEqual({
      status: 400,
      body: failure('REQUEST_FAILED', 'The backend refused it'),
    });
  });

  test('is refused as any other, too, when it fails after that, before a row', async () => {
    const gateway = await startRunning({
      async *runStream() {
        yield { chunk: new Uint8Array() };
        throw told(Code.DeadlineExceeded, 'TIMED_OUT', 'Too late');
      },
    });
    expect(await gateway.ask('/read', QUERY, LINES)).toEqual({
      status: 504,
      body: failure('TIMED_OUT', 'Too late'),
    });
  });

  test('is no line at all where there is no row', async () => {
    const gateway = await startRunning({
      async *runStream() {
        yield { chunk: new Uint8Array() };
      },
    });
    const response = await gateway.post('/read', QUERY, LINES);
    expect([response.status, await textOf(response)]).toEqual([200, '']);
  });

  test.each([
    [
      '/read',
      'a named failure',
      told(Code.DeadlineExceeded, 'TIMED_OUT', 'Too late'),
      failure('TIMED_OUT', 'Too late'),
    ],
    [
      '/read',
      'a lost relay',
      new Error('gone'),
      failure('NODE_UNAVAILABLE', 'No node that can serve the endpoint is available'),
    ],
    [
      '/write',
      'a lost relay',
      new Error('gone'),
      failure(
        'OUTCOME_UNKNOWN',
        'The connection was lost after the request was sent: it may have taken effect',
      ),
    ],
  ])(
    'on %s ends with a line that tells of %s after the first row',
    async (path, _, thrown, line) => {
      const gateway = await startRunning({
        async *runStream() {
          yield { chunk: bytes('{"n":1}\n') };
          throw thrown;
        },
      });
      const response = await gateway.post(path, QUERY, { ...LINES, 'X-Request-Id': 'stream-1' });
      expect(response.status).toBe(200);
      expect(lines(await textOf(response))).toEqual([
        { n: 1 },
        { $error: { ...line, request_id: 'stream-1' } },
      ]);
    },
  );

  test('brings the sealed connection when the relay asks', async () => {
    let calls = 0;
    const gateway = await startRunning({
      async *runStream({ target }) {
        calls += 1;
        if (!target?.sealedConnection) {
          throw told(Code.FailedPrecondition, 'CONNECTION_UNKNOWN', 'not known');
        }
        yield { chunk: bytes('{}\n') };
      },
    });
    const response = await gateway.post('/read', QUERY, LINES);
    expect([await textOf(response), calls]).toEqual(['{}\n', 2]);
  });

  test('stops the relay when the client goes away', async () => {
    const { promise: left, resolve: leave } = Promise.withResolvers<void>();
    const gateway = await startRunning({
      async *runStream(_, { signal }) {
        signal.addEventListener('abort', () => leave());
        for (;;) yield { chunk: bytes('{"n":1}\n') };
      },
    });
    const response = await gateway.post('/read', QUERY, LINES);
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await left;
  });

  test('asks the relay for no more than the client reads', async () => {
    let sent = 0;
    const gateway = await startRunning({
      async *runStream() {
        for (;;) {
          sent += 1;
          yield { chunk: bytes('{"n":1}\n') };
        }
      },
    });
    const reader = (await gateway.post('/read', QUERY, LINES)).body?.getReader();
    for (let row = 0; row < 5; row += 1) await reader?.read();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(sent).toBeLessThan(20);
    await reader?.cancel();
  });
});

describe('a request that accepts CSV', () => {
  const CSV = { Accept: 'text/csv' };

  test('asks the relay for CSV, and passes on what comes', async () => {
    const forms: string[] = [];
    const gateway = await startRunning({
      async *runStream({ rowForm }) {
        forms.push(rowForm);
        yield { chunk: new Uint8Array() };
        yield { chunk: bytes('id,name\r\n1,"a,b"\r\n') };
      },
    });
    const response = await gateway.post('/read', QUERY, CSV);
    expect([response.status, response.headers.get('Content-Type')]).toEqual([
      200,
      'text/csv; charset=utf-8; header=present',
    ]);
    expect(await response.text()).toBe('id,name\r\n1,"a,b"\r\n');
    expect(forms).toEqual(['csv']);
  });

  test('is cut off by a failure after the first row: half a table must not look whole', async () => {
    const gateway = await startRunning({
      async *runStream() {
        yield { chunk: bytes('id\r\n1\r\n') };
        throw told(Code.Unavailable, 'CONNECTION_FAILED', 'lost');
      },
    });
    const response = await gateway.post('/read', QUERY, CSV);
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
  });
});

test.each([
  ['application/x-ndjson', 'lines', 'application/x-ndjson'],
  ['application/x-ndjson;header=columns', 'told-lines', 'application/x-ndjson;header=columns'],
])('%s asks the relay for %s', async (Accept, form, type) => {
  const forms: string[] = [];
  const gateway = await startRunning({
    async *runStream({ rowForm }) {
      forms.push(rowForm);
      yield { chunk: bytes('{"columns":[]}\n') };
    },
  });
  const response = await gateway.post('/read', QUERY, { Accept });
  expect(response.headers.get('Content-Type')).toBe(type);
  expect(await response.text()).toBe('{"columns":[]}\n');
  expect(forms).toEqual([form]);
});

describe('results without columns', () => {
  const REDIS = {
    kind: 'redis',
    config: { write_conn: { url: 'redis://db.test' } },
    request: { type: 'get', key: 'a' },
  };
  const KINDS = [
    REDIS,
    {
      kind: 'mongo',
      config: { write_conn: { url: 'mongodb://db.test/d' } },
      request: { type: 'find', collection: 'a' },
    },
    { kind: 'http', config: { write_conn: { url: 'https://api.test' } }, request: {} },
  ];
  const message =
    'Accept takes none of the forms of this reply: the results of this endpoint have no columns';

  test.each(
    KINDS.flatMap((each) =>
      ['text/csv', 'text/*', 'application/x-ndjson;header=columns'].map((Accept) => ({
        ...each,
        Accept,
      })),
    ),
  )('of $kind are not to be had as $Accept, and nothing is sent', async (asked) => {
    const { kind, config, request, Accept } = asked;
    const sent: unknown[] = [];
    const gateway = await startRunning(
      {
        async *runStream(call) {
          sent.push(call);
          yield { chunk: bytes('') };
        },
      },
      {
        endpoint: { kind, config },
        fetch: async (call) => {
          sent.push(call);
          return new Response('');
        },
      },
    );
    expect(await gateway.ask('/read', request, { Accept })).toEqual({
      status: 406,
      body: failure('NOT_ACCEPTABLE', message, [{ path: 'Accept', message }]),
    });
    expect(sent).toEqual([]);
  });

  test('come in another form that is taken, too', async () => {
    const { kind, config, request } = REDIS;
    const gateway = await startRunning(
      {
        async *runStream({ rowForm }) {
          yield { chunk: bytes(`${JSON.stringify([rowForm])}\n`) };
        },
      },
      { endpoint: { kind, config } },
    );
    const Accept = 'text/csv, application/x-ndjson;q=0.5';
    const response = await gateway.post('/read', request, { Accept });
    expect([response.headers.get('Content-Type'), await textOf(response)]).toEqual([
      'application/x-ndjson',
      '["lines"]\n',
    ]);
  });
});
