/** Definitions that tests make workflows of. */
import type { Json, JsonObject } from '../../../proto/json.ts';
import type { TestGateway } from '../../test/gateway.ts';

/** Waits for five minutes. */
export const WAITING = {
  name: 'Waiting',
  actions: [{ id: 'wait', type: 'wait', mode: 'duration', duration: 'PT5M' }],
};

/** Reads from the endpoint `orders`. */
export const READING = {
  name: 'Reading',
  actions: [
    {
      id: 'load',
      type: 'endpoint',
      endpoint: 'orders',
      operation: 'read',
      input: { query: 'select * from orders where id = $1', params: ['$.input.id'] },
    },
  ],
};

/** A webhook with a secret. */
export function hook(path: string, secret: Json = 'a secret of tests'): JsonObject {
  return {
    type: 'webhook',
    path,
    authentication: { type: 'hmac', header: 'X-Signature', secret },
  };
}

/** A workflow that is there; answers its id. */
export async function make(gateway: Pick<TestGateway, 'call'>, body: Json): Promise<string> {
  const reply = await gateway.call('POST', '/workflows', body);
  if (reply.status !== 200) throw new Error(`Not made: ${JSON.stringify(reply)}`);
  return (reply.body as { id: string }).id; // Its status says so.
}
