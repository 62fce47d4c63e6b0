/** Outcomes as they are kept and told again, and calls that fail half-way. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GatewayError } from '../../proto/errors.ts';
import { anyMember } from '../access/access.ts';
import { Accepted, JsonBytes, Outcome, type Result, Tagged } from '../outcome.ts';
import { type Reply, route } from '../route.ts';
import { seen, startOwn, storedCalls } from '../test/keyed.ts';
import { opened, takeIn } from './kept.ts';
import type { Idempotency } from './rule.ts';

test('any result comes back as it was, whether its bytes come at once or in pieces', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 2_000 }),
      fc.integer({ min: 1, max: 500 }),
      fc.boolean(),
      fc.constantFrom('plain', 'tagged', 'accepted'),
      fc.stringMatching(/^[!-~]{1,40}$/),
      async (bytes, pieceSize, atOnce, sort, text) => {
        const pieces = Array.from({ length: Math.ceil(bytes.length / pieceSize) }, (_, at) =>
          bytes.subarray(at * pieceSize, (at + 1) * pieceSize),
        );
        const resultOf = (value: JsonBytes): Result => {
          if (sort === 'tagged') return new Tagged(text, value);
          return sort === 'accepted' ? new Accepted(value, text, true) : value;
        };
        const made = resultOf(new JsonBytes(atOnce ? bytes : streamOf(pieces)));
        const whole = resultOf(new JsonBytes(bytes));
        const { outcome, kept } = await takeIn(new Outcome(made), { requestId: 'request-1' });
        if (typeof kept === 'string') throw new Error(`was not kept for its ${kept}`);
        expect(outcome).toEqual(new Outcome(whole));
        expect(opened(kept)).toEqual(new Outcome(whole, {}, 'request-1'));
      },
    ),
    { numRuns: 200 },
  );
});

test('a failure comes back as it was, without what is for its own moment', async () => {
  const details = [{ path: 'a', message: 'b' }];
  const failure = new GatewayError('CONSTRAINT_VIOLATED', 'no', { details, retryAfter: 1 });
  const { kept } = await takeIn(new Outcome(failure), { requestId: 'request-1' });
  if (typeof kept === 'string') throw new Error(`was not kept for its ${kept}`);
  const told = new GatewayError('CONSTRAINT_VIOLATED', 'no', { details });
  expect(opened(kept)).toEqual(new Outcome(told, {}, 'request-1'));
});

test('of a reply that an earlier version kept the status is known', () => {
  const text = '{"status":201,"headers":{"ETag":"7"},"asked":[]}\n{"a":1}';
  expect(opened(new TextEncoder().encode(text))).toMatchObject({ status: 201 });
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
function startMaking(handle: () => Promise<Reply>, idempotency: Idempotency<never> = {}) {
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
      const failure = new GatewayError(code, 'The second one did not work');
      const replies = await twice(async () => new Outcome(failure, { written: true }));
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
