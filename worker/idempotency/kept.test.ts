/** What is kept of a reply, in which form, and what is not. */
import { runInDurableObject } from 'cloudflare:test';
import { describe, expect, test, vi } from 'vitest';
import { anyMember } from '../access/access.ts';
import { Accepted, Content, JsonBytes, type Result, Tagged } from '../outcome.ts';
import { type Reply, route } from '../route.ts';
import { failure } from '../test/gateway.ts';
import { keysOf, seen, startKeyed, startOwn, storedCalls, WRITE } from '../test/keyed.ts';
import { bytes, textOf } from '../test/running.ts';
import type { Idempotency } from './rule.ts';

const MEBIBYTE = 1024 * 1024;

/** A gateway with one operation, which answers this. */
async function answering(handle: () => Promise<Reply>, idempotency: Idempotency<never> = {}) {
  let ran = 0;
  const own = await startOwn([
    route({
      method: 'POST',
      path: '/made',
      summary: 'Make',
      description: 'Makes it.',
      tag: 'Help',
      errors: [],
      access: anyMember,
      changes: 'organization',
      idempotency,
      reply: 'bare',
      // What it answers is the test's business.
      result: undefined as never,
      handle() {
        ran += 1;
        return handle();
      },
    }),
  ]);
  return { ...own, make: (key = 'k') => own.post('/made', key), ran: () => ran };
}

const notKept = (because: string) => ({
  status: 409,
  replayed: null,
  body: failure(
    'REPLY_NOT_KEPT',
    `The call with this Idempotency-Key was answered with 200, and ${because}: it is not kept`,
  ),
});

/** So many bytes, in pieces of 64 KiB; counts those that were asked for. */
function stream(size: number) {
  const state = { pieces: 0, cancelled: false };
  let left = size;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (left === 0) return controller.close();
        const length = Math.min(left, 64 * 1024);
        left -= length;
        state.pieces += 1;
        controller.enqueue(new Uint8Array(length).fill(0x20));
      },
      cancel() {
        state.cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { body, state };
}

test('large replies are sealed and stored one after another, with a rest after each', async () => {
  const body = new Uint8Array(900_000).fill(0x20);
  const { make } = await answering(async () => new JsonBytes(body));
  await make('warm up');
  const sealed: number[] = [];
  const encrypt = crypto.subtle.encrypt.bind(crypto.subtle);
  const spy = vi.spyOn(crypto.subtle, 'encrypt').mockImplementation((algorithm, key, clear) => {
    if (clear.byteLength > body.byteLength) sealed.push(performance.now());
    return encrypt(algorithm, key, clear);
  });
  const replies = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((key) => make(key)));
  spy.mockRestore();
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  // Each is paid for with some 50 ms.
  const gaps = sealed.slice(1).map((at, index) => at - (sealed[index] ?? at));
  expect(gaps.map((gap) => gap > 40)).toEqual([true, true, true, true]);
});

describe('of a reply are kept', () => {
  const always = {
    'cache-control': 'no-store',
    'content-type': 'application/json; charset=utf-8',
    'idempotent-replayed': 'true',
    'referrer-policy': 'no-referrer',
    'server-timing': 'authorize;dur=0',
    'x-content-type-options': 'nosniff',
    'x-request-id': expect.any(String),
  };

  test.each<[string, Result, number, object, string]>([
    ['its tag', new Tagged('7', { a: 1 }), 200, { etag: '"7"' }, '{"a":1}'],
    [
      'where the work that it began can be read',
      new Accepted({ a: 1 }, '/api/v1/made/1', true),
      202,
      { location: '/api/v1/made/1', 'preference-applied': 'respond-async' },
      '{"a":1}',
    ],
    ['bytes as they were', new JsonBytes(bytes('{"a": 1.0}')), 200, {}, '{"a": 1.0}'],
  ])('status, body and %s', async (_what, result, status, own, text) => {
    const { make, ran } = await answering(async () => result);
    expect((await make()).status).toBe(status);
    const response = await make();
    expect([response.status, Object.fromEntries(response.headers), await textOf(response)]).toEqual(
      [status, { ...always, ...own }, text],
    );
    expect(ran()).toBe(1);
  });

  test('a stream of 1 MiB to its last byte', async () => {
    const { make, ran } = await answering(async () => new JsonBytes(stream(MEBIBYTE).body));
    expect((await textOf(await make())).length).toBe(MEBIBYTE);
    const response = await make();
    expect(response.headers.get('Idempotent-Replayed')).toBe('true');
    expect((await textOf(response)).length).toBe(MEBIBYTE);
    expect(ran()).toBe(1);
  });

  test('the whole reply when nobody reads it', async () => {
    const { make } = await answering(async () => new JsonBytes(stream(300_000).body));
    await (await make()).body?.cancel();
    expect((await textOf(await make())).length).toBe(300_000);
  });
});

describe('only the fact is kept', () => {
  test('of one byte more, which its caller gets whole', async () => {
    const { make, ran } = await answering(async () => new JsonBytes(stream(MEBIBYTE + 1).body));
    expect((await textOf(await make())).length).toBe(MEBIBYTE + 1);
    expect(await seen(await make())).toEqual(notKept('its reply is larger than 1 MiB'));
    expect(ran()).toBe(1);
  });

  test('of a long one, which is read no further than its caller reads', async () => {
    const { body, state } = stream(100 * MEBIBYTE);
    const { make } = await answering(async () => new JsonBytes(body));
    const reader = (await make()).body?.getReader();
    await reader?.read();
    expect(state.pieces).toBeLessThan(20);
    await reader?.cancel();
    expect(state.cancelled).toBe(true);
    expect(await seen(await make())).toEqual(notKept('its reply is larger than 1 MiB'));
  });

  test('of one that carries a secret', async () => {
    const { make, ran, organization } = await answering(async () => ({ secret: 's3cret' }), {
      secret: true,
    });
    expect(await (await make()).json()).toEqual({ secret: 's3cret' });
    expect(await seen(await make())).toEqual(notKept('its reply held a secret'));
    expect(ran()).toBe(1);
    expect(await storedCalls(organization.uuid)).toMatchObject([{ reply: null }]);
  });

  test.each(['text/event-stream', 'application/x-ndjson; charset=utf-8'])(
    'of %s, which is handed on at once',
    async (type) => {
      const { body, state } = stream(MEBIBYTE);
      const { make } = await answering(async () => new Content(type, body));
      const response = await make();
      expect(state.pieces).toBe(0);
      await response.body?.cancel();
      expect(await seen(await make())).toEqual(notKept('its reply was a stream'));
    },
  );
});

describe('what is stored', () => {
  const SECRETS = ['of-the-reply', 'of-the-request', 'of-the-key'];
  const body = { ...WRITE, query: `insert into t values ('${SECRETS[1]}')` };

  test('tells nothing about request, reply or key, and belongs to the organization', async () => {
    const { write, organization } = await startKeyed(() => ({
      result: bytes(`{"value":"${SECRETS[0]}"}`),
    }));
    await write('of-the-key', body);
    const stored = await storedCalls(organization.uuid);
    expect(stored).toMatchObject([{ fact: null, reply: expect.any(ArrayBuffer) }]);
    const text = stored.map((row) => JSON.stringify(row) + latin1(row.reply)).join();
    for (const secret of SECRETS) expect(text).not.toContain(secret);
  });

  test('is of no use under another key, nor when it was changed', async () => {
    const { write, organization } = await startKeyed();
    for (const key of ['a', 'b']) await write(key);
    const [a, b] = await storedCalls(organization.uuid);
    const forged = new Uint8Array(b?.reply ?? new ArrayBuffer());
    await overwrite(organization.uuid, a?.name, forged);
    const changed = forged.map((byte, at) => (at === 40 ? byte ^ 1 : byte));
    await overwrite(organization.uuid, b?.name, changed);
    const replies = [await seen(await write('a')), await seen(await write('b'))];
    const unreadable = failure('INTERNAL', 'A stored secret cannot be opened');
    expect(replies).toEqual(replies.map(() => ({ status: 500, replayed: null, body: unreadable })));
  });
});

function latin1(stored: ArrayBuffer | null): string {
  return new TextDecoder('latin1').decode(stored ?? new ArrayBuffer());
}

async function overwrite(owner: string, name: string | undefined, reply: Uint8Array) {
  for (const keys of keysOf(owner)) {
    await runInDurableObject(keys, (_keys, { storage: { sql } }) => {
      const found = sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'calls'").toArray();
      if (found.length > 0) sql.exec('UPDATE calls SET reply = ? WHERE name = ?', reply, name);
    });
  }
}
