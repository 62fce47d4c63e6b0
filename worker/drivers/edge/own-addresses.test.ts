/** What a self-hosted edge waits for before work that no request starts. Contract §5, "Addresses". */
import { env } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { settingsOf } from '../../settings.ts';
import { whenReady } from './own-addresses.ts';

/** A folder whose file is written after so many looks. */
function folder(looks: number) {
  let asked = 0;
  const fetch = async () => {
    asked += 1;
    if (asked <= looks) return new Response('', { status: 404 });
    return Response.json({ ports: [8787], addresses: ['127.0.0.1'] });
  };
  return { OWN: { fetch } as unknown as Fetcher, asked: () => asked };
}

test('such work waits until everything of the gateway listens, and never again', async () => {
  const { OWN, asked } = folder(3);
  const bound = { env: { ...env, OWN }, settings: settingsOf(env) };
  await whenReady(bound);
  expect(asked()).toBe(4);
  await whenReady(bound);
  expect(asked()).toBe(4);
});
