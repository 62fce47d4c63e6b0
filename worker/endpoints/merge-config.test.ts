/** How a PATCH changes a configuration. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../proto/json.ts';
import { mergeConfig, mergePatch } from './merge-config.ts';

type Config = { [member: string]: Json };

/** RFC 7396, appendix A. */
const RFC_7396: [target: Json, patch: Json, result: Json][] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

test.each(RFC_7396)('mergePatch(%j, %j) is %j', (target, patch, result) => {
  expect(mergePatch(target, patch)).toEqual(result);
});

const W = { url: 'postgresql://u:p@h:1/d' };
const SECRETS = { auth: 's', api_key: 'k', headers: { A: 'v' } };

describe('mergeConfig', () => {
  test.each<[what: string, stored: Config, patch: Config, merged: Config]>([
    ['leaves what is not named', { write_conn: W, a: 1 }, { b: 2 }, { write_conn: W, a: 1, b: 2 }],
    ['removes by null', { write_conn: W, read_conn: W }, { read_conn: null }, { write_conn: W }],
    [
      'replaces a whole connection',
      { write_conn: { ...W, auth: 'old' } },
      { write_conn: { host: 'h' } },
      { write_conn: { host: 'h' } },
    ],
    [
      'takes a null in a new connection for nothing',
      { write_conn: W },
      { write_conn: { ...W, auth: null } },
      { write_conn: W },
    ],
    [
      'merges other members deeply',
      { auth: { username: 'u', password: 'p' } },
      { auth: { username: 'v' } },
      { auth: { username: 'v', password: 'p' } },
    ],
    [
      'merges settings of the session one by one',
      { session: { 'app.user': 'username', 'app.level': 'level', role: 'clerk' } },
      { session: { 'app.user': null, 'app.key': 'key' } },
      { session: { 'app.level': 'level', role: 'clerk', 'app.key': 'key' } },
    ],
    [
      'replaces the whole role of a session',
      {
        session: {
          'app.user': 'username',
          role: { from: 'level', map: { Write: 'clerk' }, default: 'viewer' },
        },
      },
      { session: { role: { from: 'groups', map: { staff: 'clerk' } } } },
      { session: { 'app.user': 'username', role: { from: 'groups', map: { staff: 'clerk' } } } },
    ],
    [
      'takes the role of a session away',
      { session: { 'app.user': 'username', role: { from: 'level', map: { Write: 'clerk' } } } },
      { session: { role: null } },
      { session: { 'app.user': 'username' } },
    ],
    [
      'replaces lists',
      { allow_functions: ['a', 'b'] },
      { allow_functions: ['c'] },
      { allow_functions: ['c'] },
    ],
    [
      'keeps credentials while the server stays',
      { write_conn: W, ...SECRETS },
      { write_conn: { url: 'postgresql://v:q@H:1/other#f' } },
      { write_conn: { url: 'postgresql://v:q@H:1/other#f' }, ...SECRETS },
    ],
    [
      'drops credentials when the host changes',
      { write_conn: W, ...SECRETS, db_name: 'd' },
      { write_conn: { url: 'postgresql://evil:1/d' } },
      { write_conn: { url: 'postgresql://evil:1/d' }, db_name: 'd' },
    ],
    [
      'keeps no part of a credential that is given in part',
      { write_conn: W, auth: { username: 'u', password: 'p' }, headers: { A: 'v' } },
      { write_conn: { host: 'evil' }, auth: { username: 'u' }, headers: { B: 'w' } },
      { write_conn: { host: 'evil' }, auth: { username: 'u' }, headers: { B: 'w' } },
    ],
    [
      'keeps credentials that are given again',
      { write_conn: W, ...SECRETS },
      { write_conn: { host: 'new' }, api_key: 'n' },
      { write_conn: { host: 'new' }, api_key: 'n' },
    ],
  ])('%s', (_what, stored, patch, merged) => expect(mergeConfig(stored, patch)).toEqual(merged));

  test.each<[what: string, patch: Config]>([
    ['another port', { write_conn: { url: 'postgresql://u:p@h:2/d' } }],
    ['another scheme', { write_conn: { url: 'http://u:p@h:1/d' } }],
    ['an option that leads elsewhere', { write_conn: { url: 'postgresql://u:p@h:1/d?host=evil' } }],
    ['a user that looks like the host', { write_conn: { url: 'postgresql://h:1@evil/d' } }],
    ['a second @', { write_conn: { url: 'postgresql://u@h:1@evil/d' } }],
    ['an @ after the host', { write_conn: { url: 'postgresql://u:p@h:1/@evil/d' } }],
    ['one more connection', { read_conn: { host: 'evil' } }],
    ['parts in place of a URL', { write_conn: { host: 'h', port: 1 } }],
  ])('drops credentials for %s', (_what, patch) => {
    const merged = mergeConfig({ write_conn: W, ...SECRETS }, patch);
    expect(Object.keys(merged).filter((member) => member in SECRETS)).toEqual([]);
  });

  test('never sends a stored credential to a host that was not stored', () => {
    const host = fc.constantFrom('a.test', 'b.test', 'c.test');
    const connection = host.map((name) => ({ url: `https://${name}/x` }));
    const connections = fc.record(
      { write_conn: connection, read_conn: connection },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(connections, connections, (before, patch) => {
        const merged = mergeConfig({ ...before, api_key: 'k' } as Config, patch as Config);
        const known = Object.values(before).map(({ url }) => url);
        const moved = Object.values(patch).some(({ url }) => !known.includes(url));
        expect('api_key' in merged).toBe(!moved);
      }),
    );
  });
});
