/** No attempt to change something on `/read` is sent to Upstash, even where nothing else had refused it. */
import { expect, test } from 'vitest';
import { parseRequest } from '../../../../kinds/index.ts';
import type { RedisRequest } from '../../../../kinds/redis/command.ts';
import { ATTACKS } from '../../../../node-relay/drivers/redis/test/attacks.ts';
import { GatewayError } from '../../../../proto/errors.ts';
import type { Json } from '../../../../proto/json.ts';
import { upstash } from './index.ts';

const settings = { url: 'https://db.upstash.io', auth: 'secret-token' };
const call = {
  mode: 'read',
  signal: new AbortController().signal,
  resultMaxBytes: 1_000,
  numbersAsStrings: false,
  inPieces: undefined,
} as const;

test.each(ATTACKS)('$name: $because', async ({ request }) => {
  const sent: Request[] = [];
  const session = upstash.open(
    { connection: settings, settings: {} },
    {
      async fetch(each) {
        sent.push(each);
        return new Response('{"result":"OK"}');
      },
    },
  );
  const attempt = async () => {
    // The kind's own reader has made it a request of Redis.
    const parsed = parseRequest('redis', request as Json).request as RedisRequest;
    return session.run(parsed, call);
  };
  await expect(attempt()).rejects.toBeInstanceOf(GatewayError);
  expect(sent).toEqual([]);
});
