import { env } from 'cloudflare:test';
import { importJWK, jwtVerify } from 'jose';
import { beforeEach, expect, test } from 'vitest';
import { type Settings, settingsOf } from '../settings.ts';
import { callToken, deleteCallToken } from './call-token.ts';
import type { Node } from './node.ts';

const NOW = 1_767_225_600_250;
const node: Node = {
  uuid: '11111111-1111-8111-8111-111111111111',
  url: 'http://relay.test',
  publicKey: {},
  default: true,
};

let settings: Settings;
beforeEach(() => {
  // Tokens are remembered by settings: each test begins with none.
  settings = settingsOf({ ...env });
});

test('is signed by the gateway for the one node, with the fraction of its second, for a minute', async () => {
  const key = await importJWK(JSON.parse(env.GATEWAY_PUBLIC_KEY), 'EdDSA');
  const { payload, protectedHeader } = await jwtVerify(await callToken(settings, node, NOW), key, {
    currentDate: new Date(NOW),
  });
  expect({ payload, protectedHeader }).toEqual({
    payload: { aud: node.uuid, iat: NOW / 1000, exp: NOW / 1000 + 60 },
    protectedHeader: { alg: 'EdDSA', typ: 'JWT' },
  });
});

test('is one for all calls of 45 seconds', async () => {
  const first = await callToken(settings, node, NOW);
  expect(await callToken(settings, node, NOW + 10)).toBe(first);
  expect(await callToken(settings, node, NOW + 44_999)).toBe(first);
  expect(await callToken(settings, node, NOW + 45_000)).not.toBe(first);
});

test('is renewed by one caller while the others go on with the old', async () => {
  const old = await callToken(settings, node, NOW);
  const both = await Promise.all([
    callToken(settings, node, NOW + 46_000),
    callToken(settings, node, NOW + 46_000),
  ]);
  expect(both[0]).not.toBe(old);
  expect(both[1]).toBe(old);
  expect(await callToken(settings, node, NOW + 46_001)).toBe(both[0]);
});

test('is never used in its last seconds, nor when the clock went back', async () => {
  const first = await callToken(settings, node, NOW);
  const renewing = await callToken(settings, node, NOW + 56_000);
  expect(renewing).not.toBe(first);
  expect(await callToken(settings, node, NOW - 1)).not.toBe(renewing);
});

test('is made again once it was dropped, but a newer one stays', async () => {
  const refused = await callToken(settings, node, NOW);
  deleteCallToken(settings, node, refused);
  const fresh = await callToken(settings, node, NOW + 1);
  deleteCallToken(settings, node, refused);
  expect(fresh).not.toBe(refused);
  expect(await callToken(settings, node, NOW + 2)).toBe(fresh);
});

test('is of no use at another node', async () => {
  const other = { ...node, uuid: '22222222-2222-8222-8222-222222222222' };
  expect(await callToken(settings, other, NOW)).not.toBe(await callToken(settings, node, NOW));
});
