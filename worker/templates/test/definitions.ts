/** Definitions that tests make templates of. */
import type { Json } from '../../../proto/json.ts';
import type { TestGateway } from '../../test/gateway.ts';

/** A transformation of one rule. */
export const GREETING = {
  name: 'Greeting',
  transformationRules: [{ target: 'hello', source: 'name' }],
};

/** Reads from the endpoint `orders`. */
export const ORDER = {
  id: 'order',
  request: 'Read',
  template: { endpoint: 'orders', query: 'select * from orders where id = {{id: Number}}' },
};

/** Writes to the endpoint `orders`. */
export const PLACE = {
  id: 'place',
  request: 'Write',
  template: { endpoint: 'orders', query: 'insert into orders values ({{id: Number}})' },
};

/** A template that is there; answers its id. */
export async function make(gateway: Pick<TestGateway, 'call'>, body: Json): Promise<string> {
  const reply = await gateway.call('POST', '/templates', body);
  if (reply.status !== 200) throw new Error(`Not made: ${JSON.stringify(reply)}`);
  return (reply.body as { id: string }).id; // Its status says so.
}

/** A transformation that nests another. */
export function nesting(id: string, nested: string): Json {
  return { id, name: id, transformationRules: [{ target: 'inner', template: nested, input: '$' }] };
}
