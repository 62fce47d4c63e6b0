/** Definitions that are too large: refused by their bytes alone. */
import { describe, expect, test } from 'vitest';
import { GREETING, make as makeTemplate } from '../templates/test/definitions.ts';
import { failure, startGateway } from '../test/gateway.ts';
import { make as makeWorkflow, WAITING } from '../workflows/test/definitions.ts';

const MIB = 1024 * 1024;
const TOO_LARGE = [
  413,
  failure('PAYLOAD_TOO_LARGE', 'The definition is larger than 1048576 bytes'),
];

describe.each([
  ['POST', '/workflows'],
  ['PATCH', '/workflows/waiting'],
  ['POST', '/templates'],
  ['PATCH', '/templates/greeting'],
])('%s %s', (method, path) => {
  async function sent(body: string) {
    const gateway = await startGateway('Write');
    await makeWorkflow(gateway, WAITING);
    await makeTemplate(gateway, GREETING);
    const headers = {
      Authorization: `Bearer ${await gateway.token()}`,
      'Content-Type': 'application/json',
    };
    const response = await gateway.send(path, { method, headers, body });
    return [response.status, await response.json()];
  }

  test('is 413 before it is parsed: nobody looks whether it is JSON', async () => {
    expect(await sent(`{"documentation":"${'x'.repeat(2 * MIB)}`)).toEqual(TOO_LARGE);
  });

  test('white space between values does not count', async () => {
    expect(await sent(`{"id":"other"${' '.repeat(2 * MIB)}}`)).toEqual([
      400,
      expect.objectContaining({ code: 'BAD_REQUEST' }),
    ]);
  });
});
