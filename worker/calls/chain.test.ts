/** The header that tells how many runs have led to a call: what counts as ours, and what does not. */
import { env } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { settingsOf } from '../settings.ts';
import { chainOf, chainValue } from './chain.ts';

const settings = settingsOf(env);
const OTHER = 'A'.repeat(43);

test('a number that was signed here is read again, also while keys change', async () => {
  const value = await chainValue(settings, 7);
  expect(await chainOf(settings, value)).toBe(7);
  const { INSTALLATION_KEY } = settings;
  const next = {
    ...settings,
    INSTALLATION_KEY: OTHER,
    INSTALLATION_KEY_PREVIOUS: INSTALLATION_KEY,
  };
  expect(await chainOf(next, value)).toBe(7);
});

test.each([
  ['is missing', async () => null],
  ['is empty', async () => ''],
  ['is a number alone', async () => '15'],
  [
    'has the proof of another number',
    async () => (await chainValue(settings, 2)).replace(/^2/, '3'),
  ],
  ['was signed by another gateway', () => chainValue({ ...settings, INSTALLATION_KEY: OTHER }, 15)],
  ['is a very long number', async () => `${'9'.repeat(400)}.${'0'.repeat(64)}`],
  ['is a number below none', async () => `-1.${'0'.repeat(64)}`],
])('a header that %s counts as none', async (_how, header) => {
  expect(await chainOf(settings, await header())).toBe(0);
});
