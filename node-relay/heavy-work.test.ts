/** What large requests cost those who send them, and nobody else. */
import { describe, expect, test } from 'vitest';
import { type Pieces, undivided } from '../proto/work/pieces.ts';
import { type Asking, inTurn, piecesOf } from './heavy-work.ts';

const large = new Uint8Array(200_000);
const statement = { type: 'query', query: 'x'.repeat(150_000) };
/** One call of an owner. */
const by = (owner: string): Asking => ({
  owner,
  signal: new AbortController().signal,
  subject: {},
});
/** How a request is read that is one piece. */
const reading = <Read>(read: () => Read) => ({
  whole: read,
  inPieces: () => undivided(read),
});
const get = reading(() => ({ type: 'get' }));

/** Milliseconds until it was read. */
async function took(owner: string, bytes: Uint8Array): Promise<number> {
  const started = performance.now();
  expect(
    await inTurn(
      by(owner),
      bytes,
      reading(() => statement),
    ),
  ).toBe(statement);
  return performance.now() - started;
}

test('a large statement delays the next large one, and no light one', async () => {
  const owner = crypto.randomUUID();
  await took(owner, large);
  // A hundred milliseconds of parsing, and the rest after it.
  const [second, light] = await Promise.all([
    took(owner, large),
    took(crypto.randomUUID(), new Uint8Array(100)),
  ]);
  expect(second).toBeGreaterThan(140);
  expect(light).toBeLessThan(second);
});

test('beyond eight that wait large requests are refused, of that owner alone', async () => {
  const [owner, other] = [crypto.randomUUID(), crypto.randomUUID()];
  const many = Array.from({ length: 12 }, async () => inTurn(by(owner), large, get));
  const [ended, others] = await Promise.all([
    Promise.allSettled(many),
    Promise.allSettled([inTurn(by(other), large, get)]),
  ]);
  const refused = ended.filter(({ status }) => status === 'rejected');
  expect(refused).toEqual(
    refused.map(() => ({
      status: 'rejected',
      reason: expect.objectContaining({ code: 'SERVICE_UNAVAILABLE', retryAfter: 1 }),
    })),
  );
  expect(refused.length).toBeGreaterThan(2);
  expect(others).toEqual([{ status: 'fulfilled', value: { type: 'get' } }]);
});

test('what a request fails with is told', async () => {
  const fail = () => {
    throw new Error('broken');
  };
  await expect(inTurn(by(crypto.randomUUID()), large, reading(fail))).rejects.toThrow('broken');
});

describe('between two pieces of one organization', () => {
  /** A tenth of a second of work in pieces of some 5 ms; notes when each began. */
  function* long(began: number[]): Pieces<string> {
    for (let piece = 0; piece < 20; piece += 1) {
      const started = performance.now();
      began.push(started);
      while (performance.now() - started < 5);
      yield;
    }
    return 'done';
  }

  test.each([
    {
      what: 'a large request is read',
      work: (owner: string, began: number[]) =>
        inTurn(by(owner), large, { whole: () => 'at once', inPieces: () => long(began) }),
    },
    {
      what: 'its driver works on it',
      work: (owner: string, began: number[]) => piecesOf(by(owner))(long(began)),
    },
  ])("others' requests are read while $what", async ({ work }) => {
    const began: number[] = [];
    const working = work(crypto.randomUUID(), began);
    const read = [];
    for (let turn = 0; turn < 3; turn += 1) {
      await inTurn(by(crypto.randomUUID()), large, get);
      read.push(performance.now());
    }
    expect(await working).toBe('done');
    expect(read.map((at) => began.some((each) => each > at))).toEqual(read.map(() => true));
  });
});

test('of eight large requests of an owner one is in memory as values, until it is written', async () => {
  const owner = crypto.randomUUID();
  const huge = new Uint8Array(3 * 1024 * 1024);
  const alive = new Set<number>();
  let most = 0;
  function* read(which: number): Pieces<number> {
    alive.add(which);
    most = Math.max(most, alive.size);
    yield;
    return which;
  }
  const serve = async (which: number): Promise<number> => {
    const asking = by(owner);
    const request = await inTurn(asking, huge, {
      whole: () => which,
      inPieces: () => read(which),
    });
    // A question to the database, after which the driver writes what it sends.
    await new Promise((resolve) => setTimeout(resolve, 20));
    await piecesOf(asking)(undivided(() => alive.delete(which)));
    asking.subject.atHand?.end();
    return request;
  };
  const served = await Promise.all(Array.from({ length: 8 }, (_, which) => serve(which)));
  expect(served).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  expect(most).toBe(1);
});

test('what waits for its turn ends with its call', async () => {
  const owner = crypto.randomUUID();
  await took(owner, large);
  const ending = new AbortController();
  const waiting = inTurn({ ...by(owner), signal: ending.signal }, large, get);
  ending.abort(new Error('the deadline passed'));
  await expect(waiting).rejects.toThrow('the deadline passed');
});
