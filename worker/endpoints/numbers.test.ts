/** `config.numbers`: 64-bit columns as strings, on every way in to an endpoint. Contract §6. */
import { expect, test } from 'vitest';
import { bytes, startRunning } from '../test/running.ts';

const QUERY = { type: 'query', query: 'select 1' };
const CONNECTION = { write_conn: { url: 'postgresql://u:p@db.test:5432/d' } };

/** A gateway, and what relays are told of numbers. */
async function start(config: { readonly numbers?: 'string' } = {}) {
  const told: (readonly [string, boolean])[] = [];
  const gateway = await startRunning(
    {
      run({ numbersAsStrings }) {
        told.push(['run', numbersAsStrings]);
        return { result: bytes('{}') };
      },
      transact({ numbersAsStrings }) {
        told.push(['transact', numbersAsStrings]);
        return { result: bytes('[{}]') };
      },
      async *runStream({ numbersAsStrings }) {
        told.push(['stream', numbersAsStrings]);
        yield { chunk: bytes('{}\n') };
      },
    },
    { endpoint: { config: { ...CONNECTION, ...config } } },
  );
  return {
    gateway,
    /** What each way in says. */
    async ways(query = '') {
      told.length = 0;
      await gateway.ask(`/read${query}`, QUERY);
      await gateway.ask(`/write${query}`, QUERY);
      await gateway.ask(`/transaction${query}`, { operations: [QUERY] });
      await (
        await gateway.post(`/read${query}`, QUERY, { Accept: 'application/x-ndjson' })
      ).arrayBuffer();
      return told.splice(0);
    },
  };
}

const every = (asStrings: boolean) =>
  ['run', 'run', 'transact', 'stream'].map((way) => [way, asStrings]);

test.each([
  ['nothing', {}, '', false],
  ['config.numbers', { numbers: 'string' }, '', true],
  ['the query', {}, '?numbers=string', true],
  ['both', { numbers: 'string' }, '?numbers=string', true],
] as const)(
  'numbers are written as %s says, on every way in',
  async (_, config, query, expected) => {
    const { ways } = await start(config);
    expect(await ways(query)).toEqual(every(expected));
  },
);

test('a PATCH sets and removes it, and the configuration shows it', async () => {
  const { gateway, ways } = await start();
  const patched = async (numbers: string | null) => {
    const { status } = await gateway.call('PATCH', '/endpoints/orders', { config: { numbers } });
    const { body } = await gateway.call('GET', '/endpoints/orders');
    return { status, body };
  };
  expect(await patched('string')).toMatchObject({
    status: 200,
    body: { data: { config: { numbers: 'string' } } },
  });
  expect(await ways()).toEqual(every(true));
  expect(await patched(null)).not.toHaveProperty('body.data.config.numbers');
  expect(await ways()).toEqual(every(false));
});

test.each(['number', true, ''])('%j is refused', async (numbers) => {
  const { gateway } = await start();
  const config = { ...CONNECTION, numbers };
  const made = await gateway.call('POST', '/endpoints', {
    endpoint: 'b',
    kind: 'postgres',
    config,
  });
  expect(made).toMatchObject({
    status: 400,
    body: { details: [{ path: 'config.numbers' }] },
  });
});
