/** The line before work that is bounded: only so much is done at once. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FairQueue, QueueFull } from './fair-queue.ts';

const NEVER = new AbortController().signal;

/** A line whose work ends when the test says so. */
function lineOf(atOnce: number, waiting: number, ofOneOwner = atOnce) {
  const line = new FairQueue({ atOnce, waiting, ofOneOwner });
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  return {
    begun,
    ask: (who: string, name = who, signal = NEVER) => {
      const done = line.do(who, signal, () => {
        begun.push(name);
        return new Promise<string>((resolve) => ends.push(() => resolve(name)));
      });
      done.catch(() => {}); // Who looks at it, looks later.
      return done;
    },
    /** Lets the work end that began first. */
    async end(): Promise<void> {
      ends.shift()?.();
      await settled();
    },
    running: () => ends.length,
  };
}

/** All that follows at once has happened. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

const outcome = (work: Promise<unknown>) =>
  work.then(String, (thrown: unknown) => (thrown instanceof QueueFull ? 'full' : thrown));

describe('a line', () => {
  test('gives each who waits their turn after the other', async () => {
    const line = lineOf(1, 10);
    for (const [who, name] of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((each) => [each[0], each])) {
      void line.ask(who ?? '', name);
    }
    await settled();
    for (let left = 6; left > 0; left -= 1) await line.end();
    expect(line.begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
  });

  test('does no more of one owner at once than it may, and others’ meanwhile', async () => {
    const line = lineOf(3, 10, 1);
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) void line.ask(name[0] ?? '', name);
    await settled();
    expect(line.begun).toEqual(['a1', 'b1', 'c1']);
    await line.end();
    expect(line.begun).toEqual(['a1', 'b1', 'c1', 'a2']);
    await line.end();
    await line.end();
    expect(line.begun).toEqual(['a1', 'b1', 'c1', 'a2', 'b2']);
    await line.end();
    await line.end();
    expect(line.begun).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
    await line.end();
    expect(line.running()).toBe(0);
  });

  test('takes as many as it may, from whomever, and no more', async () => {
    const line = lineOf(4, 64);
    const all = Array.from({ length: 69 }, (_, at) => line.ask('a', `${at}`));
    await settled();
    expect(line.running()).toBe(4);
    expect(await outcome(all[68] as Promise<string>)).toBe('full');
    for (let left = 68; left > 0; left -= 1) await line.end();
    expect(await Promise.all(all.slice(0, 68).map(outcome))).toEqual(
      Array.from({ length: 68 }, (_, at) => `${at}`),
    );
  });

  test('is filled by nobody for the others', async () => {
    const line = lineOf(1, 4);
    const of = (who: string, count: number) => Array.from({ length: count }, () => line.ask(who));
    const [first, ...own] = of('a', 5);
    await settled();
    const others = of('b', 3);
    for (let left = 5; left > 0; left -= 1) await line.end();
    expect(
      await Promise.all([first, ...own].map((each) => outcome(each as Promise<string>))),
    ).toEqual(['a', 'a', 'a', 'full', 'full']);
    expect(await Promise.all(others.map(outcome))).toEqual(['b', 'b', 'full']);
  });

  test('is left by who goes away, and what they asked for is not done', async () => {
    const line = lineOf(1, 1);
    const leaving = new AbortController();
    void line.ask('a');
    const gone = line.ask('b', 'b', leaving.signal);
    await settled();
    leaving.abort('gone');
    expect(await outcome(gone)).toBe('gone');
    const next = line.ask('c');
    await line.end();
    await line.end();
    expect(await next).toBe('c');
    expect(line.begun).toEqual(['a', 'c']);
  });

  test('goes on after work that fails', async () => {
    const line = new FairQueue({ atOnce: 1, waiting: 1 });
    const failing = line.do('a', NEVER, () => Promise.reject(new Error('fails')));
    const next = line.do('b', NEVER, async () => 'done');
    await expect(failing).rejects.toThrow('fails');
    expect(await next).toBe('done');
  });
});

test('whatever comes and goes, all is done once or refused, never too much at once, and nobody waits for another’s second', async () => {
  const events = fc.array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom('a', 'b', 'c') },
      { weight: 2, arbitrary: fc.constant('end') },
      { weight: 1, arbitrary: fc.constant('leave') },
    ),
    { maxLength: 40 },
  );
  await fc.assert(
    fc.asyncProperty(events, async (happening) => {
      const line = lineOf(2, 5);
      const asked: { name: string; done: Promise<string>; leaving: AbortController }[] = [];
      for (const [at, event] of happening.entries()) {
        if (event === 'end') await line.end();
        else if (event === 'leave') asked.at(-1)?.leaving.abort('gone');
        else {
          const leaving = new AbortController();
          const name = `${event}${at}`;
          asked.push({ name, done: line.ask(event, name, leaving.signal), leaving });
        }
        await settled();
        expect(line.running()).toBeLessThanOrEqual(2);
      }
      while (line.running() > 0) await line.end();
      const ended = await Promise.all(asked.map(({ done }) => outcome(done)));
      const done = ended.filter((each) => each !== 'full' && each !== 'gone');
      expect(done.toSorted()).toEqual(line.begun.toSorted());
      // What one caller asked for first begins first.
      for (const who of ['a', 'b', 'c']) {
        const own = line.begun.filter((name) => name.startsWith(who));
        expect(own).toEqual(own.toSorted((a, b) => Number(a.slice(1)) - Number(b.slice(1))));
      }
    }),
    { numRuns: 100 },
  );
});
