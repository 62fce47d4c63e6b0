/** Writes that Redis keeps once: their marks, what is told again, what cannot be kept. Spec: transactions.md §7. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RedisRequest } from '../../../kinds/redis/command.ts';
import type { OnceMark, OnceWork } from '../../../proto/once.ts';
import { failureOf } from '../contract.ts';
import { digestOf } from '../contract-once.ts';
import { type CuttingProxy, cuttingProxy } from '../test/cutting-proxy.ts';
import { callOf, jsonOf, openClient } from '../test/host.ts';
import { type RedisClient, redis } from './index.ts';
import { slotOf } from './key-slot.ts';
import { markNames } from './once-name.ts';
import { line, TestClient, words } from './test/client.ts';
import { wordBytes } from './words.ts';

let server: TestClient;
let proxy: CuttingProxy;
let client: RedisClient;

beforeAll(async () => {
  server = await TestClient.open();
  proxy = await cuttingProxy(server.server.url);
  client = await openClient(redis, { connection: { url: proxy.url }, mode: 'write' });
});
afterAll(async () => {
  await client?.close();
  proxy?.close();
  await server?.close();
});

let last = 0;

function mark(body = 'body', of?: number): OnceMark {
  last += 1;
  return markOf(of ?? last, body);
}

function markOf(of: number, body: string): OnceMark {
  const [key, secret] = [digestOf(`key ${of}`), digestOf(`secret ${of}`)];
  return { key, body: digestOf(body), place: 'causeway_once', secret };
}

async function once(work: OnceWork<RedisRequest> | string, own = mark()) {
  const asked = typeof work === 'string' ? { request: line(work) } : work;
  const { result, isReplay } = await client.once(asked, own, callOf('write'));
  return [jsonOf(result), isReplay];
}

function all(...lines: readonly string[]): OnceWork<RedisRequest> {
  return { operations: lines.map(line) };
}

describe('a reply', () => {
  test.each([
    ['SET {k} v'],
    ['SET {k} w GET'],
    ['GETDEL {k}'],
    ['GETDEL {k}'],
    ['INCRBY {k} 9007199254740993', 'SET {k} 0'],
    ['DECRBY {k} 9223372036854775807', 'SET {k} 0'],
    ['HINCRBY {k} f 9007199254740995'],
    ['INCRBYFLOAT {k} 1.5'],
    ['RPUSH {k} a b c'],
    ['LPOP {k} 2'],
    ['LMPOP 1 {k} LEFT COUNT 5'],
    ['HSET {k} f 1 g 2'],
    ['HGETDEL {k} FIELDS 2 f none'],
    ['ZADD {k} 1.5 a 2 b'],
    ['ZADD {k} INCR 3 a'],
    ['ZADD {k} NX INCR 3 a'],
    ['ZPOPMIN {k} 2'],
    ['ZPOPMIN {k}'],
    ['SPOP {k} 3'],
    ['XADD {k} 1-1 f v'],
    ['XGROUP CREATE {k} g 0'],
    ['XREADGROUP GROUP g c COUNT 1 STREAMS {k} >'],
    ['XAUTOCLAIM {k} g c 0 0-0'],
    ['GEOADD {k} 13.361389 38.115556 Palermo'],
    ['BITFIELD {k} SET u8 0 200 GET i16 0 OVERFLOW FAIL INCRBY u8 0 100'],
    ['EXPIRE {k} 100'],
    ['COPY {k} {k}b'],
  ])('is the same with a mark as without, and again: %s', async (text, before = '') => {
    const type = text.split(' ')[0] ?? '';
    const setup: Readonly<Record<string, readonly string[]>> = {
      GETDEL: ['SET {k} v'],
      LPOP: ['RPUSH {k} a b c'],
      LMPOP: ['RPUSH {k} a b c'],
      HGETDEL: ['HSET {k} f 1'],
      ZPOPMIN: ['ZADD {k} 1.5 a 2 b'],
      SPOP: ['SADD {k} x'],
      XGROUP: ['XADD {k} 1-1 f v'],
      XREADGROUP: ['XADD {k} 1-1 f v', 'XGROUP CREATE {k} g 0'],
      XAUTOCLAIM: ['XADD {k} 1-1 f v', 'XGROUP CREATE {k} g 0'],
      EXPIRE: ['SET {k} v'],
      COPY: ['SET {k} v'],
    };
    const steps = [...(setup[type] ?? []), ...(before === '' ? [] : [before])];
    const [plain, marked] = [`{plain${last}}`, `{other${last}}`];
    for (const step of steps) {
      await server.run(step.replaceAll('{k}', plain));
      await server.run(step.replaceAll('{k}', marked));
    }
    const told = JSON.stringify(await server.run(text.replaceAll('{k}', plain)));
    const expected = [JSON.parse(told.replaceAll(plain, marked)), false];
    const own = mark();
    expect(await once(text.replaceAll('{k}', marked), own)).toEqual(expected);
    expect(await once(text.replaceAll('{k}', marked), own)).toEqual([expected[0], true]);
  });

  test('is sealed: nobody reads it from the mark', async () => {
    const own = mark();
    await server.say('SET told a-secret-value');
    expect(await once('GETDEL told', own)).toEqual([{ result: 'a-secret-value' }, false]);
    const kept = (await server.outside.send('HGETALL', nameIn('told', own))).parts ?? [];
    const held = Buffer.concat(kept.map(({ text }) => text ?? Buffer.of())).toString('latin1');
    expect(held).not.toContain('secret-value');
    expect(kept).toHaveLength(8);
  });

  test.each(['reply', 'nonce', 'seal'])('that somebody changed is not told: %s', async (field) => {
    const own = mark();
    await once('SET changed-reply 1', own);
    await server.outside.send('HSET', nameIn('changed-reply', own), field, 'forged');
    expect(await failureOf(once('SET changed-reply 1', own))).toMatchObject({
      code: 'REPLY_NOT_KEPT',
    });
  });

  test('of a pipeline is kept with the errors of its commands', async () => {
    const pipeline = [line('SET piped 1'), line('LPUSH piped x'), line('INCR piped')];
    const work = { request: { type: 'pipeline' as const, pipeline } };
    const own = mark();
    const [first] = await once(work, own);
    expect(first).toMatchObject({
      results: [{ result: 'OK' }, { code: 'WRONGTYPE' }, { result: 2 }],
    });
    expect(await once(work, own)).toEqual([first, true]);
    expect(await server.say('GET piped')).toBe('2');
  });
});

function nameIn(key: string, own: OnceMark): string {
  return `causeway_once:{${key}}:${own.key}`;
}

describe('a mark', () => {
  test('lies in the slot of the keys of its write', () => {
    const key = fc.uint8Array({ maxLength: 12 });
    const tagged = fc.stringMatching(/^[a{}]{0,8}$/).map((text) => Buffer.from(text));
    fc.assert(
      fc.property(fc.oneof(key, tagged), (bytes) => {
        const word = { $bytes: Buffer.from(bytes).toString('base64') };
        const names = markNames([words('SET', word, 'v')], mark());
        expect(slotOf(wordBytes(names.mark))).toBe(slotOf(bytes));
      }),
    );
  });

  test('goes after seven days', async () => {
    const own = mark();
    await once('SET ages 1', own);
    for (const name of [nameIn('ages', own), `causeway_once:${own.key}`]) {
      const seconds = (await server.outside.send('TTL', name)).text?.toString();
      expect(Number(seconds)).toBeGreaterThan(7 * 24 * 3600 - 60);
    }
  });

  test('refuses another body, wherever its keys lie', async () => {
    const own = mark('one', 9_000);
    await once('INCR one-slot', own);
    expect(await failureOf(once('INCR another-slot', mark('two', 9_000)))).toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
    });
    expect(await server.say('EXISTS another-slot')).toBe('0');
  });

  test('is taken away by a command that fails at EXEC', async () => {
    const [own, work] = [mark(), all('SET {f}a text', 'LPUSH {f}a 1', 'INCR {f}b')];
    const failure = await failureOf(once(work, own));
    expect(failure).toMatchObject({
      code: 'REQUEST_FAILED',
      details: [
        { code: 'WRONGTYPE', operation: 1, applied: true },
        { operation: 0, applied: true },
        { operation: 2, applied: true, result: 1 },
      ],
    });
    expect(await server.say(`EXISTS ${nameIn('f', own)}`)).toBe('0');
    await failureOf(once(work, own));
    expect(await server.say('GET {f}b')).toBe('2');
  });

  test('is not left by a transaction that the server does not queue, nor is any effect', async () => {
    const own = mark();
    const failure = await failureOf(once(all('INCR queued', 'GET', 'INCR queued'), own));
    expect(failure).toMatchObject({ code: 'REQUEST_FAILED', details: [{ operation: 1 }] });
    expect(
      await server.say(`EXISTS queued ${nameIn('queued', own)} causeway_once:${own.key}`),
    ).toBe('0');
  });

  test('needs a user who may keep it', async () => {
    await server.outside.send('ACL', 'SETUSER', 'narrow', 'on', '>pw', '~mine:*', '+@all');
    const url = server.server.url.replace('redis://', 'redis://narrow:pw@');
    const narrow = await openClient(redis, { connection: { url }, mode: 'write' });
    const failure = await failureOf(
      narrow.once({ request: line('SET mine:a 1') }, mark(), callOf('write')),
    );
    await narrow.close();
    expect(failure).toMatchObject({
      code: 'BAD_REQUEST',
      message:
        'config.once needs keys causeway_once:*, and the user may not use them. Make it with: ACL SETUSER <user> ~causeway_once:* +set +get +del +hmget +hset +expire +eval +evalsha',
    });
    expect(await server.say('EXISTS mine:a')).toBe('0');
  });
});

describe('what cannot be kept with its mark is refused', () => {
  test.each([
    ['EVAL return 0', 'cannot run in a script'],
    ['FCALL f 0', 'cannot run in a script'],
    ['FLUSHDB', 'acts on the whole server'],
    ['BLPOP q 1', 'waits'],
    ['BITFIELD k INCRBY i64 0 1', 'has fields of over 53 bits'],
    [`RPUSH k ${'x '.repeat(7_001).trim()}`, 'has over 7000 words'],
  ])('%s', async (text, why) => {
    const failure = await failureOf(once(text));
    expect(failure).toMatchObject({ code: 'BAD_REQUEST', message: expect.stringContaining(why) });
  });

  test('a wide field that an operation reads', async () => {
    const work = all('SET {w}a 1', 'BITFIELD_RO {w}a GET i60 0');
    expect(await failureOf(once(work))).toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('has fields of over 53 bits'),
    });
    expect(await server.say('EXISTS {w}a')).toBe('0');
  });

  test.each([all('SET a 1', 'SET b 1'), { request: line('MSET a 1 b 1') }])(
    'keys in several slots (%#)',
    async (work) => {
      expect(await failureOf(once(work))).toMatchObject({
        code: 'BAD_REQUEST',
        details: [{ path: 'keys', message: 'has keys in several hash slots' }],
      });
      expect(await server.say('EXISTS a b')).toBe('0');
    },
  );
});

describe('a connection that is lost', () => {
  test.each([
    { at: 'NX', when: 'before' },
    { at: 'NX', when: 'after' },
    { at: 'evalsha', when: 'before' },
    { at: 'evalsha', when: 'after' },
  ] as const)('$when the server has $at leaves nothing in doubt', async ({ at, when }) => {
    const text = `RPUSH lost:${at}:${when} x`;
    await once('SET opens 1');
    proxy.cutAt(at, when);
    const own = mark();
    const [result] = await once(text, own);
    expect(result).toEqual({ result: 1 });
    expect(await once(text, own)).toEqual([result, true]);
    expect(await server.say(`LLEN lost:${at}:${when}`)).toBe('1');
  });
});
