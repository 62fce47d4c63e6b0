/** Tokens that are remembered take no more memory than a bound, however long an identity provider makes them. */
import { expect, test } from 'vitest';
import type { Caller } from '../context.ts';
import { TokenMemory } from './token-memory.ts';

const KIBIBYTE = 1024;
const until = Number.POSITIVE_INFINITY;

function callerWith(claims: string): Caller {
  const external = { issuer: 'i', groups: [], maxLevel: 'Read', digest: 'd', claims } as const;
  const times = { issuedAt: 0, loginAt: 0, expiresAt: 0 };
  return { userUuid: 'u', userId: 'u', orgUuid: 'o', orgId: 'o', ...times, external };
}

/** How many of so many tokens of a size are known after the last. */
function known(count: number, kibibytes: number): number {
  const memory = new TokenMemory();
  const tokens = Array.from({ length: count }, (_, at) => `${at}`.padEnd(kibibytes * KIBIBYTE));
  for (const token of tokens) memory.set(token, { caller: callerWith(token), until });
  return tokens.filter((token) => memory.get(token) !== undefined).length;
}

test('short ones by their number, long ones by their characters', () => {
  expect(known(10_100, 0)).toBe(10_000);
  // With what it says a token counts three times.
  expect(known(1_000, 60)).toBe(Math.floor((16 * 1024) / 180));
});

test('one that is forgotten is verified anew, and the last is known', () => {
  const memory = new TokenMemory();
  for (const token of ['a', 'b']) memory.set(token, { caller: callerWith(token), until });
  expect(memory.get('b')).toEqual({ caller: callerWith('b'), until, token: 'b' });
  expect(memory.get('c')).toBeUndefined();
});
