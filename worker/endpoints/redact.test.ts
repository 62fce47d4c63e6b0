/** What of a configuration is shown. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GatewayError } from '../../proto/errors.ts';
import type { Json } from '../../proto/json.ts';
import { REDACTED, redactConfig, redactUrl, refuseRedacted } from './redact.ts';

describe('redactUrl', () => {
  test.each([
    ['postgresql://ann:pw@db.test:5432/shop', 'postgresql://***@db.test:5432/shop'],
    ['postgresql://db.test/shop?sslmode=require', 'postgresql://db.test/shop?sslmode=require'],
    ['redis://:pw@h:1', 'redis://***@h:1'],
    ['mongodb://a:b@h1:1,h2:2/d?replicaSet=r', 'mongodb://***@h1:1,h2:2/d?replicaSet=r'],
    ['postgresql://a:p@w@h/d', 'postgresql://***@h/d'],
    [
      'postgresql://h/d?user=ann&password=pw&sslmode=require',
      'postgresql://h/d?***&***&sslmode=require',
    ],
    ['postgresql://h/d?PassWord=a=b', 'postgresql://h/d?***'],
    ['postgresql://h/d?pw', 'postgresql://h/d?***'],
    ['postgresql://h/d?password=left&unescaped=too', 'postgresql://h/d?***&***'],
    ['http://h/p#pw', 'http://h/p#***'],
    ['postgresql://a:p/w@h/d', '***'],
    ['postgresql://a:p?w#x@h/d', '***'],
    ['postgresql://a:b@h/d?password=p@w', '***'],
    ['postgresql://a:b@h/d#p@w', '***'],
    ['host=h password=pw', '***'],
    ['', '***'],
  ])('%s becomes %s', (url, shown) => expect(redactUrl(url)).toBe(shown));
});

describe('redactConfig', () => {
  test('shows what is no secret, and the names of what is', () => {
    const shown = redactConfig({
      write_conn: { url: 'postgresql://a:b@h/d', auth: 'c' },
      read_conn: { host: 'h', port: 1, tls: true, db: 'd', auth: { username: 'u', password: 'p' } },
      development_conn: { url: 'https://h', headers: { 'X-Key': 'k' } },
      allow_functions: ['f'],
      once: 'marks',
      session: {
        'app.user': 'username',
        role: { from: 'level', map: { Read: 'viewer' }, default: 'clerk' },
      },
      transport: 'relay',
      vpn_route: 'n',
      auth: 'None',
      api_key: '',
      what_comes_later: [1],
    });
    expect(shown).toEqual({
      write_conn: { url: 'postgresql://***@h/d', auth: '***' },
      read_conn: {
        host: 'h',
        port: 1,
        tls: true,
        db: 'd',
        auth: { username: '***', password: '***' },
      },
      development_conn: { url: 'https://h', headers: { 'X-Key': '***' } },
      allow_functions: ['f'],
      once: 'marks',
      session: {
        'app.user': 'username',
        role: { from: 'level', map: { Read: 'viewer' }, default: 'clerk' },
      },
      transport: 'relay',
      vpn_route: 'n',
      auth: 'None',
      api_key: '',
      what_comes_later: '***',
    });
  });

  /** Marked, so that no harmless part holds it by chance. */
  const delimiters = fc.string({ unit: fc.constantFrom(...'@/?#&=:a%. '), minLength: 1 });
  const secret = fc.oneof(fc.string({ minLength: 1 }), delimiters).map((text) => `§${text}§`);
  const url = fc
    .record({ user: secret, password: secret, option: secret, fragment: fc.option(secret) })
    .map(
      ({ user, password, option, fragment }) =>
        `postgresql://${user}:${password}@h.test/d?password=${option}${fragment === null ? '' : `#${fragment}`}`,
    );
  const auth = fc.oneof(secret, fc.record({ username: secret, password: secret }));
  const connection = fc.oneof(
    fc.record({ url, auth }, { requiredKeys: ['url'] }),
    fc.record({ host: fc.constant('h'), auth }),
    fc.record({ url, headers: fc.dictionary(fc.constantFrom('A', 'B'), secret) }),
  );
  const config = fc.record(
    { write_conn: connection, read_conn: connection, auth, api_key: secret, later: auth },
    { requiredKeys: ['write_conn'] },
  );

  test('shows no secret, wherever it stands and whatever is in it', () => {
    fc.assert(
      fc.property(config, (clear) => {
        const shown = JSON.stringify(redactConfig(clear as { [member: string]: Json }));
        expect(shown).not.toContain('§');
        expect(shown).not.toContain(encodeURIComponent('§'));
      }),
    );
  });

  test('what it redacts is refused when it is sent back', () => {
    fc.assert(
      fc.property(config, (clear) => {
        const shown = redactConfig(clear as { [member: string]: Json }) as {
          [member: string]: Json;
        };
        expect(() => refuseRedacted(shown)).toThrow(GatewayError);
      }),
    );
  });
});

describe('refuseRedacted', () => {
  test.each<[where: string, config: { [member: string]: Json }]>([
    ['write_conn.url', { write_conn: { url: 'postgresql://***@h' } }],
    ['write_conn.url', { write_conn: { url: 'postgresql://ann:***@h' } }],
    ['write_conn.url', { write_conn: { url: 'postgresql://h?password=***' } }],
    ['write_conn.url', { write_conn: { url: REDACTED } }],
    ['write_conn.url', { write_conn: { url: 'postgresql://h?***&sslmode=require' } }],
    ['write_conn.headers.A', { write_conn: { url: 'http://h', headers: { A: REDACTED } } }],
    ['api_key', { api_key: REDACTED }],
  ])('names %s', (where, config) => {
    const message = 'is redacted: send the value itself, or leave the member out';
    const path = `config.${where}`;
    const details = [{ path, message }];
    const expected = new GatewayError('BAD_REQUEST', `${path}: ${message}`, { details });
    expect(() => refuseRedacted(config)).toThrow(expected);
  });

  test.each(['a***b', '****', '**', 'postgresql://a:b***@h', 'postgresql://h/***'])(
    'lets %s pass: it is nothing that a reply shows',
    (text) => expect(() => refuseRedacted({ write_conn: { url: text } })).not.toThrow(),
  );
});
