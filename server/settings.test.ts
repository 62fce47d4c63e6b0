/** `--help` reports every setting that the worker reads, with its true default. */
import { expect, test } from 'vitest';
import { settingNames, settingsOf } from '../worker/settings.ts';
import { HELP, KEY_SETTINGS, WORKER_SETTINGS } from './settings.ts';

/** Those whose defaults are told in words. */
const JSON_SETTINGS = ['QUOTAS', 'TEMPLATE_BUDGETS'];
/** Platforms, which do so themselves, have another default. */
const LOCAL_DEFAULTS = ['COMPRESSION'];
/** What a start finds out by itself. */
const OURS = ['RELAY_URL', 'RELAY_NODE_PUBLIC_KEY', 'PEER', 'LOCAL_SERVER', 'OWN_PORTS', 'OWN_URL'];

test('every setting of the worker comes from the environment, a key file, or the start itself', () => {
  const told = [...KEY_SETTINGS, ...WORKER_SETTINGS].map(({ name }) => name);
  // RELAY_NODE_KEY is the relay's.
  expect([...told, ...OURS].toSorted()).toEqual([...settingNames(), 'RELAY_NODE_KEY'].toSorted());
});

test('the defaults that it tells are those in force', () => {
  const settings = settingsOf({
    JWT_SECRET: 'x'.repeat(32),
    INSTALLATION_KEY: 'x'.repeat(43),
    GATEWAY_KEY: '{"kty":"OKP"}',
    RELAY_NODE_PUBLIC_KEY: '{"kty":"EC"}',
  });
  const told = WORKER_SETTINGS.filter(
    ({ fallback, name }) => fallback && ![...JSON_SETTINGS, ...LOCAL_DEFAULTS].includes(name),
  );
  expect(told.length).toBeGreaterThan(5);
  for (const { name, fallback } of told) {
    expect(new Map<string, unknown>(Object.entries(settings)).get(name)?.toString(), name).toBe(
      fallback,
    );
  }
});

test('each has a line', () => {
  for (const { name, meaning } of [...KEY_SETTINGS, ...WORKER_SETTINGS]) {
    expect(HELP.split('\n').filter((line) => line.startsWith(`  ${name} `))).toEqual([
      expect.stringContaining(meaning),
    ]);
  }
});
