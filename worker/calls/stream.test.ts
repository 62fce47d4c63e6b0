/** What a stream of rows that breaks off tells, and what it does not. Contract §6, "Large results". */
import { Code } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import { bytes, startRunning, textOf, told } from '../test/running.ts';

test('CSV breaks off without a word of the database: the runtime logs what a body ends with', async () => {
  const value = 'invalid input syntax for type integer: "of a row"';
  const gateway = await startRunning({
    async *runStream() {
      yield { chunk: bytes('n\r\n') };
      throw told(Code.InvalidArgument, 'REQUEST_FAILED', value);
    },
  });
  const query = { type: 'query', query: 'select 1' };
  const response = await gateway.post('/read', query, { Accept: 'text/csv' });
  expect(response.status).toBe(200);
  await expect(textOf(response)).rejects.toThrow(/^Rows broke off: REQUEST_FAILED$/);
  await gateway.settle();
});
