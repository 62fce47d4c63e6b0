/** What a connection's configuration may say, and what is refused. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { settingsOf } from '../../../kinds/postgres/dialect/settings.ts';
import type { Json } from '../../../proto/json.ts';

const DEFAULTS = {
  host: 'db.example',
  port: 5432,
  database: 'app',
  user: 'ann',
  password: 'pass',
  sslMode: 'prefer',
  applicationName: 'causeway',
  connectTimeoutMs: 10_000,
  sessionSettings: [],
};

afterEach(() => vi.unstubAllEnvs());

describe('a connection', () => {
  test.each<[Json, object]>([
    [{ url: 'postgres://ann:pass@db.example/app' }, {}],
    [{ url: 'postgresql://ann:pass@db.example:6000/app' }, { port: 6000 }],
    [
      { url: 'postgres://ann:p%40s%2Fs@db.example/my%20db' },
      { password: 'p@s/s', database: 'my db' },
    ],
    [{ url: 'postgres://ann:pass@db.example' }, { database: 'ann' }],
    [{ url: 'postgres://ann:pass@[::1]:6000/app' }, { host: '::1', port: 6000 }],
    [{ url: 'postgres://ann@db.example/app', auth: 'secret' }, { password: 'secret' }],
    [
      { url: 'postgres://db.example/app', auth: 'bob:a:b' },
      { user: 'bob', password: 'a:b' },
    ],
    [{ url: 'postgres://ann:pass@db.example/app', auth: 'None' }, {}],
    [
      { url: 'postgres://ann:pass@db.example/app?sslmode=verify-full&connect_timeout=3' },
      { sslMode: 'verify-full', connectTimeoutMs: 3_000 },
    ],
    [
      {
        url: 'postgres://ann:pass@db.example/app?application_name=mine&client_encoding=UTF8&target_session_attrs=any',
      },
      { applicationName: 'mine' },
    ],
    [
      {
        url: 'postgres://ann:pass@db.example/app?options=-c%20search_path%3Da%5C%20b%20--work-mem%3D1MB%20-cjit%3Doff',
      },
      {
        sessionSettings: [
          ['search_path', 'a b'],
          ['work_mem', '1MB'],
          ['jit', 'off'],
        ],
      },
    ],
    [{ host: 'db.example', db: 'app', auth: { username: 'ann', password: 'pass' } }, {}],
    [
      { host: 'db.example', db: 'app', auth: 'ann:pass', tls: true, port: 1 },
      { sslMode: 'verify-full', port: 1 },
    ],
    [{ host: 'db.example', db: 'app', auth: 'ann:pass', tls: false }, { sslMode: 'disable' }],
  ])('%j', (connection, differs) => {
    expect(settingsOf(connection)).toEqual({ ...DEFAULTS, ...differs });
  });

  test('takes nothing from the environment', () => {
    for (const name of [
      'PGUSER',
      'PGPASSWORD',
      'PGHOST',
      'PGDATABASE',
      'PGPORT',
      'PGSSLMODE',
      'PGOPTIONS',
      'PGAPPNAME',
    ]) {
      vi.stubEnv(name, 'leaked');
    }
    expect(settingsOf({ url: 'postgres://ann@db.example' })).toEqual({
      ...DEFAULTS,
      password: '',
      database: 'ann',
    });
  });
});

describe('refuses', () => {
  const options = [
    'sslkey',
    'sslcert',
    'sslrootcert',
    'sslpassword',
    'sslcrl',
    'passfile',
    'service',
    'servicefile',
    'host',
    'hostaddr',
    'krbsrvname',
    'gssencmode',
    'user',
    'password',
    'replication',
    'ssl',
    'uselibpqcompat',
  ];

  test.each(options)('the option %s, naming it', (option) => {
    expect(() => settingsOf({ url: `postgres://ann@db.example/app?${option}=x` })).toThrow(
      expect.objectContaining({
        code: 'INVALID_CONFIGURATION',
        message: expect.stringContaining(option),
      }),
    );
  });

  test.each<[Json]>([
    [null],
    [{}],
    [{ url: '' }],
    [{ url: 'not a url' }],
    [{ url: 'http://ann@db.example/app' }],
    [{ url: 'postgres://db.example/app' }],
    [{ url: 'postgres:///app' }],
    [{ url: 'postgres://ann@%2Fvar%2Frun/app' }],
    [{ url: 'postgres://ann@one,two/app' }],
    [{ url: 'postgres://ann@one:1,two:2/app' }],
    [{ url: 'postgres://ann@one%2Ctwo/app' }],
    [{ url: 'postgres://ann:%zz@db.example/app' }],
    [{ url: 'postgres://ann@db.example/app%00options%00-c%20x=y' }],
    [{ url: 'postgres://ann@db.example/app?application_name=a%00b' }],
    [{ url: 'postgres://ann@db.example/app?sslmode=maybe' }],
    [{ url: 'postgres://ann@db.example/app?connect_timeout=soon' }],
    [{ url: 'postgres://ann@db.example/app?client_encoding=LATIN1' }],
    [{ url: 'postgres://ann@db.example/app?target_session_attrs=read-write' }],
    [{ url: 'postgres://ann@db.example/app?options=-d%205' }],
    [{ url: 'postgres://ann@db.example/app?options=-c' }],
    [{ url: 'postgres://ann@db.example/app?options=-c%20a;b%3D1' }],
    [{ host: '/var/run/postgresql', auth: 'ann:x' }],
    [{ host: 'db.example', auth: 'x', unknown: 1 }],
    [{ host: 'db.example', auth: 'justpassword' }],
  ])('%j', (connection) => {
    expect(() => settingsOf(connection)).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIGURATION' }),
    );
  });

  test('without repeating what it was given', () => {
    const read = () => settingsOf({ url: 'postgres://annabel:hunter2@db.example,db2.example/app' });
    expect(read).toThrow(/^(?!.*(?:hunter2|annabel|example))/s);
  });
});
