/** Sessions to Upstash against a vendor that a test plays: what is sent, and what is made of each answer. */
import { describe, expect, test } from 'vitest';
import type { RedisRequest, Word } from '../../../../kinds/redis/command.ts';
import { modeOfCommand } from '../../../../kinds/redis/effects.ts';
import { allCommands } from '../../../../kinds/redis/table.ts';
import type { Call } from '../../../../proto/driver.ts';
import { Lost } from '../driver.ts';
import { upstash } from './index.ts';

type Answer = (request: Request) => Response | Promise<Response>;

function start(answer: Answer) {
  const sent: { url: string; headers: Record<string, string>; body: string }[] = [];
  const connection = { url: 'https://db.upstash.io', auth: 'secret-token' };
  const session = upstash.open(
    { connection, settings: {} },
    {
      async fetch(request) {
        const headers = Object.fromEntries(request.headers);
        sent.push({ url: request.url, headers, body: await request.clone().text() });
        return answer(request);
      },
    },
  );
  return { session, sent };
}

const json =
  (text: string, status = 200): Answer =>
  () =>
    new Response(text, { status });
const command = (type: string, ...args: Word[]) => ({ type, args });
const call = (more: Partial<Call> = {}): Call => ({
  mode: 'write',
  signal: new AbortController().signal,
  resultMaxBytes: 1_000,
  numbersAsStrings: false,
  inPieces: undefined,
  ...more,
});
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

describe('a command', () => {
  test('is one request of its words, with the token and no more than the protocol needs', async () => {
    const { session, sent } = start(json('{"result":"OK"}'));
    const request = command('xgroup create', 'log', 'g', '$');
    expect(text(await session.run(request, call()))).toBe('{"result":"OK"}');
    expect(sent).toEqual([
      {
        url: 'https://db.upstash.io/',
        headers: {
          authorization: 'Bearer secret-token',
          'content-type': 'application/json',
          'upstash-encoding': 'base64',
        },
        body: '["xgroup","create","log","g","$"]',
      },
    ]);
  });

  test('with one binary word has it as its body, what follows as a query', async () => {
    const { session, sent } = start(json('{"result":"OK"}'));
    await session.run(command('set', 'a/b ?', { $bytes: '/wA=' }, 'EX', '10'), call());
    expect(sent[0]).toMatchObject({ url: 'https://db.upstash.io/set/a%2Fb%20%3F?EX=10' });
  });

  test.each<[string, readonly Word[]]>([
    ['two', [{ $bytes: '/w==' }, { $bytes: '/w==' }]],
    ['one before a single word', ['k', { $bytes: '/w==' }, 'NX']],
    ['one after an empty word', ['', { $bytes: '/w==' }]],
    ['one before what would be a token', ['k', { $bytes: '/w==' }, '_token', 'another']],
    ['one after what would be another path', ['..', 'set', 'victim', { $bytes: '/w==' }]],
    ['one after half of a surrogate pair', ['\ud800', { $bytes: '/w==' }]],
  ])('with %s that no text can be is refused', async (_name, words) => {
    const { session, sent } = start(json('{"result":"OK"}'));
    await expect(session.run(command('set', ...words), call())).rejects.toMatchObject({
      code: 'NOT_SUPPORTED',
      message: expect.stringContaining('config.transport: "relay"'),
    });
    expect(sent).toEqual([]);
  });

  test.each(['multi-exec', 'pipeline', 'nosuch'])(
    'that is none is not put into the path, where %s may mean more',
    async (type) => {
      const { session, sent } = start(json('[{"result":"OK"}]'));
      const body = { $bytes: btoa('[["FLUSHALL"]]') };
      await expect(
        session.run({ type, args: [body] } as RedisRequest, call()),
      ).rejects.toBeInstanceOf(Error);
      expect(sent).toEqual([]);
    },
  );

  test.each([
    ['{"result":9223372036854775807}', command('incr', 'n'), '{"result":"9223372036854775807"}'],
    ['{"result":"OK"}', command('get', 'k'), '{"result":"OK"}'],
    ['{"result":"T0s="}', command('get', 'k'), '{"result":"OK"}'],
    ['{"result":"/wA="}', command('get', 'k'), '{"result":{"$bytes":"/wA="}}'],
    ['{"result":["YQ==","MQ=="]}', command('hgetall', 'k'), '{"result":{"a":"1"}}'],
    ['{"result":null}', command('get', 'k'), '{"result":null}'],
  ])('answered %s comes to what a relay makes of it', async (answer, request, result) => {
    const { session } = start(json(answer));
    expect(text(await session.run(request, call()))).toBe(result);
  });

  test('that writes is not sent where only reads are, whatever its case or subcommand', async () => {
    const { session, sent } = start(json('{"result":"OK"}'));
    const writes = [
      command('set', 'k', 'v'),
      command('xgroup create', 'k', 'g', '$'),
      command('eval_ro', 'return 1', '0'),
      command('nosuch'),
      { type: 'pipeline', pipeline: [command('get', 'k'), command('del', 'k')] },
    ] as RedisRequest[];
    for (const request of writes) {
      await expect(session.run(request, call({ mode: 'read' }))).rejects.toMatchObject({
        code: 'BAD_REQUEST',
      });
    }
    expect(sent).toEqual([]);
  });
});

test('no command that the table has for a write is sent where only reads are', async () => {
  const { session, sent } = start(json('{"result":"OK"}'));
  const writes = [...allCommands()].filter(({ name }) => modeOfCommand(command(name)) === 'write');
  expect(writes.length).toBeGreaterThan(250);
  for (const { name } of writes) {
    await expect(session.run(command(name), call({ mode: 'read' }))).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    });
  }
  expect(sent).toEqual([]);
});

describe('what is no reply', () => {
  test.each([
    [400, '{"error":"WRONGTYPE Operation"}', { code: 'REQUEST_FAILED' }],
    [401, '{"error":"WRONGPASS"}', { code: 'CONNECTION_FAILED' }],
    [429, '{"error":"ERR max"}', { code: 'SERVICE_UNAVAILABLE', retryAfter: 1 }],
  ])('of %i is told as it is', async (status, answer, failure) => {
    const { session } = start(json(answer, status));
    await expect(session.run(command('get', 'k'), call())).rejects.toMatchObject(failure);
  });

  test.each([
    [200, 'not JSON'],
    [200, '{"result":{"an":"object"}}'],
    [200, '{}'],
    [302, ''],
    [500, '{"error":"oops"}'],
    [503, 'down'],
  ])('of %i with %s may have been done, and is not sent again', async (status, answer) => {
    const { session, sent } = start(json(answer, status));
    await expect(session.run(command('incr', 'k'), call())).rejects.toBeInstanceOf(Lost);
    expect(sent).toHaveLength(1);
  });

  test('never tells the token', async () => {
    const { session } = start(() => {
      throw new Lost('CONNECTION_FAILED', 'The connection to the backend failed');
    });
    const thrown = await session.run(command('get', 'k'), call()).catch((failure) => failure);
    expect(`${thrown.message} ${JSON.stringify(thrown)}`).not.toContain('secret-token');
  });

  test('is a result that is too large, of which no more is read than may be', async () => {
    const { session } = start(json(`{"result":"${btoa('x'.repeat(1_000))}"}`));
    await expect(session.run(command('get', 'k'), call())).rejects.toMatchObject({
      code: 'RESULT_TOO_LARGE',
    });
    let pulled = 0;
    const endless = start(
      () =>
        new Response(
          new ReadableStream({
            pull(controller) {
              pulled += 1;
              controller.enqueue(new Uint8Array(65_536));
            },
          }),
        ),
    );
    await expect(endless.session.run(command('get', 'k'), call())).rejects.toMatchObject({
      code: 'RESULT_TOO_LARGE',
    });
    expect(pulled).toBeLessThan(10);
  });
});

test('a pipeline keeps results and errors in their places', async () => {
  const { session, sent } = start(json('[{"result":1},{"error":"WRONGTYPE no"}]'));
  const pipeline = [command('incr', 'n'), command('get', 'l')] as const;
  const request = { type: 'pipeline', pipeline } as unknown as RedisRequest;
  expect(JSON.parse(text(await session.run(request, call())))).toEqual({
    results: [
      { result: 1 },
      { error: 'Request failed', message: 'WRONGTYPE no', code: 'WRONGTYPE' },
    ],
  });
  expect(sent[0]).toMatchObject({
    url: 'https://db.upstash.io/pipeline',
    body: '[["incr","n"],["get","l"]]',
  });
});

test('replies are answered as they came when asked so', async () => {
  const { session } = start(json('{"result":["YQ==",7,null]}'));
  const run = async (replyForm: 'json' | 'base64' | 'resp2') =>
    text(await session.run(command('hgetall', 'k'), call({ replyForm })));
  expect(await run('json')).toBe('{"result":["a",7,null]}');
  expect(await run('base64')).toBe('{"result":["YQ==",7,null]}');
  expect(await run('resp2')).toBe('*3\r\n$1\r\na\r\n:7\r\n$-1\r\n');
});

describe('a subscription', () => {
  const events =
    (told: string): Answer =>
    () =>
      new Response(told, { headers: { 'Content-Type': 'text/event-stream' } });
  async function heard(request: RedisRequest, answer: Answer) {
    const { session, sent } = start(answer);
    const data: string[] = [];
    const failed = await (async () => {
      for await (const event of session.watch(request, call({ mode: 'read' }))) {
        data.push(text(event.data));
      }
    })().catch((failure) => failure.code);
    return { data, failed, sent };
  }

  test('begins once all channels are confirmed, and knows them in spite of commas', async () => {
    const told =
      'data: subscribe,a,1\n\ndata: subscribe,a,b,2\n\n: ping\n\ndata: message,a,b,x,y\n\ndata: message,a,c\ndata: d\n\n';
    expect(await heard(command('subscribe', 'a', 'a,b'), events(told))).toMatchObject({
      data: ['', '{"channel":"a,b","message":"x,y"}', '{"channel":"a","message":"c\\nd"}'],
      failed: 'CONNECTION_FAILED',
      sent: [{ url: 'https://db.upstash.io/subscribe/a/a%2Cb' }],
    });
  });

  test('of a pattern tells the channel, one of MONITOR the command', async () => {
    const pattern = 'data: psubscribe,n*,1\n\ndata: pmessage,n*,news,hi, all\n\n';
    expect((await heard(command('psubscribe', 'n*'), events(pattern))).data).toEqual([
      '',
      '{"pattern":"n*","channel":"news","message":"hi, all"}',
    ]);
    const monitor = 'data: "OK"\n\ndata: 1721284005.242090 [0 0.0.0.0:0] "SET" "k" "a b"\n\n';
    expect((await heard(command('monitor'), events(monitor))).data).toEqual([
      '',
      '{"time":1721284005.24209,"db":0,"command":["SET","k","a b"]}',
    ]);
  });

  test.each([['..', 'set', 'victim'], ['.'], [''], ['\ud800']])(
    'to what would be another path is not sent: %j',
    async (...channels) => {
      const { failed, sent } = await heard(command('subscribe', ...channels), events(''));
      expect([failed, sent]).toEqual(['NOT_SUPPORTED', []]);
    },
  );

  test('that the vendor refuses, or that needs a connection, does not begin', async () => {
    const denied = json('{"error":"NOPERM no"}', 400);
    expect(await heard(command('subscribe', 'a'), denied)).toMatchObject({
      data: [],
      failed: 'REQUEST_FAILED',
    });
    expect(await heard(command('ssubscribe', 'a'), denied)).toMatchObject({
      failed: 'NOT_SUPPORTED',
      sent: [],
    });
  });
});
