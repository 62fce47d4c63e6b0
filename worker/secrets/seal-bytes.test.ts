/** Sealed bytes open in the context that they were sealed in, and nowhere else. */
import { env } from 'cloudflare:test';
import { describe, expect, test } from 'vitest';
import { failureOf } from '../outcome.ts';
import { settingsOf } from '../settings.ts';
import { insertOrganization } from '../test/gateway.ts';
import { type InstallationContext, type SealingContext, sealBytes, unsealBytes } from './seal.ts';

const OTHER_KEY = btoa('another key of thirty-two bytes.').replace(/=+$/, '');
const CLEAR = new TextEncoder().encode('what was said');

async function organizations(): Promise<SealingContext> {
  const { uuid, sealedDataKey } = await insertOrganization(env);
  return { settings: settingsOf(env), orgUuid: uuid, sealedDataKey, purpose: 'a' };
}
function installations(keys: Readonly<Record<string, string>> = {}): InstallationContext {
  return { settings: settingsOf({ ...env, ...keys }), purpose: 'a' };
}
const opened = (context: SealingContext | InstallationContext, sealed: Uint8Array) =>
  unsealBytes(context, sealed).then(
    (clear) => new TextDecoder().decode(clear),
    (thrown: unknown) => failureOf(thrown).code,
  );

describe.each([
  ['an organization', organizations],
  ['the installation', async () => installations()],
])('bytes of %s', (_whose, contextOf) => {
  test('open again, and none of them is in clear', async () => {
    const context = await contextOf();
    const sealed = await sealBytes(context, CLEAR);
    expect(new TextDecoder('latin1').decode(sealed)).not.toContain('said');
    expect(await opened(context, sealed)).toBe('what was said');
    expect(await sealBytes(context, CLEAR)).not.toEqual(sealed);
  });

  test('open for no other purpose or owner, and not when any of them was changed', async () => {
    const context = await contextOf();
    const sealed = await sealBytes(context, CLEAR);
    expect(await opened({ ...context, purpose: 'b' }, sealed)).toBe('INTERNAL');
    expect(await opened(await organizations(), sealed)).toBe('INTERNAL');
    for (const at of [0, 1, 13, sealed.length - 1]) {
      const changed = sealed.map((byte, index) => (index === at ? byte ^ 1 : byte));
      expect(await opened(context, changed)).toBe('INTERNAL');
    }
    expect(await opened(context, new Uint8Array())).toBe('INTERNAL');
  });
});

test('bytes of the installation open under the key before, and under no other', async () => {
  const sealed = await sealBytes(installations(), CLEAR);
  const INSTALLATION_KEY = OTHER_KEY;
  const INSTALLATION_KEY_PREVIOUS = env.INSTALLATION_KEY;
  const rotated = installations({ INSTALLATION_KEY, INSTALLATION_KEY_PREVIOUS });
  expect(await opened(rotated, sealed)).toBe('what was said');
  expect(await opened(installations({ INSTALLATION_KEY }), sealed)).toBe('INTERNAL');
});
