/** What drivers at the edge tell piece by piece, and what they lack: by a driver of the test's own. */
import { describe, expect, test } from 'vitest';
import type { BackendClient, Call, Streams, Watches } from '../../../proto/driver.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { startDeadline } from '../../drivers/deadline.ts';
import { forgetEdgeClients } from '../../drivers/edge/clients.ts';
import { type EdgeDriver, Lost } from '../../drivers/edge/driver.ts';
import type { Known } from '../../outcome.ts';
import { contextOf } from '../../test/audit.ts';
import { startGateway } from '../../test/gateway.ts';
import { bytes, text } from '../../test/running.ts';
import { answerOf } from '../request.ts';
import { streamOf } from '../stream.ts';
import type { RequestMessage, Target } from './backend.ts';
import { EdgeBackend } from './edge.ts';

const ASKED: RequestMessage = {
  request: { type: 'query' },
  written: undefined,
  numbersAsStrings: true,
  canonical: false,
};

/** A backend whose sessions are `session`, and how often one was opened. */
async function backendOf(
  session: Partial<BackendClient & Streams & Watches>,
  more: Partial<EdgeDriver> = {},
) {
  const ctx = contextOf(await startGateway('SuperAdmin'));
  let opened = 0;
  const driver: EdgeDriver = {
    vendor: 'Vendor',
    serves: () => true,
    open() {
      opened += 1;
      return {
        run: () => Promise.resolve(bytes('{}')),
        ping: () => Promise.resolve(1),
        close: () => Promise.resolve(),
        ...session,
      };
    },
    ...more,
  };
  const endpoint = crypto.randomUUID();
  const target: Target = {
    numbersAsStrings: false,
    session: () => undefined,
    kind: 'postgres',
    organization: crypto.randomUUID(),
    endpoint,
    revision: 1,
    name: 'orders',
    poolKey: `${endpoint}:1:write:production`,
    mode: 'write',
    profile: 'production',
    caps: { total: 0, production: 0, development: 0 },
    connection: () => Promise.resolve({ connection: null, settings: {} }),
  };
  const backend = new EdgeBackend(ctx, target, driver);
  return {
    ctx,
    backend,
    endpoint,
    opened: () => opened,
    deadline: startDeadline(ctx, 1_000, true),
  };
}

const known = (): Known => ({ demands: [], written: false, timing: {} });

const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'no failure',
    (thrown: unknown) => (thrown instanceof GatewayError ? thrown.code : thrown),
  );

const LINES = { message: ASKED, rows: 'lines', timeoutMs: 1_000 } as const;

describe('lines', () => {
  test('come as they are told, under the call of the request', async () => {
    const calls: Call[] = [];
    const { ctx, backend } = await backendOf({
      async *stream(_request, call) {
        calls.push(call);
        yield bytes('');
        yield bytes('{"a":1}\n');
        yield bytes('{"a":2}\n');
      },
    });
    const { bytes: body } = await streamOf(ctx, backend, LINES, known());
    const response = new Response(body);
    expect(text(new Uint8Array(await response.arrayBuffer()))).toBe('{"a":1}\n{"a":2}\n');
    expect(calls).toMatchObject([{ mode: 'write', numbersAsStrings: true, canonical: false }]);
  });

  test('end with what went wrong after the first', async () => {
    const { ctx, backend } = await backendOf({
      async *stream() {
        yield bytes('{"a":1}\n');
        throw new Lost('CONNECTION_FAILED', 'lost');
      },
    });
    const { bytes: body } = await streamOf(ctx, backend, LINES, known());
    const response = new Response(body);
    const [row, last = ''] = text(new Uint8Array(await response.arrayBuffer())).split('\n');
    expect([row, JSON.parse(last).$error.code]).toEqual(['{"a":1}', 'OUTCOME_UNKNOWN']);
  });

  test('that nobody reads any more free what the driver holds', async () => {
    let freed = (): void => {};
    const isFreed = new Promise<void>((resolve) => {
      freed = resolve;
    });
    const { ctx, backend } = await backendOf({
      async *stream() {
        try {
          for (;;) yield bytes('{}\n');
        } finally {
          freed();
        }
      },
    });
    const { bytes: body } = await streamOf(ctx, backend, LINES, known());
    const response = new Response(body);
    await response.body?.cancel();
    await expect(isFreed).resolves.toBeUndefined();
  });

  test('that cannot begin are a failure of the call', async () => {
    const { backend, deadline } = await backendOf({
      // biome-ignore lint/correctness/useYield: it fails before it can.
      async *stream() {
        throw new GatewayError('REQUEST_FAILED', 'no');
      },
    });
    expect(await codeOf(backend.stream(ASKED, 'lines', deadline))).toBe('REQUEST_FAILED');
  });
});

test('events come with their places, after the backend has accepted', async () => {
  const { backend, deadline } = await backendOf({
    async *watch(_request, _call, resumeAfter) {
      yield { id: `after ${resumeAfter}`, data: bytes('') };
      yield { data: bytes('{"a":1}') };
    },
  });
  const { id, rest } = await backend.watch(ASKED, '7', deadline);
  expect([id, await rest.next(), await rest.next()]).toEqual([
    'after 7',
    { done: false, value: { id: '', event: bytes('{"a":1}') } },
    { done: true, value: undefined },
  ]);
});

test.each([
  ['streams', 'stream'],
  ['subscriptions', 'watch'],
  ['transactions', 'transact'],
  ['a schema to tell of', 'inspect'],
  ['sessions', 'lease'],
] as const)('a vendor that lacks %s names the way that has them', async (what, member) => {
  const { backend, deadline } = await backendOf({});
  const calls = {
    stream: () => backend.stream(ASKED, 'lines', deadline),
    watch: () => backend.watch(ASKED, '', deadline),
    transact: () => backend.transact({ ...ASKED, requests: [] }, deadline),
    inspect: () => backend.inspect({ limit: 1 }, deadline),
    lease: () => backend.lease(),
  };
  await expect(calls[member]()).rejects.toMatchObject({
    code: 'NOT_SUPPORTED',
    message: `Vendor does not have ${what} over HTTP: set config.transport to "relay" to reach it as Postgres`,
  });
});

test.each<[string, unknown, string]>([
  ['a loss', new Lost('TIMED_OUT', 'late'), 'OUTCOME_UNKNOWN'],
  ['what nobody foresaw', new TypeError('x'), 'OUTCOME_UNKNOWN'],
  ['what was not sent', new GatewayError('CONNECTION_FAILED', 'no'), 'CONNECTION_FAILED'],
  ['a refusal', new GatewayError('CONSTRAINT_VIOLATED', 'no'), 'CONSTRAINT_VIOLATED'],
])('a write that ended in %s', async (_in, failure, expected) => {
  const { ctx, backend } = await backendOf({ run: () => Promise.reject(failure) });
  const found = known();
  const running = answerOf(ctx, backend, 1_000, found, (own) => backend.run(ASKED, own));
  expect(await codeOf(running)).toBe(expected);
  expect(found.written).toBe(expected === 'OUTCOME_UNKNOWN');
});

test('a write that ended well is known to have had an effect', async () => {
  const { ctx, backend } = await backendOf({});
  const found = known();
  await answerOf(ctx, backend, 1_000, found, (own) => backend.run(ASKED, own));
  expect(found).toEqual({ demands: [], written: true, timing: { backend: 0 } });
});

test('a session is opened once, and again once it was forgotten', async () => {
  const { backend, deadline, endpoint, opened } = await backendOf({});
  for (let each = 0; each < 3; each += 1) await backend.run(ASKED, deadline);
  expect(opened()).toBe(1);
  forgetEdgeClients(endpoint, 1);
  await backend.run(ASKED, deadline);
  expect(opened()).toBe(1);
  forgetEdgeClients(endpoint, 2);
  await backend.run(ASKED, deadline);
  expect(opened()).toBe(2);
});
