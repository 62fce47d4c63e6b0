/** Connections of a configuration: what usual clients write is understood, all else is refused by name. */
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../proto/json.ts';
import { settingsOf } from './settings.ts';

const local = (port = 6379) => [{ host: 'db.example.com', port }];

describe('a connection is read', () => {
  test.each<[Json, object]>([
    [
      { url: 'redis://db.example.com' },
      { topology: 'single', addresses: local(), trust: undefined },
    ],
    [
      { url: 'redis://:p%40ss@db.example.com:7000/3' },
      { addresses: local(7000), username: '', password: 'p@ss', database: 3 },
    ],
    [
      { url: 'rediss://app:secret@db.example.com' },
      { trust: 'host', username: 'app', password: 'secret' },
    ],
    [{ url: 'valkeys://db.example.com' }, { trust: 'host' }],
    [{ url: 'redis://[2001:db8::1]:7000' }, { addresses: [{ host: '2001:db8::1', port: 7000 }] }],
    [
      { url: 'redis://a:b@db.example.com', auth: 'c:d' },
      { username: 'c', password: 'd' },
    ],
    [
      { url: 'redis://db.example.com', auth: 'None' },
      { username: '', password: '' },
    ],
    [
      { url: 'redis://db.example.com?db=2&protocol=2&client_name=shop' },
      { database: 2, protocol: 2, clientName: 'shop' },
    ],
    [{ url: 'redis://db.example.com?ssl=true&ssl_cert_reqs=none' }, { trust: 'any' }],
    [{ url: 'rediss://db.example.com?verifyPeer=CA' }, { trust: 'chain' }],
    [{ url: 'redis://db.example.com?dial_timeout=500ms' }, { connectTimeoutMs: 500 }],
    [{ url: 'redis://db.example.com?socket_connect_timeout=1.5' }, { connectTimeoutMs: 1500 }],
    [{ url: 'redis://db.example.com?connectTimeout=99000' }, { connectTimeoutMs: 10_000 }],
    [
      { url: 'redis+cluster://a:1,b,[::1]:3' },
      {
        topology: 'cluster',
        addresses: [
          { host: 'a', port: 1 },
          { host: 'b', port: 6379 },
          { host: '::1', port: 3 },
        ],
      },
    ],
    [
      { url: 'rediss://a,b?cluster=true&read_from_replicas=true' },
      { topology: 'cluster', trust: 'host', fromReplicas: true },
    ],
    [
      { url: 'redis+sentinel://:pw@s1,s2:1/mymaster/2?sentinel_password=sp' },
      {
        topology: 'sentinel',
        master: 'mymaster',
        database: 2,
        password: 'pw',
        sentinel: { username: '', password: 'sp' },
        addresses: [
          { host: 's1', port: 26_379 },
          { host: 's2', port: 1 },
        ],
      },
    ],
    [
      { url: 'redis-sentinel://s1/3?sentinelMasterId=mymaster' },
      { master: 'mymaster', database: 3 },
    ],
    [{ host: 'db.example.com' }, { addresses: local(), trust: undefined, database: 0 }],
    [
      { host: 'db.example.com', port: 7000, tls: true, db: '4', auth: { password: 'x' } },
      { addresses: local(7000), trust: 'host', database: 4, password: 'x' },
    ],
    [
      { host: 'db.example.com', db: 5, auth: 'u:p' },
      { database: 5, username: 'u', password: 'p' },
    ],
  ])('%j', (connection, settings) => {
    expect(settingsOf(connection)).toMatchObject(settings);
  });
});

describe('a connection is refused', () => {
  test.each<[Json, string]>([
    [{}, 'Connection URL is required'],
    [{ url: 'db.example.com' }, 'The connection URL cannot be read'],
    [
      { url: 'postgres://db.example.com' },
      'The connection URL begins with redis://, rediss://, redis+cluster:// or redis+sentinel://',
    ],
    [{ url: 'unix:///run/redis.sock' }, 'A connection goes to a host, not to a socket file'],
    [
      { url: 'redis+socket://x/run/redis.sock' },
      'A connection goes to a host, not to a socket file',
    ],
    [{ url: 'redis://%2Frun%2Fredis.sock' }, 'A connection goes to a host, not to a socket file'],
    [{ host: '/run/redis.sock' }, 'A connection goes to a host, not to a socket file'],
    [{ url: 'redis:///0' }, 'The connection names no host'],
    [
      { url: 'redis://a,b' },
      'Lists of hosts are taken by redis+cluster:// and redis+sentinel:// alone',
    ],
    [{ host: 'a,b' }, 'Lists of hosts are taken by redis+cluster:// and redis+sentinel:// alone'],
    [{ url: 'redis://a:0' }, 'A host of the connection URL is not one'],
    [{ url: 'redis://a:b' }, 'A host of the connection URL is not one'],
    [{ url: 'redis://a/shop' }, 'A database of Redis is a number'],
    [{ url: 'redis://a/1/2' }, 'The path of the connection URL names one database'],
    [{ host: 'a', db: 'shop' }, 'A database of Redis is a number'],
    [{ url: 'redis://app@a' }, 'The connection names a user without a password'],
    [
      { url: 'redis://a?ssl_ca_certs=/etc/passwd' },
      'Option ssl_ca_certs of the connection URL is not taken',
    ],
    [
      { url: 'redis://a?ssl_keyfile=/etc/key' },
      'Option ssl_keyfile of the connection URL is not taken',
    ],
    [{ url: 'redis://a?path=/run/redis.sock' }, 'Option path of the connection URL is not taken'],
    [{ url: 'redis://a?__proto__=1' }, 'Option __proto__ of the connection URL is not taken'],
    [{ url: 'redis://a?protocol=4' }, 'Option protocol is 2 or 3'],
    [{ url: 'redis://a?ssl=perhaps' }, 'Option ssl is true or false'],
    [
      { url: 'redis://a?verifyPeer=FULL' },
      'An option of the connection URL asks for TLS, which rediss:// begins',
    ],
    [
      { url: 'redis://a?read_from_replicas=true' },
      'Option read_from_replicas is taken for clusters and sentinels alone',
    ],
    [
      { url: 'redis://a?client_name=a%20b' },
      'A client name is of visible ASCII characters without blanks',
    ],
    [
      { url: 'redis://a?sentinel_password=x' },
      'Options of sentinels are taken by redis+sentinel:// alone',
    ],
    [
      { url: 'redis+sentinel://a' },
      'The path of a redis+sentinel:// URL names the master: /mymaster',
    ],
    [{ url: 'redis+sentinel://a/m?cluster=true' }, 'Sentinels name a master, not a cluster'],
    [{ url: 'redis://%zz@a' }, 'The connection URL has a % that begins no escape'],
  ])('%j: %s', (connection, message) => {
    expect(() => settingsOf(connection)).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIGURATION', message }),
    );
  });
});
