/** Events that are too large, and the largest that are not. */
import { expect, test } from 'vitest';
import { startGateway } from '../test/gateway.ts';

const DATA_MAX = 256 * 1024;

async function sent(body: string): Promise<readonly unknown[]> {
  const gateway = await startGateway('Write');
  const headers = {
    Authorization: `Bearer ${await gateway.token()}`,
    'Content-Type': 'application/json',
  };
  const response = await gateway.send('/events', { method: 'POST', headers, body });
  return [response.status, await response.json()];
}

/** An event whose data is a text of so many bytes as JSON. */
const event = (bytes: number) =>
  JSON.stringify({ source: 'shop', event: 'paid', id: 'one', data: 'x'.repeat(bytes - 2) });

const tooLarge = (path: string, message: string) => [
  413,
  expect.objectContaining({
    code: 'PAYLOAD_TOO_LARGE',
    message: `${path}: ${message}`,
    details: [{ path, message }],
  }),
];

test('data of 256 KiB is taken, in a list as well', async () => {
  const taken = { id: 'one', duplicate: false };
  expect(await sent(event(DATA_MAX))).toEqual([202, { events: [taken] }]);
  const list = `[${event(DATA_MAX)},${event(DATA_MAX)}]`;
  expect(await sent(list)).toEqual([202, { events: [taken, { id: 'one', duplicate: true }] }]);
});

test('a byte more is 413, and says of which event', async () => {
  const message = 'has more than 262144 bytes';
  expect(await sent(event(DATA_MAX + 1))).toEqual(tooLarge('data', message));
  expect(await sent(`[${event(9)},${event(DATA_MAX + 1)}]`)).toEqual(tooLarge('1.data', message));
});

test('what can only be too large is 413 before it is parsed', async () => {
  const text = ` {"data":"${'x'.repeat(2 * DATA_MAX)}`;
  const message = 'is larger than an event of 262144 bytes of data';
  expect(await sent(text)).toEqual(tooLarge('body', message));
});
