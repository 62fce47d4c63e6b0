/** Bad bodies over real sockets, as no well-behaved client sends them: each has its reply, and changes nothing. */
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../proto/errors.ts';
import { sharedGateway } from '../gateway.ts';
import { newOrganization, type Organization, refusal } from '../organization.ts';
import { chunked, type Exchanged, exchange, type Part } from './raw.ts';

let organization: Organization;

beforeAll(async () => {
  organization = await newOrganization(await sharedGateway());
});

const BODY = '{"description":"changed"}';
const LIMIT = 10 * 2 ** 20;

/** Sends a body that would change the organization, were it right. */
function change(
  head: readonly string[],
  body: readonly Part[],
  more: { readonly halfClose?: boolean; readonly token?: string } = {},
): Promise<Exchanged> {
  const { token = organization.token, ...sending } = more;
  return exchange(organization.gateway.url, {
    method: 'PATCH',
    path: '/api/v1/organizations',
    head: [`Authorization: Bearer ${token}`, ...head],
    body,
    ...sending,
  });
}

/** With the length that the body has. */
const withLength = (body: Buffer | string, ...head: readonly string[]) =>
  change([...head, `Content-Length: ${Buffer.byteLength(body, 'latin1')}`], [body]);

const told = ({ status, text }: Exchanged) => ({ status, body: JSON.parse(text) });

async function description(): Promise<unknown> {
  const { body } = await organization.call('GET', '/organizations');
  return (body as { description: unknown }).description;
}

const refused = (code: ErrorCode, message: string, where?: string) =>
  refusal(code, message, where === undefined ? undefined : [{ path: 'body', message: where }]);
const misread = (what: string, where: string) =>
  refused('BAD_REQUEST', `The body ${what}: ${where}`, where);

describe('a body', () => {
  const json = 'Content-Type: application/json';
  const JSON_WANTED = refused(
    'UNSUPPORTED_MEDIA_TYPE',
    'Send the body as Content-Type: application/json',
  );

  test.each<[what: string, send: () => Promise<Exchanged>, reply: object]>([
    [
      'that is no JSON',
      () => withLength('{"description":\n  changed}', json),
      misread('is not JSON', 'at line 2, column 3, where a value is expected'),
    ],
    [
      'that breaks off',
      () => withLength('{"description":"chan', json),
      misread('is not JSON', 'it ends at line 1, column 21, where a closing quote is expected'),
    ],
    [
      'in Latin-1',
      () => withLength('{"description":"ge\u00e4ndert"}', json),
      misread('is not UTF-8', 'at byte 18, counted from 0'),
    ],
    [
      'that nests 100,000 deep',
      () => withLength(`${'['.repeat(100_000)}${']'.repeat(100_000)}`, json),
      misread('nests too deep', 'at line 1, column 1001 it nests deeper than 1000'),
    ],
    [
      'that never closes what it opens 100,000 times',
      () => withLength('{"a":'.repeat(100_000), json),
      misread('nests too deep', 'at line 1, column 5001 it nests deeper than 1000'),
    ],
    [
      'of no length',
      () => withLength('', json),
      refused('BAD_REQUEST', 'body: is required', 'is required'),
    ],
    [
      'that is not there',
      () => change([json], []),
      refused('BAD_REQUEST', 'body: is required', 'is required'),
    ],
    [
      'of no pieces',
      () => change([json, 'Transfer-Encoding: chunked'], ['0\r\n\r\n']),
      refused('BAD_REQUEST', 'body: is required', 'is required'),
    ],
    ['of two types', () => withLength(BODY, json, 'Content-Type: text/plain'), JSON_WANTED],
    ['of one type twice', () => withLength(BODY, json, json), JSON_WANTED],
    ['of another type', () => withLength(BODY, 'Content-Type: text/plain'), JSON_WANTED],
    [
      'in another charset',
      () => withLength(BODY, `${json}; charset=latin1`),
      refused('UNSUPPORTED_MEDIA_TYPE', 'Send the body in UTF-8'),
    ],
    [
      'in a known encoding',
      () => withLength(gzipSync(BODY), json, 'Content-Encoding: gzip'),
      refused('UNSUPPORTED_MEDIA_TYPE', 'Content-Encoding is not taken: send the body as it is'),
    ],
    [
      'in an unknown encoding',
      () => withLength(BODY, json, 'Content-Encoding: nonsense'),
      refused('UNSUPPORTED_MEDIA_TYPE', 'Content-Encoding is not taken: send the body as it is'),
    ],
    [
      'longer than it said, cut where it said',
      () => change([json, 'Content-Length: 10'], [BODY]),
      misread('is not JSON', 'it ends at line 1, column 11, where a closing quote is expected'),
    ],
    [
      'shorter than it said, when its sender has ended',
      () => change([json, 'Content-Length: 100'], [BODY], { halfClose: true }),
      refused('BAD_REQUEST', 'The body broke off before its end'),
    ],
    [
      'in pieces of another coding',
      () => change([json, 'Transfer-Encoding: gzip, chunked'], chunked(gzipSync(BODY))),
      refused('NOT_SUPPORTED', 'Transfer-Encoding is taken as chunked alone'),
    ],
    [
      'in pieces that break off',
      () => change([json, 'Transfer-Encoding: chunked'], [`99\r\n${BODY}`], { halfClose: true }),
      refused('BAD_REQUEST', 'The body broke off before its end'),
    ],
    [
      'in pieces that are none',
      () => change([json, 'Transfer-Encoding: chunked'], [`nonsense\r\n${BODY}`]),
      refused('BAD_REQUEST', 'The body broke off before its end'),
    ],
  ])('%s is refused', async (_what, send, reply) => {
    expect(told(await send())).toEqual(reply);
    expect(await description()).toBe('');
  });
});

describe('a body by its size', () => {
  /** So many bytes of JSON that no operation takes. */
  const ofSize = (bytes: number) => Buffer.from(`{"unknown":"${'x'.repeat(bytes - 14)}"}`);
  const ways: [way: string, send: (body: Buffer) => Promise<Exchanged>][] = [
    ['with its length', (body) => withLength(body)],
    ['in pieces', (body) => change(['Transfer-Encoding: chunked'], chunked(body))],
  ];

  test.each(ways)('%s is read up to the limit exactly', async (_way, send) => {
    const message = '"unknown" is not known; known are name, description, settings';
    expect(told(await send(ofSize(LIMIT)))).toEqual(misreadKey(message));
    const tooLarge = refused('PAYLOAD_TOO_LARGE', `The body is larger than ${LIMIT} bytes`);
    for (const size of [LIMIT + 1, LIMIT + 2 ** 22]) {
      expect(told(await send(ofSize(size)))).toEqual(tooLarge);
    }
  });

  test('of a stranger is taken in before they are told so, of a length or in pieces', async () => {
    const body = ofSize(2 ** 22);
    for (const [head, parts] of [
      [`Content-Length: ${body.length}`, [body]],
      ['Transfer-Encoding: chunked', chunked(body)],
    ] as const) {
      const reply = await change(['Content-Type: application/json', head], parts, {
        token: 'none',
      });
      expect(told(reply)).toEqual(refusal('TOKEN_INVALID', 'Invalid token format'));
    }
  });
  const misreadKey = (message: string) =>
    refusal('BAD_REQUEST', `body: ${message}`, [{ path: 'body', message }]);
});

describe('a body that is sent only when it is asked for', () => {
  const expecting = ['Expect: 100-continue', 'Content-Type: application/json'];

  test('is asked for', async () => {
    const head = [...expecting, `Content-Length: ${BODY.length}`];
    const { interim, status } = await change(head, [200, '{"description":"after"}  ']);
    expect([interim, status, await description()]).toEqual([[100], 200, 'after']);
    await organization.call('PATCH', '/organizations', { description: '' });
  });

  test.each<[why: string, head: readonly string[], token: string | undefined, status: number]>([
    ['too large', [`Content-Length: ${LIMIT + 1}`], undefined, 413],
    ['of another type', ['Content-Length: 9', 'Content-Type: text/plain'], undefined, 415],
    ["a stranger's", ['Content-Length: 9'], 'nonsense', 401],
  ])('and is %s is not asked for', async (_why, head, token, status) => {
    const reply = await change(
      ['Expect: 100-continue', ...head],
      [],
      token === undefined ? {} : { token },
    );
    expect([reply.interim, reply.status]).toEqual([[], status]);
  });
});
