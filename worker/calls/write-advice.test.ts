/** A refusal to write, told in the words of the template or action whose request it is. */
import { expect, test } from 'vitest';
import { GatewayError } from '../../proto/errors.ts';
import { insertEndpoint, startGateway } from '../test/gateway.ts';
import { relayFailure } from '../test/pinging-relay.ts';
import { inWordsOf, OF_ACTION } from './write-advice.ts';

const refusing = (code: 'BAD_REQUEST' | 'REQUEST_FAILED', message: string) => ({
  status: () => ({}),
  run: () => {
    throw relayFailure(code, message);
  },
});

async function start(...refusal: Parameters<typeof refusing>) {
  const gateway = await startGateway('SuperAdmin', { relay: refusing(...refusal) });
  await insertEndpoint(gateway, 'shop');
  const request = { endpoint: 'shop', query: 'DELETE FROM orders' };
  await gateway.call('POST', '/templates', { id: 't', request: 'Read', template: request });
  return gateway;
}

test.each([
  ['DELETE is not taken on /read; send it to /write', 'DELETE is not taken by a read; '],
  ['The statement writes; send it to /write', 'The statement writes; '],
  ['Requests of type raw write; send them to /write', 'Requests of type raw write; '],
  [
    'Function f is not taken on /read; send the statement to /write',
    'Function f is not taken by a read; ',
  ],
])('of a template: %s', async (message, beginning) => {
  const gateway = await start('BAD_REQUEST', message);
  expect((await gateway.call('POST', '/templates/t', {})).body).toMatchObject({
    message: `${beginning}give the template "request": "Write"`,
  });
  const direct = await gateway.call('POST', '/endpoints/shop/read', {
    query: 'DELETE FROM orders',
  });
  expect(direct.body).toMatchObject({ message });
});

test("a backend's own words stay as they are", async () => {
  const message = 'send it to /write';
  const gateway = await start('REQUEST_FAILED', message);
  expect((await gateway.call('POST', '/templates/t', {})).body).toMatchObject({ message });
});

test('details say the same, and keep what else they have', () => {
  const message = 'DELETE is not taken on /read; send it to /write';
  const details = [{ rule: 'read', path: 'query', message }];
  const told = inWordsOf(OF_ACTION, new GatewayError('BAD_REQUEST', message, { details }));
  const own = 'DELETE is not taken by a read; give the action "operation": "write"';
  expect(told.message).toBe(own);
  expect(told.details).toEqual([{ rule: 'read', path: 'query', message: own }]);
});
