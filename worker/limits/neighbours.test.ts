/** Who is about, so that work of one organization rests for another. docs/heavy-work.md. */
import { expect, test } from 'vitest';
import { startGateway } from '../test/gateway.ts';
import { isAlone } from './neighbours.ts';

test('an organization that calls is heard of: no other is alone then', async () => {
  const gateway = await startGateway('Read');
  expect((await gateway.call('GET', '/endpoints')).status).toBe(200);
  expect(isAlone(crypto.randomUUID())).toBe(false);
});
