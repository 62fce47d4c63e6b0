/** Which texts are hosts, and that nothing else decides what answers. */
import { createExecutionContext, env } from 'cloudflare:test';
import { describe, expect, test } from 'vitest';
import { createApp } from '../app.ts';
import { failure } from '../test/gateway.ts';
import { isHost } from './host.ts';

describe('a host', () => {
  test.each([
    ...['a', 'A.b-c.example', 'localhost', 'my_service:8080', '127.0.0.1:8787', '[::1]', '[::1]:0'],
    ...['[::ffff:127.0.0.1]:65535', 'a:', 'a:80', 'xn--bcher-kva.example', 'a.', '127.1', '0x7f.1'],
  ])('is %s', (text) => expect(isHost(text)).toBe(true));

  test.each([
    ...['', 'a b', '"a"', '<a>', '[::1', 'a:b', 'u:p@a', 'u@a', 'a/b', 'a?', 'a#', 'a\\b', '@'],
    ...['a:99999', 'a:65536', 'a:000080', ':80', 'a:+80', 'a:8 0', 'a, b', 'a,b', 'a\tb', 'a\x01'],
    ...['a\x7f', 'ä', 'ａ', 'a%2fb', 'a%41', '%', '[::1]x', '[::1%25eth0]', '[v1.x]', '[a]', '[]'],
    ...[
      'a:80:80',
      '::1',
      '/',
      '?',
      '#',
      '*',
      '-',
      '.',
      '..',
      'a|b',
      'a^b',
      '`',
      '{a}',
      "a'b",
      'a;b',
    ],
    ...['1.2.3.4.5', '999.1.1.1', 'a'.repeat(300), 'a/api/v1/org#', 'a\n', '\na', ' a', 'a '],
  ])('is not %j', (text) => expect(isHost(text)).toBe(false));
});

const app = createApp({ now: Date.now, fetch: () => Promise.reject(new Error('nothing outside')) });

/** The reply to a request whose URL the runtime made of these. */
async function reply(host: string, target: string) {
  const request = new Request('http://gateway.test/', { headers: { Host: host } });
  const url = `http://${host}${target}`;
  const given = new Proxy(request, {
    get: (of, name) => {
      if (name === 'url') return url;
      const value: unknown = Reflect.get(of, name, of);
      return typeof value === 'function' ? value.bind(of) : value;
    },
  });
  const answered = await app.fetch(given, env, createExecutionContext());
  return { status: answered.status, body: await answered.json() };
}

const REFUSED = {
  status: 400,
  body: failure(
    'BAD_REQUEST',
    'Host: must be a host name or an address, with a port or without, and the target a path',
    [
      {
        path: 'Host',
        message: 'must be a host name or an address, with a port or without, and the target a path',
      },
    ],
  ),
};

test.each([
  ['a/api/v1/help#', '/healthz'],
  ['a/healthz?', '/nothing'],
  ['a/healthz#', ''],
  ['a b', '/healthz'],
  ['a', '*'],
  ['a', '*?/healthz'],
  ['', '/healthz'],
])('Host %j before %j is refused', async (host, target) => {
  expect(await reply(host, target)).toEqual(REFUSED);
});

test.each(['gateway.test', '[::1]:8787', 'GATEWAY.test:80'])('Host %j is taken', async (host) => {
  expect(await reply(host, '/healthz')).toEqual({ status: 200, body: { status: 'ok' } });
});
