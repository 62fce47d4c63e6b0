/** Who works when, by a clock that only the test moves. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GatewayError } from '../errors.ts';
import { undivided } from './pieces.ts';
import { LARGE_WAITING_MAX, WAITING_MAX } from './queue.ts';
import { Thread } from './test/thread.ts';

/** What may be done before anything waits: a credit of 30 ms, and a slice. */
const CREDIT_AND_SLICE_MS = 30 + 20 + 2;

test('light work begins at once', async () => {
  const thread = new Thread();
  for (let count = 0; count < 100; count += 1) {
    expect(await thread.do('a', 1, 1, false)).toBe('a');
    thread.at += 10;
  }
  expect(thread.at).toBe(1_100);
});

describe('heavy work', () => {
  const works = fc.array(
    fc.record({
      owner: fc.constantFrom('a', 'b', 'c'),
      count: fc.integer({ min: 1, max: 60 }),
      ms: fc.integer({ min: 1, max: 8 }),
    }),
    { minLength: 1, maxLength: 8 },
  );

  test('leaves the thread to others for longer than it holds it, and holds it no longer than a slice and a piece', () =>
    fc.assert(
      fc.asyncProperty(works, async (all) => {
        const thread = new Thread();
        const ended = await thread.run(
          all.map((each) => thread.do(each.owner, each.count, each.ms)),
        );
        expect(ended).toEqual(all.map(({ owner }) => ({ status: 'fulfilled', value: owner })));
        const slice = 20 + 8;
        const held = thread.worked.reduce((sum, { from, to }) => sum + to - from, 0);
        expect(held).toBeLessThanOrEqual(thread.at * 0.4 + slice);
        expect(longestHold(thread)).toBeLessThanOrEqual(slice);
      }),
      { numRuns: 60 },
    ));

  test('of one who brings much does not keep another from their share', async () => {
    const thread = new Thread();
    const much = Array.from({ length: 8 }, () => thread.do('much', 200, 2));
    const little = [thread.do('little', 200, 2)];
    const by = thread.run([...much, ...little]);
    await thread.run(little);
    const [own, others] = [thread.done('little', thread.at), thread.done('much', thread.at)];
    expect(own).toBe(400);
    expect(others).toBeLessThan(2 * own);
    await by;
  });

  test('beyond eight that wait is refused, and only of who brings it', async () => {
    const thread = new Thread();
    const many = Array.from({ length: 2 * LARGE_WAITING_MAX + 1 }, () => thread.do('many', 50, 2));
    const ended = await thread.run([...many, thread.do('other', 50, 2)]);
    const refused = ended.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    expect(refused.length).toBe(many.length - LARGE_WAITING_MAX);
    for (const { reason } of refused) {
      expect(reason).toBeInstanceOf(GatewayError);
      expect(reason).toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfter: 1 });
    }
    expect(ended.at(-1)).toEqual({ status: 'fulfilled', value: 'other' });
  });

  test('beyond 64 that are not large is refused, and large ones do not count', async () => {
    const thread = new Thread();
    thread.line.note('many', 100);
    const large = Array.from({ length: LARGE_WAITING_MAX }, () => thread.do('many', 2, 2));
    const small = Array.from({ length: WAITING_MAX + 5 }, () => thread.do('many', 2, 2, false));
    const ended = await thread.run([...large, ...small]);
    const refused = ended.flatMap((each) =>
      each.status === 'rejected' ? [each.reason.message] : [],
    );
    expect(refused).toEqual(
      Array.from(
        { length: 5 },
        () => '64 requests of this organization wait for work that takes long: try again later',
      ),
    );
  });

  test('of one who has none is let in however many others wait', async () => {
    const thread = new Thread();
    for (let owner = 0; owner < 40; owner += 1) {
      for (let each = 0; each < LARGE_WAITING_MAX; each += 1) {
        await thread.run([thread.line.enter(String(owner)).catch(() => undefined)]);
      }
    }
    const [entered] = await thread.run([thread.line.enter('other')]);
    expect(entered).toMatchObject({ status: 'fulfilled', value: { owner: 'other' } });
  });

  test('that could not be foreseen makes its owner wait afterwards, and nobody else', async () => {
    const thread = new Thread();
    thread.line.note('a', 200);
    expect([thread.line.owes('a'), thread.line.owes('b')]).toEqual([true, false]);
    const began = thread.at;
    await thread.run([thread.do('a', 1, 1)]);
    expect(thread.at - began).toBeGreaterThanOrEqual(300);
  });

  test('that nobody goes on with holds nobody up for long', async () => {
    const thread = new Thread();
    await thread.line.enter('gone');
    thread.line.note('a', 100);
    await thread.run([thread.do('a', 1, 1)]);
    expect(thread.at).toBeLessThan(1_000);
  });

  test('whose client has gone is dropped between two slices, and leaves its place', async () => {
    const thread = new Thread();
    const clients = Array.from({ length: LARGE_WAITING_MAX }, () => new AbortController());
    const works = clients.map(({ signal }) =>
      thread.line.work('a', thread.pieces('a', 1_000, 2), { isLarge: true, signal }),
    );
    const begun = thread.line.work('a', thread.pieces('begun', 50, 2), {
      isBegun: true,
      signal: AbortSignal.abort(),
    });
    for (const client of clients) client.abort();
    const ended = await thread.run([...works, begun]);
    expect(ended.pop()).toEqual({ status: 'fulfilled', value: 'begun' });
    for (const each of ended) {
      expect(each).toMatchObject({
        status: 'rejected',
        reason: { code: 'SERVICE_UNAVAILABLE', message: 'The client has gone' },
      });
    }
    expect(thread.done('a', thread.at)).toBeLessThanOrEqual(CREDIT_AND_SLICE_MS);
    const anew = Array.from({ length: LARGE_WAITING_MAX }, () => thread.line.enter('a'));
    expect((await thread.run(anew)).map(({ status }) => status)).toEqual(
      anew.map(() => 'fulfilled'),
    );
  });

  test('that fails leaves its place', async () => {
    const thread = new Thread();
    const fail = () =>
      thread.line.work(
        'a',
        undivided(() => {
          thread.at += 50;
          throw new Error('broken');
        }),
      );
    for (let count = 0; count < 3 * WAITING_MAX; count += 1) {
      const [ended] = await thread.run([fail()]);
      expect(ended).toMatchObject({ status: 'rejected', reason: { message: 'broken' } });
    }
  });
});

describe('what comes in', () => {
  /** Bodies of one owner: each part needs so many milliseconds to arrive. */
  async function bodies(thread: Thread, waits: readonly number[], bytes = 200_000, parts = 5) {
    const [ended, atHand]: [number[], Set<number>] = [[], new Set()];
    let most = 0;
    const work = waits.map(async (ms, index) => {
      const place = await thread.line.enter('a');
      for (let part = 0; part < parts; part += 1) {
        await thread.line.comeIn(place, bytes);
        if (ms < 1_000) atHand.add(index);
        most = Math.max(most, atHand.size);
        await thread.wait(ms);
      }
      thread.line.leave(place);
      atHand.delete(index);
      ended.push(index);
    });
    await thread.run(work);
    return { ended, most };
  }

  test('is two bodies of an owner at once, in the order in which they began', async () => {
    const { ended, most } = await bodies(new Thread(), [50, 50, 50, 50, 50, 50]);
    expect({ ended, most }).toEqual({ ended: [0, 1, 2, 3, 4, 5], most: 2 });
  });

  test('is one body of more than 2 MiB at once', async () => {
    const { ended, most } = await bodies(new Thread(), [50, 50, 50, 50], 3_000_000);
    expect({ ended, most }).toEqual({ ended: [0, 1, 2, 3], most: 1 });
  });

  test('slowly holds up nobody', async () => {
    const { ended } = await bodies(new Thread(), [3_000, 3_000, 3_000, 50, 50]);
    expect(ended).toEqual([3, 4, 0, 1, 2]);
  });

  test('for a client who has gone is left', async () => {
    const thread = new Thread();
    const place = await thread.line.enter('a');
    const [ended] = await thread.run([thread.line.comeIn(place, 0, AbortSignal.abort())]);
    expect(ended).toMatchObject({ status: 'rejected', reason: { code: 'SERVICE_UNAVAILABLE' } });
  });
});

/** How long pieces followed each other without a rest. */
function longestHold({ worked }: Thread): number {
  let [longest, from, to] = [0, 0, -1];
  for (const each of worked) {
    if (each.from !== to) from = each.from;
    to = each.to;
    longest = Math.max(longest, to - from);
  }
  return longest;
}

describe('work that is alone on its thread', () => {
  /** 200 ms of work; others come to the thread after so many milliseconds. */
  const begin = (thread: Thread, othersAt: number) =>
    thread.line.work('a', thread.pieces('a', 50, 4), {
      isLarge: true,
      isAlone: () => thread.at < othersAt,
    });

  test('takes as long as it works, and gives way between slices', async () => {
    const thread = new Thread();
    let turns = 0;
    const looking = (async () => {
      for (; thread.at < 200; turns += 1) await thread.wait(0);
    })();
    await thread.run<unknown>([begin(thread, Number.POSITIVE_INFINITY), looking]);
    expect(thread.at).toBe(200);
    expect(turns).toBeGreaterThan(5);
  });

  test('leaves room from when others come', async () => {
    const thread = new Thread();
    await thread.run([begin(thread, 100)]);
    // The half that is left takes two and a half times as long, except for its last slice and a credit.
    expect(thread.at).toBeGreaterThan(275);
    expect(thread.at).toBeLessThanOrEqual(350);
  });

  test('shares with other work in the line', async () => {
    const thread = new Thread();
    const other = thread.do('b', 25, 4);
    await thread.run([begin(thread, Number.POSITIVE_INFINITY), other]);
    expect(thread.done('b', 250)).toBeGreaterThanOrEqual(40);
    expect(thread.done('a', 250)).toBeGreaterThanOrEqual(40);
  });
});

test('work that goes on outside the line does so one after another, with rests, where the clock stands still meanwhile', async () => {
  const work = fc.record({
    owner: fc.constantFrom('a', 'b'),
    ms: fc.integer({ min: 1, max: 40 }),
    // What it takes is reported once it is done.
    reportedMs: fc.integer({ min: 0, max: 4 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(work, { minLength: 2, maxLength: 8 }), async (works) => {
      const thread = new Thread();
      for (const owner of ['a', 'b']) thread.line.note(owner, 100);
      const began: { readonly at: number; readonly ms: number }[] = [];
      const goOn = async ({ owner, ms, reportedMs }: (typeof works)[number]) => {
        await thread.line.goOn(owner, { isBegun: true });
        began.push({ at: thread.at, ms });
        await thread.wait(reportedMs);
        thread.line.note(owner, ms, 0);
      };
      await thread.run(works.map(goOn));
      const early = began.filter(({ at, ms }, index) => {
        const next = began[index + 1];
        // The work, and one and a half times that.
        return next !== undefined && next.at - at < 2.5 * ms;
      });
      expect(early).toEqual([]);
    }),
  );
});
