/** Numbers in `/json/map`. */
import { expect, test } from 'vitest';
import { startGateway } from '../test/gateway.ts';

test('numbers keep their digits, and are numbers for the schema', async () => {
  const gateway = await startGateway('Read');
  const body =
    '{"input":{"n":[9007199254740993,12345678901234567890]},"schema":{"big":"integer","all":["number"]},"mappings":{"n[0]":"big","n":"all"}}';
  const headers = {
    Authorization: `Bearer ${await gateway.token()}`,
    'Content-Type': 'application/json',
  };
  const reply = await gateway.send('/json/map', { method: 'POST', headers, body });
  expect(await reply.text()).toBe(
    '{"big":9007199254740993,"all":[9007199254740993,12345678901234567890]}',
  );
});
