/** The server around the service: health, metrics, logs, who is let in, and the stop. */
import { request as httpRequest } from 'node:http';
import { Code } from '@connectrpc/connect';
import { describe, expect, test, vi } from 'vitest';
import { RelayService } from '../proto/gen/relay/v1/relay_pb.ts';
import {
  callToken,
  failureOf,
  PASSWORD,
  query,
  relaysOfTests,
  seal,
  type TestRelay,
  targetOf,
  utf8Of,
} from './test/relay.ts';

const start = relaysOfTests();
const read = (node: TestRelay, text = 'select 1') => ({
  target: targetOf('read', { sealedConnection: node.sealed }),
  request: query(text),
});

const UNAUTHENTICATED = { code: 'unauthenticated', message: 'A call token is required' };

describe('a call', () => {
  test.each(RelayService.methods.map(({ name, methodKind }) => ({ name, methodKind })))(
    '$name needs a call token, before its message is read',
    async ({ name, methodKind }) => {
      const node = await start();
      const streams = methodKind === 'server_streaming';
      const reply = await fetch(`${node.baseUrl}/relay.v1.RelayService/${name}`, {
        method: 'POST',
        headers: { 'Content-Type': streams ? 'application/connect+proto' : 'application/proto' },
        body: 'no message',
      });
      expect(reply.status).toBe(streams ? 200 : 401);
      const text = await reply.text();
      expect(JSON.parse(text.slice(text.indexOf('{')))).toMatchObject(
        streams ? { error: UNAUTHENTICATED } : UNAUTHENTICATED,
      );
    },
  );

  const unary = RelayService.methods.filter(({ methodKind }) => methodKind === 'unary');
  test.each(unary.map(({ name }) => name))(
    'of %s whose message cannot be read is refused',
    async (name) => {
      const node = await start();
      const token = await callToken(node.keys, node.relay.nodeId);
      const reply = await fetch(`${node.baseUrl}/relay.v1.RelayService/${name}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/proto', Authorization: `Bearer ${token}` },
        body: 'no message',
      });
      expect({ status: reply.status, body: await reply.json() }).toMatchObject({
        status: 400,
        body: { code: 'invalid_argument', message: 'The message cannot be read' },
      });
    },
  );

  test('is let in by a token that is verified once', async () => {
    const node = await start();
    await Promise.all(Array.from({ length: 20 }, () => node.client.run(read(node))));
    expect(await metric(node, 'relay_token_verifications_total')).toBe(1);
  });

  test('is answered alike in binary and in JSON', async () => {
    const node = await start();
    const token = await callToken(node.keys, node.relay.nodeId);
    const post = async (body: object) => {
      const reply = await fetch(`${node.baseUrl}/relay.v1.RelayService/Run`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
        body: JSON.stringify(body),
      });
      const answer = (await reply.json()) as { result: string };
      return { status: reply.status, body: answer };
    };
    const { target, request } = read(node);
    const inJson = await post({ target, request: Buffer.from(request).toString('base64') });
    const inBinary = await node.client.run({ target, request });
    expect(atob(inJson.body.result)).toBe(utf8Of(inBinary.result));
    const failed = await failureOf(node.client.run({ request }));
    expect(await post({ request: '' })).toMatchObject({
      status: 400,
      body: { code: 'invalid_argument', message: failed.message },
    });
  });

  test('without a host does not end the node', async () => {
    const node = await start();
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    const path = '/relay.v1.RelayService/Status';
    const options = { port: node.relay.port, path, method: 'POST', setHost: false };
    // Of HTTP/1.1, Node refuses it by itself.
    const raw = httpRequest(options, (reply) => resolve(reply.resume().statusCode));
    raw.on('error', reject).end();
    expect(await promise).toBe(400);
    expect(await node.client.status({})).toMatchObject({ draining: false });
  });
});

describe('/healthz, /metrics and what is not there', () => {
  test('answer without a token', async () => {
    const node = await start();
    const health = await fetch(`${node.baseUrl}/healthz`);
    expect({ status: health.status, body: await health.json() }).toEqual({
      status: 200,
      body: { status: 'ok' },
    });
    expect((await fetch(`${node.baseUrl}/nothing`)).status).toBe(404);
  });

  test('metrics count calls, and every line is in the text format', async () => {
    const node = await start();
    await node.client.run(read(node));
    await failureOf(node.client.run(read(node, 'fail')));
    const reply = await fetch(`${node.baseUrl}/metrics`);
    expect(reply.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    const text = await reply.text();
    const line =
      /^(# (HELP|TYPE) [a-z0-9_:]+ .+|[a-z0-9_:]+(\{([a-z_]+="[^"\\\n]*",?)*\})? ([-+\d.e]+|NaN|[-+]Inf)|)$/i;
    expect(text.split('\n').filter((each) => !line.test(each))).toEqual([]);
    expect(text).toContain('relay_calls_total{method="Run",kind="postgres",code="OK"} 1');
    expect(text).toContain('relay_calls_total{method="Run",kind="postgres",code="INTERNAL"} 1');
    expect(text).toContain('relay_call_duration_seconds_count{method="Run",kind="postgres"} 2');
    expect(text).toMatch(/^relay_backend_connections 1$/m);
    expect(text).toMatch(/^relay_pools 1$/m);
  });
});

describe('the log', () => {
  test('has one line a call, and never a secret or a statement', async () => {
    const output = vi.spyOn(process.stdout, 'write');
    const errors = vi.spyOn(process.stderr, 'write');
    const node = await start();
    await node.client.run(read(node, 'select marker_of_a_statement'));
    await failureOf(node.client.run(read(node, 'fail marker_of_a_statement')));
    await failureOf(node.client.run(read(node, 'refuse')));
    const broken = await seal(node.keys.nodePublic, {
      connection: PASSWORD,
      settings: [] as never,
    });
    const target = targetOf('read', { revision: 9, sealedConnection: broken });
    await failureOf(node.client.run({ target, request: query('x') }));
    const lines = node.lines.map((line) => JSON.parse(line));
    const call = { request_id: 'request-1', method: 'Run', kind: 'postgres' };
    const endpoint = targetOf('read').endpoint;
    expect(lines).toMatchObject([
      { ...call, endpoint, code: 'OK', ms: expect.any(Number), level: 'debug' },
      { ...call, endpoint, code: 'INTERNAL', fault: { name: 'Error' }, level: 'error' },
      { ...call, endpoint, code: 'REQUEST_FAILED', level: 'debug' },
      { ...call, endpoint, code: 'NODE_UNAVAILABLE', fault: { name: 'ZodError' }, level: 'warn' },
    ]);
    expect(lines[1].fault.at[0]).toMatch(/memory-driver\.ts/);
    const written = [...output.mock.calls, ...errors.mock.calls, ...node.lines].join('\n');
    for (const secret of [
      PASSWORD,
      'hunter2',
      'marker_of_a_statement',
      node.sealed,
      'db.example',
    ]) {
      expect(written).not.toContain(secret);
    }
  });
});

describe('a stop', () => {
  test('finishes what is in flight and refuses what is new', async () => {
    const node = await start({ drainMaxMs: 60_000 });
    const slow = node.client.run(read(node, 'pause'));
    await expect.poll(() => node.seen.running).toBe(1);
    const stopped = vi.fn();
    const drained = node.relay.drain().then(stopped);
    expect(await failureOf(node.client.run(read(node)))).toEqual({
      connect: Code.Unavailable,
      message: 'This node is stopping',
      code: 'NODE_UNAVAILABLE',
      details: [],
    });
    expect((await node.client.status({})).draining).toBe(true);
    expect((await fetch(`${node.baseUrl}/healthz`)).status).toBe(503);
    expect(stopped).not.toHaveBeenCalled();
    node.seen.goOn();
    expect(JSON.parse(utf8Of((await slow).result)).mode).toBe('read');
    await drained;
    expect(node.seen).toMatchObject({ closed: 1, connections: 0 });
    await expect(fetch(`${node.baseUrl}/healthz`)).rejects.toThrow();
  });

  test('waits for a result that is still to be collected', async () => {
    const node = await start();
    const { collectId } = await node.client.run(read(node, 'big 300000'));
    const drained = node.relay.drain();
    let size = 0;
    for await (const { chunk } of node.client.collect({ collectId })) size += chunk.byteLength;
    expect(size).toBe(300_002);
    await drained;
  });

  test('rolls sessions back, and ends calls that take too long', async () => {
    const node = await start({ drainMaxMs: 50 });
    const target = targetOf('write', { sealedConnection: node.sealed });
    await node.client.openSession({ target });
    const endless = failureOf(node.client.run(read(node, 'hang')));
    await expect.poll(() => node.seen.running).toBe(1);
    await node.relay.drain();
    expect(await endless).toMatchObject({
      connect: Code.Unavailable,
      message: 'The node is stopping',
      code: 'SERVICE_UNAVAILABLE',
    });
    expect(node.seen).toMatchObject({ rolledBack: 1, connections: 0, closed: 2 });
  });
});

describe('a session', () => {
  test('holds one connection, on which values stay', async () => {
    const node = await start();
    const target = targetOf('write', { sealedConnection: node.sealed });
    const { sessionId, expiresMs } = await node.client.openSession({ target });
    expect(Number(expiresMs) - Date.now()).toBeGreaterThan(290_000);
    const run = (text: string, mode: 'read' | 'write' = 'write') =>
      node.client.run({ target: { ...target, mode }, request: query(text), sessionId });
    await run('set kept');
    expect(utf8Of((await run('get', 'read')).result)).toBe('"kept"');
    const { endpoint } = target;
    expect(await node.client.closeSession({ sessionId, endpoint })).toMatchObject({ found: true });
    expect(await failureOf(run('get'))).toMatchObject({ code: 'SESSION_NOT_FOUND' });
    expect(node.seen).toMatchObject({ rolledBack: 1, connections: 0 });
  });

  test('takes part in the caps, and leaves half of them to calls', async () => {
    const node = await start();
    const caps = { total: 4 };
    const target = targetOf('write', { sealedConnection: node.sealed, caps });
    await node.client.openSession({ target });
    await node.client.openSession({ target });
    expect(await failureOf(node.client.openSession({ target }))).toMatchObject({
      connect: Code.ResourceExhausted,
      code: 'SESSIONS_EXHAUSTED',
    });
    const calls = Array.from({ length: 20 }, () =>
      node.client.run({ target, request: query('sleep 200') }),
    );
    await Promise.all(calls);
    expect(node.seen.connectionsMost).toBe(4);
  });
});

async function metric(node: TestRelay, name: string): Promise<number> {
  const text = await (await fetch(`${node.baseUrl}/metrics`)).text();
  return Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1]);
}
