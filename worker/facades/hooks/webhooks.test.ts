/** Deliveries to webhooks, from the signature to the run. Spec: workflows.md §5, `webhook`. */
import { env } from 'cloudflare:test';
import { beforeAll, describe, expect, test } from 'vitest';
import { ERRORS, type ErrorCode } from '../../../proto/errors.ts';
import type { JsonObject } from '../../../proto/json.ts';
import { countTrips } from '../../test/trips.ts';
import { hook, SECRET, type Shop, SIGNATURE, signed, startShop, told } from './test/shop.ts';

const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/);
const refusal = (code: ErrorCode, message: string, details?: JsonObject[]) => ({
  error: ERRORS[code].error,
  message,
  code,
  request_id: expect.any(String),
  ...(details ? { details } : {}),
});
const UNSIGNED = (message: string) => ({
  status: 401,
  body: refusal('DELIVERY_SIGNATURE_INVALID', message),
});

describe('a delivery', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop();
    const mapping = { body: '$.body', query: '$.query', shop: '$.headers["x-shop"]' };
    await shop.store('asked', hook('asked', { synchronous: true, mapping }));
    await shop.store('plain', hook('plain/of/shop'));
  });

  test('starts a run with its body, and is answered with the run’s id', async () => {
    const reply = await shop.deliver('plain/of/shop', { order: 1042 });
    expect(told(reply)).toEqual({ status: 202, body: { run_id: UUID } });
    expect(reply.headers.get('Location')).toBeNull();
    const { run_id } = reply.body as { run_id: string };
    const record = async () =>
      (await shop.call('GET', `/workflows/plain/executions/${run_id}`)).body as JsonObject;
    await expect.poll(async () => (await record()).status).toBe('succeeded');
    expect(await record()).toMatchObject({
      run_id,
      trigger: { type: 'webhook', index: 0, id: UUID },
      input: { order: 1042 },
      output: { of: { order: 1042 } },
      started_by: shop.user.username,
    });
  });

  test('is mapped from its body, headers and query, and answered with the end of the run', async () => {
    const reply = await shop.deliver(
      'asked?a=1&b=2&b=3',
      { n: '12345678901234567890' },
      { 'X-Shop': 'north' },
    );
    const of = {
      body: { n: '12345678901234567890' },
      query: { a: '1', b: ['2', '3'] },
      shop: 'north',
    };
    expect(told(reply)).toEqual({
      status: 200,
      body: { run_id: UUID, status: 'succeeded', output: { of } },
    });
  });

  test('keeps the digits of its numbers', async () => {
    const text = '{"n":12345678901234567890.10}';
    const reply = await shop.post('asked', text, await signed(text));
    expect(reply.status).toBe(200);
    expect(reply.text).toContain('"output":{"of":{"body":{"n":12345678901234567890.10}');
  });

  test('is found by the organization’s UUID, too', async () => {
    const { uuid } = shop.organization;
    const reply = await shop.post('plain/of/shop', '{}', await signed('{}'), uuid.toUpperCase());
    expect(told(reply)).toEqual({ status: 202, body: { run_id: UUID } });
  });

  test('is looked up once, in whatever letter case the UUID comes', async () => {
    const trips = countTrips(env.DB);
    const own = await startShop({ bindings: { DB: trips.binding } });
    await own.store('looked', hook('looked'));
    const { uuid } = own.organization;
    const ask = (org: string) => own.post('looked', '{}', { [SIGNATURE]: 'wrong' }, org);
    expect((await ask(uuid)).status).toBe(401);
    const before = trips.count();
    expect((await ask(uuid.toUpperCase())).status).toBe(401);
    expect(trips.count()).toBe(before);
  });

  test.each<[how: string, headers: () => Promise<Record<string, string>>, message: string]>([
    [
      'without a signature',
      async () => ({}),
      'X-Shop-Signature is required: the delivery must be signed',
    ],
    [
      'signed with another secret',
      () => signed('{}', 'another secret'),
      'The signature does not match',
    ],
    ['signed for another body', () => signed('{"a":1}'), 'The signature does not match'],
    [
      'whose signature is none',
      async () => ({ [SIGNATURE]: 'x' }),
      'X-Shop-Signature must be an HMAC with sha256 in hexadecimal digits or base64',
    ],
  ])('%s is refused', async (_how, headers, message) => {
    expect(told(await shop.post('plain/of/shop', '{}', await headers()))).toEqual(
      UNSIGNED(message),
    );
  });

  test.each(['plain', 'plain/of', 'plain/of/shop/', 'other'])('to %s is 404', async (path) => {
    const nothing = {
      status: 404,
      body: refusal('NOT_FOUND', 'There is no webhook at that path'),
    };
    expect(told(await shop.post(path, '{}', await signed('{}')))).toEqual(nothing);
    expect(told(await shop.post(path, '{}'))).toEqual(nothing);
  });

  test('to the path of another organization is 404', async () => {
    const other = await startShop();
    const nothing = {
      status: 404,
      body: refusal('NOT_FOUND', 'There is no webhook at that path'),
    };
    expect(told(await other.deliver('plain/of/shop', {}))).toEqual(nothing);
  });

  test.each<
    [
      how: string,
      body: string | Uint8Array | undefined,
      type: string,
      answer: { status: number; body: JsonObject },
    ]
  >([
    [
      'that is empty',
      undefined,
      'application/json',
      {
        status: 400,
        body: refusal('BAD_REQUEST', 'The body is empty: send JSON, or a form', [
          { path: 'body', message: 'is empty: send JSON, or a form' },
        ]),
      },
    ],
    [
      'that is no JSON',
      '{"a":',
      'application/json',
      { status: 400, body: expect.objectContaining({ code: 'BAD_REQUEST' }) },
    ],
    [
      'that is not UTF-8',
      Uint8Array.from([34, 0xc3, 0x28, 34]),
      'application/json',
      {
        status: 400,
        body: refusal('BAD_REQUEST', 'The body is not UTF-8: at byte 1, counted from 0', [
          { path: 'body', message: 'at byte 1, counted from 0' },
        ]),
      },
    ],
    [
      'in another charset',
      '{}',
      'application/json; charset=iso-8859-1',
      {
        status: 400,
        body: refusal('BAD_REQUEST', 'The body is in iso-8859-1: send it in UTF-8', [
          { path: 'body', message: 'is in iso-8859-1: send it in UTF-8' },
        ]),
      },
    ],
    [
      'of another type',
      '<a/>',
      'text/xml',
      {
        status: 415,
        body: refusal(
          'UNSUPPORTED_MEDIA_TYPE',
          'Send the body as application/json, application/x-www-form-urlencoded or multipart/form-data',
        ),
      },
    ],
    [
      'that is no multipart form',
      'nothing',
      'multipart/form-data; boundary=a',
      {
        status: 400,
        body: refusal('BAD_REQUEST', 'The body is no form as multipart/form-data has it', [
          { path: 'body', message: 'is no form as multipart/form-data has it' },
        ]),
      },
    ],
  ])('%s is refused, but only once its signature is right', async (_how, body, type, answer) => {
    const bytes =
      typeof body === 'string' ? new TextEncoder().encode(body) : (body ?? new Uint8Array());
    const right = await signature(bytes);
    const send = (value: string) =>
      shop.post('plain/of/shop', body, { 'Content-Type': type, [SIGNATURE]: value });
    expect(told(await send('0'.repeat(64)))).toEqual(UNSIGNED('The signature does not match'));
    expect(told(await send(right))).toEqual(answer);
  });

  test('that is compressed is refused', async () => {
    const headers = { 'Content-Encoding': 'gzip', ...(await signed('{}')) };
    expect(told(await shop.post('plain/of/shop', '{}', headers))).toEqual({
      status: 415,
      body: refusal(
        'UNSUPPORTED_MEDIA_TYPE',
        'Content-Encoding is not taken: send the body as it is',
      ),
    });
  });

  test('tells nothing about what stands between the gateway and its front', async () => {
    await shop.store(
      'headers',
      hook('headers', { synchronous: true, mapping: { all: '$.headers' } }),
    );
    const reply = await shop.deliver('headers', {}, { 'X-Causeway-Peer': 'secret 1.2.3.4' });
    expect(reply.status).toBe(200);
    expect(JSON.stringify(reply.body)).toContain('x-shop-signature');
    expect(JSON.stringify(reply.body)).not.toContain('1.2.3.4');
  });

  test('whose mapping fails, or does not fit, is refused and leaves no run', async () => {
    const schema = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } };
    const mapping = { n: '$.body.a.b.c' };
    await shop.store('strict', hook('strict', { mapping }), { input: { schema } });
    const missing = await shop.deliver('strict', { a: 1 });
    expect(missing.status).toBe(400);
    expect(missing.body).toMatchObject({
      code: 'BAD_REQUEST',
      details: [{ path: expect.any(String) }],
    });
    const wrong = await shop.deliver('strict', { a: { b: { c: 'x' } } });
    expect(wrong).toMatchObject({ status: 400, body: { details: [{ path: 'n' }] } });
    await shop.settle();
    expect(await shop.runsOf('strict')).toEqual([]);
  });

  test('to a paused workflow is 503, and starts nothing later', async () => {
    await shop.store('rests', hook('rests'));
    await shop.call('PATCH', '/workflows/rests', { status: 'paused' });
    const reply = await shop.deliver('rests', {});
    expect(told(reply)).toEqual({
      status: 503,
      body: refusal('SERVICE_UNAVAILABLE', 'Workflow rests is paused'),
    });
    expect(reply.headers.get('Retry-After')).toBe('60');
    expect(told(await shop.post('rests', '{}'))).toEqual(
      UNSIGNED('X-Shop-Signature is required: the delivery must be signed'),
    );
    await shop.call('PATCH', '/workflows/rests', { status: 'active' });
    await shop.settle();
    expect(await shop.runsOf('rests')).toEqual([]);
    expect((await shop.deliver('rests', {})).status).toBe(202);
  });

  test('follows the version in force: another path, another secret', async () => {
    await shop.store('moves', hook('moves/1'));
    expect((await shop.deliver('moves/1', {})).status).toBe(202);
    const trigger = hook('moves/2', {}, { secret: [SECRET, 'the next secret of the shop'] });
    expect((await shop.call('PATCH', '/workflows/moves', { trigger })).status).toBe(200);
    expect((await shop.deliver('moves/1', {})).status).toBe(404);
    expect((await shop.deliver('moves/2', {})).status).toBe(202);
    const next = await signed('{}', 'the next secret of the shop');
    expect((await shop.post('moves/2', '{}', next)).status).toBe(202);
    await shop.call('DELETE', '/workflows/moves?confirm=true');
    expect((await shop.deliver('moves/2', {})).status).toBe(404);
  });
});

async function signature(bytes: Uint8Array): Promise<string> {
  const key = new TextEncoder().encode(SECRET);
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const own = await crypto.subtle.importKey('raw', key, algorithm, false, ['sign']);
  const mac = new Uint8Array(await crypto.subtle.sign('HMAC', own, bytes));
  return Array.from(mac, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
