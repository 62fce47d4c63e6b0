import { describe, expect, test } from 'vitest';
import type { Json } from '../../../../proto/json.ts';
import { settingsOf } from './settings.ts';

const URL_THERE = 'https://db.upstash.io';

describe('a connection to Upstash', () => {
  test.each<[string, Json, { url: string; token: string }]>([
    ['its REST URL', { url: URL_THERE, auth: 'tok' }, { url: URL_THERE, token: 'tok' }],
    ['a slash at the end', { url: `${URL_THERE}/`, auth: 'tok' }, { url: URL_THERE, token: 'tok' }],
    [
      'user and token apart',
      { url: URL_THERE, auth: { username: 'default', password: 'tok' } },
      { url: URL_THERE, token: 'tok' },
    ],
    ['user and token', { url: URL_THERE, auth: 'default:tok' }, { url: URL_THERE, token: 'tok' }],
    [
      'the URL of clients of Redis',
      { url: 'rediss://default:t%2Bk@db.upstash.io:6379' },
      { url: URL_THERE, token: 't+k' },
    ],
    [
      'its database',
      { url: 'rediss://:tok@db.upstash.io:6379/0' },
      { url: URL_THERE, token: 'tok' },
    ],
    [
      'parts',
      { host: 'db.upstash.io', port: 6379, tls: true, auth: 'tok' },
      { url: URL_THERE, token: 'tok' },
    ],
    [
      'another server that speaks so',
      { url: 'http://127.0.0.1:8079/base/', auth: 'tok' },
      { url: 'http://127.0.0.1:8079/base', token: 'tok' },
    ],
  ])('is read of %s', (_name, connection, settings) => {
    expect(settingsOf(connection)).toEqual(settings);
  });

  test.each<[string, Json, string]>([
    ['no token', { url: URL_THERE }, 'needs a token'],
    ['no token but the word', { url: URL_THERE, auth: 'None' }, 'needs a token'],
    ['a token of two lines', { url: URL_THERE, auth: 'a\r\nX-Evil 1' }, 'other characters'],
    ['another user', { url: URL_THERE, auth: 'ada:tok' }, 'name none, or default'],
    ['another scheme', { url: 'redis://:tok@db.upstash.io' }, 'config.transport: "relay"'],
    ['plain HTTP to the vendor', { url: 'http://db.upstash.io', auth: 'tok' }, 'https:// alone'],
    ['options', { url: `${URL_THERE}?_token=tok` }, 'takes no options'],
    ['another database', { url: 'rediss://:tok@db.upstash.io/1' }, 'config.transport: "relay"'],
    ['another database in parts', { host: 'db.upstash.io', db: 2, auth: 'tok' }, 'relay'],
    ['a host that is a path', { host: 'db.upstash.io/x', auth: 'tok' }, 'host is not one'],
    ['no URL', { url: 'nothing', auth: 'tok' }, 'cannot be read'],
  ])('is refused with %s', (_name, connection, message) => {
    expect(() => settingsOf(connection)).toThrow(message);
  });
});
