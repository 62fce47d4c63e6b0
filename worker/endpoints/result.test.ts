import { Code } from '@connectrpc/connect';
import { describe, expect, test } from 'vitest';
import type { CollectRequest } from '../../proto/gen/relay/v1/relay_pb.ts';
import { make, nesting, ORDER, PLACE } from '../templates/test/definitions.ts';
import { failure } from '../test/gateway.ts';
import { bytes, startRunning, text, told } from '../test/running.ts';

const QUERY = { type: 'query', query: 'select 1' };
const kept = () => ({ collectId: 'kept-1', backendUs: 10n });

describe('a result that the relay keeps because it is large', () => {
  test('passes through as it arrives, between the halves of the envelope', async () => {
    const { promise: wanted, resolve: want } = Promise.withResolvers<void>();
    const asked: string[] = [];
    const gateway = await startRunning({
      run: kept,
      async *collect({ collectId }: CollectRequest) {
        asked.push(collectId);
        yield { chunk: bytes('{"rows":') };
        await wanted;
        yield { chunk: bytes('[1,2]}') };
      },
    });
    const response = await gateway.post('/read', QUERY);
    const reader = response.body?.getReader();
    const pieces: string[] = [];
    while (pieces.join('') !== '{"status":"success","data":{"rows":') {
      pieces.push(text((await reader?.read())?.value ?? bytes('end')));
    }
    want();
    for (;;) {
      const piece = await reader?.read();
      if (!piece || piece.done) break;
      pieces.push(text(piece.value));
    }
    expect(pieces.join('')).toBe('{"status":"success","data":{"rows":[1,2]}}');
    expect(asked).toEqual(['kept-1']);
  });

  test('breaks off when the relay is lost in the middle of it', async () => {
    const gateway = await startRunning({
      run: kept,
      async *collect() {
        yield { chunk: bytes('{"rows":') };
        throw new Error('gone');
      },
    });
    const response = await gateway.post('/read', QUERY);
    await expect(response.text()).rejects.toThrow();
  });

  test.each([
    ['read', ORDER, 503, 'NODE_UNAVAILABLE'],
    ['write', PLACE, 502, 'OUTCOME_UNKNOWN'],
  ] as const)(
    'of a %s that is lost says so to who keeps it as a whole',
    async (_, request, status, code) => {
      const gateway = await startRunning({
        run: kept,
        async *collect() {
          yield { chunk: bytes('{"rows":') };
          throw told(Code.Unavailable, 'SERVICE_UNAVAILABLE', 'The node has no memory left');
        },
      });
      await make(gateway, request);
      await make(gateway, nesting('whole', request.id));
      const reply = await gateway.call('POST', '/templates/whole', { id: 1 });
      expect(reply).toMatchObject({ status, body: { code } });
    },
  );

  test('that is lost before its first byte is no success', async () => {
    const gateway = await startRunning({
      run: kept,
      // biome-ignore lint/correctness/useYield: it is lost before anything is sent.
      async *collect() {
        throw told(Code.NotFound, 'NOT_FOUND', 'There is no such result');
      },
    });
    expect(await gateway.ask('/read', QUERY)).toEqual({
      status: 503,
      body: failure('NODE_UNAVAILABLE', 'The result was lost on its way'),
    });
    expect(await gateway.ask('/write', QUERY)).toEqual({
      status: 502,
      body: failure('OUTCOME_UNKNOWN', 'The request took effect, but its result was lost'),
    });
  });
});
