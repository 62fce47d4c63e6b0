/** What a ready start says to who has a database of their own. */
import { expect, test } from 'vitest';
import { greeting } from './greeting.ts';

test('says that DATABASE_URL names the database, and what is taken without it', () => {
  const said = greeting({
    gateway: 'http://127.0.0.1:8787',
    dataFolder: '/data',
    relay: '127.0.0.1:8788',
    password: 'secret',
    newOrgToken: false,
    relayKey: undefined,
    demo: false,
  });
  const [, taken = ''] = /^# Set DATABASE_URL .*; without it, (\S+) is taken\.$/m.exec(said) ?? [];
  expect(said).toContain(`"\${DATABASE_URL:-${taken}}"`);
});
