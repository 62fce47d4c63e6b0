/** What D1 reads to know the rights of a caller. */
import { env } from 'cloudflare:test';
import { drizzle } from 'drizzle-orm/d1';
import { expect, test } from 'vitest';
import type { Caller } from '../context.ts';
import { selectMembership } from './store.ts';

const db = drizzle(env.DB);
const CALLER: Caller = {
  userUuid: 'u',
  userId: 'ada',
  orgUuid: 'o',
  orgId: 'acme',
  issuedAt: 0,
  loginAt: 0,
  expiresAt: 0,
};
const EXTERNAL = {
  issuer: 'https://login.example.com',
  digest: 'd',
  groups: [],
  maxLevel: 'Write',
} as const;

test.each([
  ['an account', CALLER, ['accounts', 'memberships', 'organizations']],
  [
    'an external token',
    { ...CALLER, external: EXTERNAL },
    ['accounts', 'memberships', 'organizations'],
  ],
  [
    'a key',
    { ...CALLER, key: { uuid: 'k', digest: 'd' } },
    ['accounts', 'api_key_digests', 'api_keys', 'memberships', 'organizations'],
  ],
  [
    'a run that a key began',
    { ...CALLER, key: { uuid: 'k', owner: 'u' } },
    ['accounts', 'api_keys', 'memberships', 'organizations'],
  ],
])(
  'of %s it searches indexes of few tables, and goes through none',
  async (_who, caller, tables) => {
    const { sql, params } = selectMembership(db, caller).toSQL();
    const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .bind(...params)
      .all<{ detail: string }>();
    const steps = results.map(({ detail }) => detail);
    // A list inside a value is no table.
    const scans = steps.filter((step) => /^SCAN (?!json_each)/.test(step));
    expect(scans).toEqual([]);
    const inLevels = new Set(['endpoints', 'templates', 'workflows']);
    const searched = steps.flatMap((step) => /^SEARCH (\w+) USING/.exec(step)?.[1] ?? []);
    expect(searched.filter((table) => !inLevels.has(table)).toSorted()).toEqual(tables);
  },
);
