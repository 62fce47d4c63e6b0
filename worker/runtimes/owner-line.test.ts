/** The line to an owner that dies and comes back: what is safe to ask again waits for it, all else fails. */
import { describe, expect, test } from 'vitest';
import { type Clock, OwnerLine } from './owner-line.ts';
import type { OwnerService } from './service.ts';

const NOT_READY = {
  code: 'SERVICE_UNAVAILABLE',
  message: 'The gateway is not ready',
  retryAfter: 1,
};

/** As the runtime says that a line broke. */
const lost = () => Object.assign(new Error('Network connection lost.'), { retryable: true });
const never = () => Promise.reject(new Error('Nobody asks that here'));

/** An owner that runs, or does not, by a clock that the test moves. */
function standIn(isUp: (now: number) => boolean) {
  let now = 0;
  let pings = 0;
  const clock: Clock = {
    now: () => now,
    async sleep(ms) {
      now += ms;
    },
  };
  const owner: OwnerService = {
    async ping() {
      pings += 1;
      if (!isUp(now)) throw lost();
    },
    ...{ query: never, batch: never, call: never, limit: never, fetch: never, metrics: never },
  };
  return {
    line: new OwnerLine(owner, clock),
    at: (ms: number) => {
      now = ms;
    },
    now: () => now,
    pings: () => pings,
  };
}

describe('a question', () => {
  test('waits for an owner that starts', async () => {
    const { line, now } = standIn((at) => at >= 1_000);
    expect(await line.ask(async () => 'answer', 'something')).toBe('answer');
    expect(now()).toBe(1_000);
  });

  test('fails when the owner does not come', async () => {
    const { line, now } = standIn(() => false);
    await expect(line.ask(async () => 'answer', 'nothing')).rejects.toMatchObject(NOT_READY);
    expect(now()).toBe(5_000);
  });

  test('that changes nothing is asked again when it was lost', async () => {
    const { line } = standIn(() => true);
    let asked = 0;
    const question = async () => {
      asked += 1;
      if (asked < 3) throw lost();
      return asked;
    };
    expect(await line.ask(question, 'nothing')).toBe(3);
  });

  test('that was lost each time fails', async () => {
    const { line } = standIn(() => true);
    let asked = 0;
    const question = () => {
      asked += 1;
      return Promise.reject(lost());
    };
    await expect(line.ask(question, 'nothing')).rejects.toMatchObject(NOT_READY);
    expect(asked).toBe(3);
  });

  test('that may have changed something is not asked again', async () => {
    const { line } = standIn(() => true);
    let asked = 0;
    const question = () => {
      asked += 1;
      return Promise.reject(lost());
    };
    await expect(line.ask(question, 'something')).rejects.toMatchObject(NOT_READY);
    expect(asked).toBe(1);
  });

  test.each([
    { what: 'its own', thrown: new TypeError('no such row') },
    { what: 'one of an object', thrown: Object.assign(lost(), { remote: true }) },
  ])('fails with the error that the owner threw, $what', async ({ thrown }) => {
    const { line } = standIn(() => true);
    await expect(line.ask(() => Promise.reject(thrown), 'nothing')).rejects.toBe(thrown);
  });

  test('asks first whether the owner runs, unless it has just answered', async () => {
    const { line, at, pings } = standIn(() => true);
    const ask = () => line.ask(async () => 'answer', 'nothing');
    await ask();
    await ask();
    expect(pings()).toBe(1);
    at(100);
    await ask();
    expect(pings()).toBe(2);
  });
});
