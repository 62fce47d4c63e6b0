/** What is told of replies of a node that answers anything. */
import { env } from 'cloudflare:test';
import { eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../proto/json.ts';
import { endpoints } from '../db/schema.ts';
import { insertEndpoint, relayInMemory, startGateway } from '../test/gateway.ts';
import type { Relay } from '../test/nodes.ts';
import { insertNode } from '../test/registered-node.ts';

const OURS = 'The node answered what is no reply';
const bytes = (text: string) => new TextEncoder().encode(text);
const DEEP = `${'['.repeat(2_000_000)}${']'.repeat(2_000_000)}`;
/** Far more than it takes. */
const AT_ONCE_MS = 5_000;

/** An endpoint on a node of the organization's own with these methods. */
async function start(methods: Relay, kind: 'postgres' | 'redis' = 'postgres') {
  const relay = relayInMemory({ status: () => ({}), ...methods });
  const gateway = await startGateway('SuperAdmin', { fetch: (request) => relay.fetch(request) });
  const id = await insertEndpoint(gateway);
  await drizzle(env.DB).update(endpoints).set({ kind }).where(eq(endpoints.id, id));
  await gateway.call(
    'PUT',
    `/endpoints/${id}/nodes/${await insertNode(gateway, { kinds: [kind] })}`,
    {},
  );
  const bearer = await gateway.token();
  const ask = async (path: string, body: Json, more: Readonly<Record<string, string>> = {}) => {
    const reply = await gateway.send(path, {
      method: 'POST',
      headers: { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json', ...more },
      body: JSON.stringify(body),
    });
    return { status: reply.status, body: await reply.json() };
  };
  return { gateway, id, ask };
}

const noRead = { status: 503, body: { code: 'NODE_UNAVAILABLE', message: OURS } };
const noWrite = {
  status: 502,
  body: { code: 'OUTCOME_UNKNOWN', message: `${OURS}: the request may have taken effect` },
};

describe('a session', () => {
  test.each<[string, { sessionId: string; expiresMs: bigint }]>([
    ['that ends after all time', { sessionId: 'x', expiresMs: 2n ** 63n }],
    ['without a name', { sessionId: '', expiresMs: 1n }],
    ['of a name of megabytes', { sessionId: 'y'.repeat(5_000_000), expiresMs: 1n }],
    ['of a name with line breaks', { sessionId: 'a\nb', expiresMs: 1n }],
  ])('%s is none', async (_, session) => {
    const { id, ask } = await start({ openSession: () => session });
    expect(await ask(`/endpoints/${id}/sessions`, {})).toMatchObject(noRead);
  });
});

describe.each<[string, string]>([
  ['no JSON', '}}garbage'],
  ['nothing', ''],
  ['half', '{"rows":['],
  ['what nests too deep', DEEP],
])('a result that is %s', (_, text) => {
  const methods = {
    run: () => ({ result: bytes(text) }),
    transact: () => ({ result: bytes(text) }),
  };

  test('is told as no reply of a read and a write', async () => {
    const { id, ask } = await start(methods);
    const started = performance.now();
    expect(await ask(`/endpoints/${id}/read`, { query: 'select 1' })).toMatchObject(noRead);
    expect(
      await ask(`/endpoints/${id}/write`, { query: 'insert into t values (1)' }),
    ).toMatchObject(noWrite);
    expect(
      await ask(`/endpoints/${id}/transaction`, {
        operations: [{ query: 'insert into t values (1)' }],
      }),
    ).toMatchObject(noWrite);
    expect(performance.now() - started).toBeLessThan(AT_ONCE_MS);
  });

  test('is told so under an Idempotency-Key, too, and again', async () => {
    const { id, ask } = await start(methods);
    const key = { 'Idempotency-Key': crypto.randomUUID() };
    for (const _time of [1, 2]) {
      expect(
        await ask(`/endpoints/${id}/write`, { query: 'insert into t values (1)' }, key),
      ).toMatchObject({ status: 502, body: { code: 'OUTCOME_UNKNOWN' } });
    }
  });

  const failsTemplate = async (endpoint: string, ask: Awaited<ReturnType<typeof start>>['ask']) => {
    const template = { id: 'tells', request: 'Read', template: { endpoint, query: 'select 1' } };
    expect(await ask('/templates', template)).toMatchObject({ status: 200 });
    expect(await ask('/templates/tells', {})).toMatchObject(noRead);
  };

  test('fails a template that asks for it', async () => {
    const { id, ask } = await start(methods);
    await failsTemplate(id, ask);
  });

  test('fails it also where it is collected', async () => {
    const { id, ask } = await start({
      run: () => ({ collectId: 'kept' }),
      async *collect() {
        yield { chunk: bytes(text) };
      },
    });
    await failsTemplate(id, ask);
  });
});

test('what is kept for an Idempotency-Key is read, also where it is collected', async () => {
  const { id, ask } = await start({
    run: () => ({ collectId: 'kept' }),
    async *collect() {
      yield { chunk: bytes('{"rows":[') };
    },
  });
  const key = { 'Idempotency-Key': crypto.randomUUID() };
  for (const _time of [1, 2]) {
    expect(
      await ask(`/endpoints/${id}/write`, { query: 'insert into t values (1)' }, key),
    ).toMatchObject({ status: 502, body: { code: 'OUTCOME_UNKNOWN' } });
  }
});

describe('events', () => {
  const forged = 'x\nevent: error\ndata: {"forged":1}\n\n';
  test.each<[string, { id?: string; event?: Uint8Array }]>([
    ['an id with line breaks', { id: forged, event: bytes('{}') }],
    ['an id with a carriage return', { id: 'x\revent: error' }],
    ['an id with a NUL', { id: 'x\0' }],
    ['data with line breaks', { event: bytes(`{}\n\n${forged}`) }],
    ['data that is no JSON', { event: bytes('{"a":') }],
  ])('end with %s', async (_, event) => {
    const { gateway, id } = await start(
      {
        async *watch() {
          yield { id: 'i1' };
          yield event;
        },
      },
      'redis',
    );
    const reply = await gateway.send(`/endpoints/${id}/read`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${await gateway.token()}`,
        'Content-Type': 'application/json',
        Accept: 'text/event-stream',
      },
      body: '{"type":"SUBSCRIBE","args":["c"]}',
    });
    const text = await reply.text();
    expect(text).not.toContain('forged');
    const told = /^:\n\nid: i1\n\nevent: error\ndata: (.*)\n\n$/.exec(text)?.[1] ?? text;
    expect(JSON.parse(told)).toMatchObject({ code: 'NODE_UNAVAILABLE', message: OURS });
  });
});
