/** What was confirmed is sent once: with another call of its log, or alone. */
import { expect, test } from 'vitest';
import { leaveConfirmed, takeConfirmed } from './confirmations.ts';

const confirmed = (id: string) => ({ id, ends: [{ n: 0, status: 'committed' as const }] });

test('goes with the next call of its log, and then not alone', async () => {
  const [org, other] = [crypto.randomUUID(), crypto.randomUUID()];
  const left = leaveConfirmed(org, confirmed('one'));
  expect(await leaveConfirmed(org, confirmed('two'))).toBe(false);
  expect(takeConfirmed(other)).toEqual([]);
  expect(takeConfirmed(org)).toEqual([confirmed('one'), confirmed('two')]);
  expect(takeConfirmed(org)).toEqual([]);
  expect(await left).toBe(false);
});

test('goes alone where no call comes, with all that was left since', async () => {
  const org = crypto.randomUUID();
  const left = leaveConfirmed(org, confirmed('one'));
  expect(await leaveConfirmed(org, confirmed('two'))).toBe(false);
  expect(await left).toBe(true);
  expect(takeConfirmed(org)).toEqual([confirmed('one'), confirmed('two')]);
});

test('what is left after a call has come waits for its own time', async () => {
  const org = crypto.randomUUID();
  const first = leaveConfirmed(org, confirmed('one'));
  expect(takeConfirmed(org)).toEqual([confirmed('one')]);
  const second = leaveConfirmed(org, confirmed('two'));
  expect(await first).toBe(false);
  expect(await second).toBe(true);
  expect(takeConfirmed(org)).toEqual([confirmed('two')]);
});
