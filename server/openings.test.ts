/** What is said of a gateway that others than this machine can reach. */
import { afterEach, expect, test, vi } from 'vitest';
import { openings } from './openings.ts';
import type { StartPlan } from './plan.ts';

afterEach(() => vi.unstubAllEnvs());

const NEW = 'Everybody who reaches the gateway can create organizations: set NEW_ORG_TOKEN.';
const TLS = expect.stringMatching(/^The gateway speaks plain HTTP.*TRUSTED_PROXY\.$/);
const EMPTY = expect.stringMatching(/^RELAY_ALLOW is empty: /);
const ALL = expect.stringMatching(/^RELAY_ALLOW is \*: /);

test.each<[string, string, string | undefined, object, string, unknown[]]>([
  ['loopback', '127.0.0.1', undefined, {}, '', []],
  ['IPv6 loopback', '::1', undefined, {}, '', []],
  ['every address', '0.0.0.0', undefined, {}, '', [NEW, TLS, EMPTY]],
  ['a proxy before loopback', '127.0.0.1', '127.0.0.1', {}, '', [NEW, ALL]],
  ['a proxy', '0.0.0.0', '10.0.0.1', { NEW_ORG_TOKEN: 'x' }, '10.0.0.7:5432', []],
  ['every backend', '0.0.0.0', '10.0.0.1', { NEW_ORG_TOKEN: 'x' }, '10.0.0.7, *', [ALL]],
])('bound to %s', (_what, host, trustedProxy, bindings, allow, expected) => {
  vi.stubEnv('RELAY_ALLOW', allow);
  const plan = { options: { host, trustedProxy }, bindings } as unknown as StartPlan; // All that is read.
  expect(openings(plan)).toEqual(expected);
});
