/** What the outcome of a request reports its effects. */
import { Code } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import type { Mode } from '../../proto/driver.ts';
import { GatewayError } from '../../proto/errors.ts';
import type { RunRequest } from '../../proto/gen/relay/v1/relay_pb.ts';
import { authorize } from '../access/access.ts';
import { onEndpoint } from '../endpoints/access.ts';
import { contextOf } from '../test/audit.ts';
import { bytes, startRunning, text, told } from '../test/running.ts';
import { requestOn } from './request.ts';

const QUERY = { type: 'query', query: 'select 1' };
const refused = () => {
  throw told(Code.InvalidArgument, 'REQUEST_FAILED', 'no');
};
const lost = () => {
  throw told(Code.Unknown, 'OUTCOME_UNKNOWN', 'lost');
};

test.each<[string, Mode, () => { result: Uint8Array }, boolean]>([
  ['a write that ended well', 'write', () => ({ result: bytes('{}') }), true],
  ['a write that was refused', 'write', refused, false],
  ['a write whose outcome is unknown', 'write', lost, true],
  ['a read', 'read', () => ({ result: bytes('{}') }), false],
])(
  'of %s the outcome tells whether it may have taken effect',
  async (_what, mode, run, written) => {
    const gateway = await startRunning({ run });
    const ctx = contextOf(gateway);
    const params = { endpoint: 'orders' };
    const on = { ...(await authorize(ctx, onEndpoint('Write'), params)), params };
    const outcome = await requestOn(ctx, on, mode, QUERY, {});
    expect(outcome.written).toBe(written);
  },
);

test('a caller that takes JSON alone is told so of a request that answers events', async () => {
  const gateway = await startRunning(
    {},
    {
      endpoint: {
        endpoint: 'cache',
        kind: 'redis',
        config: { write_conn: { url: 'redis://r.test:6379' } },
      },
    },
  );
  const ctx = contextOf(gateway);
  const params = { endpoint: 'cache' };
  const on = { ...(await authorize(ctx, onEndpoint('Read'), params)), params };
  const subscribe = { type: 'subscribe', channels: ['chat'] };
  const { result } = await requestOn(ctx, on, 'read', subscribe, {});
  expect(result).toEqual(
    new GatewayError('NOT_SUPPORTED', 'This request answers events: send it to /read'),
  );
});

test.each([
  ['by its members', '{"type":"set","key":"k","value":1.10}', '1.10'],
  ['by its members, at length', `{"type":"set","key":"k","value":"${'x'.repeat(20_000)}"}`, 'x'],
])('of Redis reaches the relay as words, where it was written %s', async (_, body, value) => {
  const seen: Uint8Array[] = [];
  const relay = {
    run({ request }: RunRequest) {
      seen.push(request);
      return { result: bytes('{}') };
    },
  };
  const config = { write_conn: { url: 'redis://r.test:6379' } };
  const gateway = await startRunning(relay, { endpoint: { kind: 'redis', config } });
  const { status } = await gateway.send('/endpoints/orders/write', {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${await gateway.token()}`,
      'Content-Type': 'application/json',
    },
    body,
  });
  const args = ['k', value === 'x' ? 'x'.repeat(20_000) : value];
  expect([status, JSON.parse(text(seen[0] ?? bytes('null')))]).toEqual([
    200,
    { type: 'set', args },
  ]);
});
