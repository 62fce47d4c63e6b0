/** Keys that nobody has are asked for a bounded number of times from an address. Spec: keys-and-doors.md §1. */
import { expect, test } from 'vitest';
import { startGateway } from '../../test/gateway.ts';
import { newKey } from './form.ts';
import { demandFewUnknown, noteUnknown } from './unknown.ts';

const REFUSED = { code: 'RATE_LIMITED' };

test('300 in a minute, of one address, and again as time passes', () => {
  for (let shown = 0; shown < 300; shown += 1) {
    demandFewUnknown('192.0.2.1', 0);
    noteUnknown('192.0.2.1', 0);
  }
  expect(() => demandFewUnknown('192.0.2.1', 0)).toThrow(expect.objectContaining(REFUSED));
  expect(() => demandFewUnknown('192.0.2.2', 0)).not.toThrow();
  expect(() => demandFewUnknown('192.0.2.1', 1_000)).not.toThrow();
});

test('then an unknown key is not looked up, and other tokens are taken as before', async () => {
  const gateway = await startGateway('Read', {
    bindings: { PEER: 'header:X-Forwarded-For', RATE_LIMITS: 'on' },
  });
  const ask = async (token: string) => {
    const headers = { Authorization: `Bearer ${token}`, 'X-Forwarded-For': '192.0.2.9' };
    return (await gateway.send('/help', { headers })).status;
  };
  expect(await ask(newKey())).toBe(401);
  for (let shown = 0; shown < 300; shown += 1) noteUnknown('192.0.2.9', gateway.clock.now);
  expect(await ask(newKey())).toBe(429);
  expect(await ask(await gateway.token())).toBe(200);
});
