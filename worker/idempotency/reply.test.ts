/** Replies as they are kept and told again, and calls that fail half-way. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GatewayError } from '../../proto/errors.ts';
import { anyMember } from '../access/access.ts';
import type { PublicContext } from '../context.ts';
import { JsonBytes, type Reply, route } from '../http/route.ts';
import { seen, startOwn, storedCalls } from '../test/keyed.ts';
import { opened, takeIn } from './reply.ts';
import type { Idempotency } from './rule.ts';

test('any reply comes back as it was', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 2_000 }),
      fc.integer({ min: 1, max: 500 }),
      fc.constantFrom(200, 201, 202, 400, 404, 409, 412, 500, 502),
      fc.stringMatching(/^[!-~]{1,40}$/),
      async (bytes, pieceSize, status, type) => {
        const pieces = Array.from({ length: Math.ceil(bytes.length / pieceSize) }, (_, at) =>
          bytes.subarray(at * pieceSize, (at + 1) * pieceSize),
        );
        const headers = { 'Content-Type': type, ETag: '"\\"' };
        const made = new Response(streamOf(pieces), { status, headers });
        const { response, kept } = await takeIn(made, { written: false, asked: [] });
        if (typeof kept === 'string') throw new Error(`was not kept for its ${kept}`);
        const told = opened(kept).replay();
        for (const each of [response, told]) {
          expect([each.status, each.headers.get('Content-Type'), each.headers.get('ETag')]).toEqual(
            [status, type, '"\\"'],
          );
          expect(new Uint8Array(await each.arrayBuffer())).toEqual(bytes);
        }
      },
    ),
    { numRuns: 200 },
  );
});

function streamOf(pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  const left = [...pieces];
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = left.shift();
      if (piece) controller.enqueue(piece);
      else controller.close();
    },
  });
}

/** A gateway with one operation, which the test handles. */
function startMaking(
  handle: (ctx: PublicContext) => Promise<Reply>,
  idempotency: Idempotency<never> = {},
) {
  return startOwn([
    route({
      method: 'POST',
      path: '/made',
      summary: 'Make',
      description: 'Makes it.',
      tag: 'Help',
      errors: [],
      access: anyMember,
      changes: 'organization',
      idempotency,
      reply: 'bare',
      result: undefined as never, // Nobody describes it.
      handle,
    }),
  ]);
}

/** What the same call is answered twice. */
async function twice(...operation: Parameters<typeof startMaking>) {
  const { post } = await startMaking(...operation);
  const replies = [];
  for (let time = 0; time < 2; time += 1) {
    const { status, replayed: again, body } = await seen(await post('/made', 'k'));
    replies.push([status, (body as { code: string }).code, again]);
  }
  return replies;
}

const broken = () => {
  let pulled = 0;
  return new JsonBytes(
    new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 1;
        if (pulled < 3) controller.enqueue(new Uint8Array(10));
        else controller.error(new Error('lost'));
      },
    }),
  );
};

describe('a call that fails', () => {
  const unreachable = new GatewayError('CONNECTION_FAILED', 'The server cannot be reached');

  test('in sending its reply is told to have taken effect', async () => {
    expect(await twice(async () => broken())).toEqual([
      [502, 'OUTCOME_UNKNOWN', null],
      [502, 'OUTCOME_UNKNOWN', 'true'],
    ]);
  });

  test('in sending its reply may be repeated where it only reads', async () => {
    expect(await twice(async () => broken(), { reads: true })).toEqual([
      [503, 'NODE_UNAVAILABLE', null],
      [503, 'NODE_UNAVAILABLE', null],
    ]);
  });

  test('before anything was changed leaves the key free', async () => {
    expect(await twice(() => Promise.reject(unreachable))).toEqual([
      [502, 'CONNECTION_FAILED', null],
      [502, 'CONNECTION_FAILED', null],
    ]);
  });

  test.each(['CONNECTION_FAILED', 'FORBIDDEN'] as const)(
    'with %s after one of its writes took effect keeps the key',
    async (code) => {
      const replies = await twice((ctx) => {
        ctx.effects.written = true;
        return Promise.reject(new GatewayError(code, 'The second one did not work'));
      });
      expect(replies.map(([, told, again]) => [told, again])).toEqual([
        [code, null],
        [code, 'true'],
      ]);
    },
  );

  test('for no foreseen reason keeps the key, unless it only reads', async () => {
    const fail = () => Promise.reject(new Error('a bug'));
    expect(await twice(fail)).toEqual([
      [500, 'INTERNAL', null],
      [500, 'INTERNAL', 'true'],
    ]);
    expect(await twice(fail, { reads: true })).toEqual([
      [500, 'INTERNAL', null],
      [500, 'INTERNAL', null],
    ]);
  });
});

test("a call is the runtime's to finish from its begin until its reply is kept, whether its client stays or not", async () => {
  const { promise, resolve } = Promise.withResolvers<Reply>();
  const { post, going, organization } = await startMaking(() => promise);
  const replying = post('/made', 'k');
  await expect.poll(() => going).toHaveLength(1);
  resolve({ made: true });
  await going[0];
  expect(await storedCalls(organization.uuid)).toMatchObject([{ reply: expect.any(ArrayBuffer) }]);
  expect((await replying).status).toBe(200);
});
