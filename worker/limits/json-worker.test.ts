/**
 * Large bodies are answered the same, to the byte, whether the edge works on them or the process
 * next to it: random and bad bodies of all routes that have a choice. `TEST_RUNS` asks for more.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ENDED, JOB_HEADER, Job, TOLD_HEADER } from '../../proto/body-work.ts';
import { body as document } from '../../proto/test-json-texts.ts';
import { whole } from '../../proto/work/pieces.ts';
import { answerTo } from '../../server/json-worker/body-job.ts';
import { createApp } from '../app.ts';
import type { Bindings } from '../context.ts';
import { NOW, startGateway } from '../test/gateway.ts';
import { TIMES } from '../test/runs.ts';

const LARGE = 128 * 1024;
const HANG_MS = 600_000 * TIMES;
const encoder = new TextEncoder();

/** The process in memory: its own code behind the binding. */
function jsonWorker() {
  const jobs: Job[] = [];
  const fetch = async (_url: string, { headers, body }: RequestInit): Promise<Response> => {
    const job = Job.parse(JSON.parse(new Headers(headers).get(JOB_HEADER) ?? ''));
    jobs.push(job);
    const bytes = new Uint8Array(await new Response(body ?? null).arrayBuffer());
    const { status, told, bytes: made } = whole(await answerTo(job, bytes));
    return new Response(made, {
      status,
      headers: {
        'Content-Length': String(made.byteLength),
        [TOLD_HEADER]: encodeURIComponent(JSON.stringify(told)),
      },
    });
  };
  return { jobs, binding: { fetch } as unknown as Fetcher };
}

const ENDPOINTS = {
  pg: { kind: 'postgres', url: 'postgresql://u:p@db.test:5432/d' },
  redis: { kind: 'redis', url: 'redis://db.test:6379' },
  mongo: { kind: 'mongo', url: 'mongodb://db.test:27017/d' },
} as const;

/** A gateway that can be asked both ways, and what its relay is sent. */
async function start() {
  let sent: unknown[] = [];
  const note = (method: string) => (request: object, context: { requestHeader: Headers }) => {
    const timeout = context.requestHeader.get('Connect-Timeout-Ms');
    sent.push({ method, request, timeout });
    return { result: encoder.encode('{"rows":[]}'), backendUs: 1n };
  };
  const gateway = await startGateway('SuperAdmin', {
    relay: {
      ping: () => ({ latencyUs: 100n }),
      status: () => ({}),
      release: () => ({}),
      run: note('run'),
      transact: note('transact'),
    },
  });
  for (const [endpoint, { kind, url }] of Object.entries(ENDPOINTS)) {
    const made = { endpoint, kind, config: { write_conn: { url } } };
    expect(await gateway.call('POST', '/endpoints', made)).toMatchObject({ status: 200 });
  }
  const worker = jsonWorker();
  const app = createApp({ now: () => NOW, fetch: () => Promise.reject(new Error('no network')) });
  const token = await gateway.token();
  const way = {
    here: gateway.bindings,
    elsewhere: { ...gateway.bindings, JSON_WORKER: worker.binding },
  };
  /** All that a client sees, and the relay. */
  async function ask(by: keyof typeof way, { path, bytes, key }: Asked, nth: string) {
    sent = [];
    const bindings: Bindings = way[by];
    const init = {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        'Content-Length': String(bytes.byteLength),
        'X-Request-Id': nth,
        ...(key === undefined ? {} : { 'Idempotency-Key': `${key}-${by}` }),
      },
      body: bytes,
    };
    const pending: Promise<unknown>[] = [];
    const execution = {
      waitUntil: (work: Promise<unknown>) => void pending.push(work),
      passThroughOnException() {},
      props: {},
    };
    const reply = await app.request(
      `http://gateway.test/api/v1${path}`,
      init,
      bindings,
      execution as unknown as ExecutionContext,
    );
    const text = await reply.text();
    while (pending.length > 0) await Promise.allSettled(pending.splice(0));
    return { status: reply.status, headers: Object.fromEntries(reply.headers), text, sent };
  }
  return { ask, worker };
}

interface Asked {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly key?: string | undefined;
}

const value = document.map(({ text }) => text.slice('{"value":'.length, -1));
const paths = fc.constantFrom('$..*', '$..a', 'a', '/a/0', 'a[0].b', '$[?@.a > 1]', '$..[', '1..');
const pathList = fc.array(paths, { maxLength: 3 }).map((each) => JSON.stringify(each));

const utility = fc
  .oneof(
    value.map((json) => ['flatten', `{"value":${json}}`]),
    value.map((json) => ['flatten', `{"value":${json},"prefix":"p"}`]),
    value.map((json) => ['flatten', `{"json":${json},"value":1}`]),
    value.map((json) => ['unflatten', json]),
    fc
      .dictionary(fc.constantFrom('a', 'a[0]', 'a.b', 'c.d', 'c[1].e', '[', ''), fc.integer())
      .map((flat) => ['unflatten', JSON.stringify(flat)]),
    fc.tuple(value, pathList).map(([json, list]) => ['parse', `{"json":${json},"paths":${list}}`]),
    fc.tuple(value, pathList).map(([json, list]) => ['reduce', `{"json":${json},"paths":${list}}`]),
    fc
      .tuple(
        value,
        paths,
        fc.constantFrom('{}', '{"type":"object","required":["b"]}', '1', '{"b":"string"}'),
      )
      .map(([json, path, schema]) => [
        'map',
        `{"input":${json},"schema":${schema},"mappings":{${JSON.stringify(path)}:"b"}}`,
      ]),
  )
  .map(([name, text]) => ({ path: `/json/${name}`, text: text ?? '' }));

const timeout = fc.constantFrom('', ',"timeout_ms":4000', ',"timeout_ms":-1', ',"timeout_ms":1e3');
const request = fc.oneof(
  fc
    .tuple(value, timeout)
    .map(([json, more]) => ['pg', `{"query":"select $1","params":[${json}]${more}}`]),
  value.map((json) => [
    'pg',
    `{"request":{"type":"query","query":"select $1","params":[${json}]}}`,
  ]),
  value.map((json) => ['pg', `{"query":1,"params":${json}}`]),
  value.map((json) => ['pg', json]),
  fc
    .tuple(value, timeout)
    .map(([json, more]) => ['redis', `{"type":"set","key":"k","value":${json}${more}}`]),
  value.map((json) => ['redis', `{"type":"get","key":${json}}`]),
  fc
    .constantFrom('flushall', 'nonsense', 'SUBSCRIBE')
    .map((type) => ['redis', `{"type":"${type}"}`]),
  fc
    .tuple(value, fc.constantFrom('find', 'insertOne', 'insertMany', 'watch'))
    .map(([json, type]) => [
      'mongo',
      `{"type":"${type}","collection":"c","filter":${json},"document":${json}}`,
    ]),
  value.map((json) => ['mongo', `{"type":"command","command":{"shutdown":1,"x":${json}}}`]),
);
const single = fc
  .tuple(request, fc.constantFrom('read', 'write'))
  .map(([[endpoint, text], verb]) => ({
    path: `/endpoints/${endpoint}/${verb}`,
    text: text ?? '',
  }));
const several = fc
  .tuple(fc.array(request, { maxLength: 3 }), fc.constantFrom('pg', 'redis', 'mongo'), timeout)
  .map(([operations, endpoint, more]) => ({
    path: `/endpoints/${endpoint}/transaction`,
    text: `{"operations":[${operations.map(([, text]) => text).join()}]${more}}`,
  }));

/** Made large by white space somewhere, or by something that is no JSON. */
const padding = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  with: fc.constantFrom(' ', ' ', ' ', '\n', '\t', 'x'),
  atEdge: fc.boolean(),
});
/** What is done to some bodies. */
const harm = fc.oneof(
  { weight: 4, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.record({ at: fc.nat(), byte: fc.nat(255) }) },
  { weight: 1, arbitrary: fc.record({ cut: fc.nat() }) },
);

const asked = fc
  .record({
    of: fc.oneof(utility, single, several),
    padding,
    harm,
    isKeyed: fc.boolean(),
  })
  .map(({ of: { path, text }, padding: pad, harm: done, isKeyed }) => {
    const at = pad.atEdge ? (pad.at < 0.5 ? 0 : text.length) : Math.floor(pad.at * text.length);
    const bytes = encoder.encode(text.slice(0, at) + pad.with.repeat(LARGE) + text.slice(at));
    if (done && 'byte' in done) bytes[done.at % bytes.byteLength] = done.byte;
    const kept =
      done && 'cut' in done ? LARGE + (done.cut % (bytes.byteLength - LARGE + 1)) : undefined;
    return { path, bytes: bytes.subarray(0, kept), isKeyed };
  });

test('random and bad bodies', { timeout: HANG_MS }, async () => {
  const { ask, worker } = await start();
  let nth = 0;
  const statuses = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(asked, async ({ path, bytes, isKeyed }) => {
      nth += 1;
      const call = { path, bytes, key: isKeyed ? `key-${nth}` : undefined };
      for (const again of isKeyed ? ['first', 'second'] : ['only']) {
        const before = worker.jobs.length;
        const here = await ask('here', call, `${again}-${nth}`);
        expect(worker.jobs.length).toBe(before);
        const elsewhere = await ask('elsewhere', call, `${again}-${nth}`);
        expect(worker.jobs.length).toBe(before + 1);
        expect(elsewhere).toEqual(here);
        const outcome = `${path} ${here.status}`;
        statuses.set(outcome, (statuses.get(outcome) ?? 0) + 1);
      }
    }),
    { numRuns: 40 * TIMES },
  );
  // Not only refusals were compared.
  expect([...statuses.keys()].filter((each) => each.endsWith(' 200')).length).toBeGreaterThan(2);
});

test('a process that is gone, has too much to do, or broke is 503; one that fails is 500', async () => {
  const gateway = await startGateway('Read');
  const app = createApp({ now: () => NOW, fetch: () => Promise.reject(new Error('no network')) });
  const token = await gateway.token();
  const answers: (() => Response)[] = [
    () => {
      throw new Error('Network connection lost.');
    },
    () => new Response(null, { status: ENDED.full, headers: { 'Content-Length': '0' } }),
    () => new Response(null, { status: ENDED.broken, headers: { 'Content-Length': '0' } }),
    () => new Response(null, { status: 500, headers: { 'Content-Length': '0' } }),
  ];
  const replies = [];
  for (const answer of answers) {
    const fetch = async () => answer();
    const reply = await app.request(
      'http://gateway.test/api/v1/json/flatten',
      {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: `{"value":[${'1,'.repeat(LARGE)}1]}`,
      },
      { ...gateway.bindings, JSON_WORKER: { fetch } },
      { waitUntil() {}, passThroughOnException() {}, props: {} } as unknown as ExecutionContext,
    );
    const { code, message } = await reply.json<{ code: string; message: string }>();
    replies.push([reply.status, reply.headers.get('Retry-After'), code, message]);
  }
  expect(replies).toEqual([
    [503, '1', 'SERVICE_UNAVAILABLE', 'Large bodies cannot be worked on just now'],
    [503, '1', 'SERVICE_UNAVAILABLE', 'Too much work on large bodies waits already'],
    [
      503,
      '1',
      'SERVICE_UNAVAILABLE',
      'The work on this body was ended: it took too much memory or time',
    ],
    [500, null, 'INTERNAL', 'Something went wrong'],
  ]);
});
