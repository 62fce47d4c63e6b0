/** Which way a call takes to a node of several parts. */
import { env } from 'cloudflare:test';
import { Code } from '@connectrpc/connect';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PART_HEADER, partOf } from '../../proto/parts.ts';
import { relayInMemory } from '../test/gateway.ts';
import { answer, codeOf, contextOf, lost, type Relay, refusal } from '../test/nodes.ts';
import { startDeadline } from './deadline.ts';
import { callRelay } from './relay.ts';

/** A relay that says who it is, and whose call it was. */
const named = (name: string) => ({
  run: (_: unknown, { requestHeader }: { requestHeader: Headers }) =>
    answer(`${name} ${requestHeader.get(PART_HEADER)}`),
});

/** Calls a node for a subject; what answered. */
async function reached(
  subject: { organization: string; endpoint: string },
  { isDefault, parts }: { isDefault: boolean; parts: number },
): Promise<string> {
  const { ctx } = contextOf({ url: named('url') });
  const bound = Array.from({ length: parts }, (_, index) => [
    `RELAY_PART_${index}`,
    relayInMemory(named(`part ${index}`)),
  ]);
  const bindings = { ...env, RELAY: relayInMemory(named('port')), ...Object.fromEntries(bound) };
  const context = { ...ctx, env: bindings };
  const publicKey = JSON.parse(env.RELAY_NODE_PUBLIC_KEY);
  const node = { uuid: 'node', url: 'http://url.test', publicKey, default: isDefault };
  const deadline = startDeadline(context, 1_000);
  const connection = () => Promise.reject(new Error('It is not asked for'));
  const plan = { nodes: [node], subject, writes: false, deadline, timing: {}, connection };
  try {
    const { result } = await callRelay(context, plan, ({ relay, options }) =>
      relay.run({}, options),
    );
    return new TextDecoder().decode(result);
  } finally {
    deadline.end();
  }
}

const Subject = fc.record({ organization: fc.uuid(), endpoint: fc.uuid() });

test('a call to the default node goes to the part of its organization', async () => {
  await fc.assert(
    fc.asyncProperty(Subject, fc.integer({ min: 1, max: 4 }), async (subject, parts) => {
      const { organization } = subject;
      expect(await reached(subject, { isDefault: true, parts })).toBe(
        `part ${partOf(organization, parts)} ${organization}`,
      );
    }),
    { numRuns: 20 },
  );
});

test('where parts cannot be reached by themselves the node is told whose call it is', async () => {
  const subject = { organization: crypto.randomUUID(), endpoint: crypto.randomUUID() };
  expect(await reached(subject, { isDefault: true, parts: 0 })).toBe(
    `port ${subject.organization}`,
  );
});

test("a node of one organization is told the endpoint's name", async () => {
  const subject = { organization: crypto.randomUUID(), endpoint: crypto.randomUUID() };
  expect(await reached(subject, { isDefault: false, parts: 2 })).toBe(`url ${subject.endpoint}`);
});

describe('a key that another part serves than its own', () => {
  const organization = crypto.randomUUID();
  const elsewhere = () => Promise.reject(refusal(Code.FailedPrecondition, 'SERVED_ELSEWHERE'));
  const stranger: Relay = { run: elsewhere, status: elsewhere };
  const port: Relay = { run: () => answer('port'), status: () => ({}) };

  /** Calls of one isolate to a default node of one part. */
  function isolate(relays: { part: Relay | typeof lost; port: Relay | typeof lost }) {
    const { ctx } = contextOf({ url: named('url') });
    const fetchers = { part: relays.part, port: relays.port };
    const bound = (name: 'part' | 'port') => {
      const fetch = (input: RequestInfo, init?: RequestInit): Promise<Response> => {
        const there = fetchers[name];
        return typeof there === 'function' ? there() : relayInMemory(there).fetch(input, init);
      };
      return { fetch } as Fetcher; // A Fetcher's other members are not used here.
    };
    const context = {
      ...ctx,
      env: { ...env, RELAY: bound('port'), ...{ RELAY_PART_0: bound('part') } },
    };
    const publicKey = JSON.parse(env.RELAY_NODE_PUBLIC_KEY);
    const node = { uuid: 'node', url: 'http://url.test', publicKey, default: true };
    const subject = { organization, endpoint: crypto.randomUUID() };
    const connection = () => Promise.reject(new Error('It is not asked for'));
    async function run(writes: boolean): Promise<string> {
      const deadline = startDeadline(context, 1_000);
      const plan = { nodes: [node], subject, writes, deadline, timing: {}, connection };
      try {
        const { result } = await callRelay(context, plan, ({ relay, options }) =>
          relay.run({}, options),
        );
        return new TextDecoder().decode(result);
      } finally {
        deadline.end();
      }
    }
    return { fetchers, run };
  }

  test.each([false, true])('is reached by the port (write: %s)', async (writes) => {
    expect(await isolate({ part: stranger, port }).run(writes)).toBe('port');
  });

  test('is reached while its part is dead, whether or not it was called before', async () => {
    const known = isolate({ part: stranger, port });
    await known.run(false);
    known.fetchers.part = lost;
    const fresh = isolate({ part: lost, port });
    const ran = [known, fresh].flatMap(({ run }) => [run(false), run(true)]);
    expect(await Promise.all(ran)).toEqual(['port', 'port', 'port', 'port']);
  });

  test('is not asked of its part again', async () => {
    const { fetchers, run } = isolate({ part: stranger, port });
    await run(false);
    fetchers.part = named('part');
    expect(await run(true)).toBe('port');
  });

  test('that moves while its part is known to be there is reached, too', async () => {
    const { fetchers, run } = isolate({ part: { ...port, run: () => answer('part') }, port });
    expect(await run(true)).toBe('part');
    fetchers.part = stranger;
    expect(await run(true)).toBe('port');
  });

  test.each([false, true])(
    'is NODE_UNAVAILABLE where nothing is there (write: %s)',
    async (writes) => {
      expect(await codeOf(isolate({ part: lost, port: lost }).run(writes))).toBe(
        'NODE_UNAVAILABLE',
      );
    },
  );
});

test("of an organization's own node no reply is read beyond what a result may have", async () => {
  let sent = 0;
  const part = new Uint8Array(1024 * 1024);
  const gateway = contextOf({
    endless: async () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            sent += part.byteLength;
            if (sent > 100 * part.byteLength) return controller.close();
            controller.enqueue(part);
          },
        }),
        { headers: { 'Content-Type': 'application/proto' } },
      ),
  });
  expect(await codeOf(gateway.run(false))).toBe('NODE_UNAVAILABLE');
  expect(sent).toBeLessThan(50 * part.byteLength);
});
