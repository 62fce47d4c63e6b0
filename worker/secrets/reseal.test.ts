/** Data keys are sealed again after a change of the installation's key, and copies of before still open. */
import { env } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { databaseOf } from '../context.ts';
import { changeKeys, settingsOf } from '../settings.ts';
import { insertOrganization } from '../test/gateway.ts';
import { sealOf } from './data-key-seal.ts';
import { resealDataKeys } from './reseal.ts';
import { type SealingContext, seal, unseal } from './seal.ts';
import { selectSealedDataKey } from './store.ts';

const [OLD, NEW] = [
  env.INSTALLATION_KEY,
  btoa('another key of thirty-two bytes.').replace(/=+$/, ''),
];
const KEYS = {
  JWT_SECRET: env.JWT_SECRET,
  GATEWAY_KEY: env.GATEWAY_KEY,
  RELAY_NODE_PUBLIC_KEY: env.RELAY_NODE_PUBLIC_KEY,
};

/** The bindings with other keys of the installation. */
function withKeys(INSTALLATION_KEY: string, INSTALLATION_KEY_PREVIOUS = '') {
  return { ...env, INSTALLATION_KEY, INSTALLATION_KEY_PREVIOUS };
}

async function sealedDataKeyOf(orgUuid: string): Promise<string> {
  const [row] = await selectSealedDataKey(databaseOf(env), orgUuid);
  return row?.sealedDataKey ?? '';
}

test('what was sealed before opens under the new key alone, also with a copy of the old data key', async () => {
  const { uuid: orgUuid, sealedDataKey } = await insertOrganization(env);
  expect(sealedDataKey).toMatch(new RegExp(`^${await sealOf(OLD)}`));
  const purpose = 'a place';
  const before: SealingContext = { settings: settingsOf(env), orgUuid, sealedDataKey, purpose };
  const sealed = await seal(before, 'what was said');
  try {
    await resealDataKeys(withKeys(NEW, OLD));
    const resealed = await sealedDataKeyOf(orgUuid);
    expect(resealed).toMatch(new RegExp(`^${await sealOf(NEW)}`));
    // As isolates of the next start have it: nothing in memory, and no old key.
    const other = withKeys(NEW);
    const fresh = { ...before, settings: settingsOf(other) };
    expect(await unseal({ ...fresh, sealedDataKey: resealed }, sealed)).toBe('what was said');
    // Not the same text: what was opened once is remembered by it.
    const copy = `${sealedDataKey}.`;
    expect(await unseal({ ...fresh, sealedDataKey: copy }, sealed)).toBe('what was said');
  } finally {
    await resealDataKeys(withKeys(OLD, NEW));
  }
  expect(await sealedDataKeyOf(orgUuid)).toMatch(new RegExp(`^${await sealOf(OLD)}`));
});

test('a data key that neither key opens stays, and holds up no other', async () => {
  const [lost, other] = [await insertOrganization(env), await insertOrganization(env)];
  const text = `v2.00000000.v1.${'A'.repeat(16)}.${'A'.repeat(64)}`;
  await env.DB.prepare('UPDATE organizations SET sealed_data_key = ? WHERE uuid = ?')
    .bind(text, lost.uuid)
    .run();
  try {
    await resealDataKeys(withKeys(NEW, OLD));
    expect(await sealedDataKeyOf(lost.uuid)).toBe(text);
    expect(await sealedDataKeyOf(other.uuid)).toMatch(new RegExp(`^${await sealOf(NEW)}`));
  } finally {
    await resealDataKeys(withKeys(OLD, NEW));
    await env.DB.prepare('DELETE FROM organizations WHERE uuid = ?').bind(lost.uuid).run();
  }
});

test('keys that cannot be used change nothing', () => {
  const known = settingsOf(env);
  expect(() => changeKeys(env, { ...KEYS, INSTALLATION_KEY: 'short' })).toThrow(
    'Settings: INSTALLATION_KEY: is not base64url of 32 bytes',
  );
  expect(settingsOf(env)).toBe(known);
});

test('keys that change are in force at once, and make other settings', () => {
  const bindings = { ...env };
  const known = settingsOf(bindings);
  try {
    changeKeys(bindings, { ...KEYS, INSTALLATION_KEY: NEW, INSTALLATION_KEY_PREVIOUS: OLD });
    expect(settingsOf(bindings)).toEqual({
      ...known,
      INSTALLATION_KEY: NEW,
      INSTALLATION_KEY_PREVIOUS: OLD,
    });
  } finally {
    changeKeys(bindings, {});
  }
  expect(settingsOf(bindings)).toEqual(known);
});
