/** Keys that an endpoint's backend keeps, by a relay in memory. Spec: transactions.md §7. */
import { Code, ConnectError } from '@connectrpc/connect';
import { describe, expect, test } from 'vitest';
import type { RunOnceRequest } from '../../proto/gen/relay/v1/relay_pb.ts';
import { digestOf } from '../secrets/digest.ts';
import { failure } from '../test/gateway.ts';
import { startRunning } from '../test/running.ts';

const WRITE = { type: 'execute', query: 'INSERT INTO orders DEFAULT VALUES' };
const KEY = { 'Idempotency-Key': 'k' };
const RESULT = new TextEncoder().encode('{"rows_affected":1}');

type Answer = (request: RunOnceRequest) => { result: Uint8Array; replayed: boolean };

async function start(answer: Answer) {
  const asked: RunOnceRequest[] = [];
  const plain: unknown[] = [];
  const config = { write_conn: { url: 'postgres://u:p@db.test/x' }, once: { table: 'kept' } };
  const gateway = await startRunning(
    {
      ping: () => ({ latencyUs: 1n }),
      run(request) {
        plain.push(request);
        return { result: RESULT };
      },
      runOnce(request) {
        asked.push(request);
        return answer(request);
      },
    },
    { endpoint: { kind: 'postgres', config } },
  );
  return { ...gateway, asked, plain };
}

describe('a write with a key on an endpoint with config.once', () => {
  test('brings its mark: the same for a repeat, another for another key or body', async () => {
    const gateway = await start(() => ({ result: RESULT, replayed: false }));
    for (const [body, key] of [
      [WRITE, 'k'],
      [WRITE, 'k'],
      [{ ...WRITE, timeout_ms: 5 }, 'k'],
      [WRITE, 'other'],
    ] as const) {
      await gateway.ask('/write', body, { 'Idempotency-Key': key });
    }
    const [first, again, body, key] = gateway.asked.map(({ mark }) => mark);
    expect(first).toMatchObject({ place: 'kept', key: expect.stringMatching(/^[\da-f]{64}$/) });
    expect(again).toEqual(first);
    expect([body?.key === first?.key, body?.body === first?.body]).toEqual([true, false]);
    expect([key?.key === first?.key, key?.body === first?.body]).toEqual([false, true]);
    expect(gateway.plain).toEqual([]);
  });

  test('has a secret that only the same key has, and that another organization cannot make', async () => {
    const gateways = await Promise.all(
      ['a', 'b'].map(() => start(() => ({ result: RESULT, replayed: false }))),
    );
    const digest = await digestOf(new TextEncoder().encode(JSON.stringify(WRITE)));
    const secrets: unknown[] = [];
    for (const gateway of gateways) {
      for (const key of ['k', 'other']) {
        await gateway.ask('/write', WRITE, { 'Idempotency-Key': key });
      }
      secrets.push(...gateway.asked.map(({ mark }) => mark?.secret));
      const body = new Set(gateway.asked.map(({ mark }) => mark?.body));
      expect([...body]).toEqual([expect.not.stringContaining(digest)]);
    }
    for (const secret of secrets) expect(secret).toMatch(/^[\da-f]{64}$/);
    expect(new Set(secrets).size).toBe(4);
  });

  test('tells a reply that was kept as one', async () => {
    const gateway = await start(() => ({ result: RESULT, replayed: true }));
    const reply = await gateway.post('/write', WRITE, KEY);
    expect([reply.status, reply.headers.get('Idempotent-Replayed')]).toEqual([200, 'true']);
    expect(await reply.json()).toEqual({ status: 'success', data: { rows_affected: 1 } });
  });

  test('that is lost is no unknown outcome: the same key tells', async () => {
    const gateway = await start(() => {
      throw new ConnectError('the relay is gone', Code.Unavailable);
    });
    const message =
      'The request was lost on its way and may have taken effect: send it again with the same Idempotency-Key, which tells what became of it';
    const body = failure('NODE_UNAVAILABLE', message);
    expect(await gateway.ask('/write', WRITE, KEY)).toEqual({ status: 503, body });
    expect(await gateway.ask('/write', WRITE, KEY)).toEqual({ status: 503, body });
    expect(gateway.asked).toHaveLength(2);
  });

  test('is refused by a relay that does not know marks, and runs nowhere', async () => {
    const gateway = await start(() => {
      throw new ConnectError('no such method', Code.Unimplemented);
    });
    const message =
      'The node is of an earlier version and does not know config.once: update it, or send the request without a key';
    expect(await gateway.ask('/write', WRITE, KEY)).toEqual({
      status: 503,
      body: failure('NODE_UNAVAILABLE', message),
    });
    expect(gateway.plain).toEqual([]);
  });

  test('is one as before without a key', async () => {
    const gateway = await start(() => ({ result: RESULT, replayed: false }));
    expect((await gateway.post('/write', WRITE)).status).toBe(200);
    expect([gateway.asked.length, gateway.plain.length]).toEqual([0, 1]);
  });
});
