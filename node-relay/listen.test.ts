/** A port that cannot be had. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { GatewayError } from '../proto/errors.ts';
import { listen } from './listen.ts';

test('a port that is taken is told with what to do', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo; // It listens on a port.
  await expect(listen(createServer(), { port, host: '127.0.0.1' })).rejects.toEqual(
    new GatewayError(
      'INVALID_CONFIGURATION',
      `Port ${port} on 127.0.0.1 is taken; choose another with --port`,
    ),
  );
  other.close();
});
