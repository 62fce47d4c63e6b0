/** Connections within caps: never too many, none lost, nobody forgotten. */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { SlottedPool, WAIT_MAX_MS } from './connection-pool.ts';
import { CLOSING_MAX_MS, IDLE_MAX_MS, MOVE_EVERY_MS, Slots, WAITING_MAX } from './slots.ts';
import { PoolModel, type Step } from './test/pool-model.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const acquire = (pool: number): Step => ({ does: 'acquire', pick: pool });
const open: Step = { does: 'open', pick: 0 };
const release: Step = { does: 'release', pick: 0 };
const wait = (ms: number): Step => ({ does: 'wait', pick: ms });

async function play(caps: Partial<PoolModel['slots']['caps']>, steps: readonly Step[]) {
  const whole = { total: 2, production: 2, development: 2, ...caps };
  const model = new PoolModel(whole);
  for (const step of steps) await model.step(step);
  return model;
}
const outcomes = (model: PoolModel) => model.asked.map(({ outcome }) => outcome);

describe('any order of events', () => {
  const anyStep = fc.record({
    does: fc.constantFrom<Step['does'][]>(
      ...(['acquire', 'acquire', 'acquire', 'open', 'open', 'release', 'release'] as const),
      ...(['fail', 'discard', 'leave', 'wait', 'closed'] as const),
    ),
    pick: fc.nat(200),
  });
  const anyCaps = fc
    .record({ total: fc.integer({ min: 1, max: 6 }), p: fc.nat(6), d: fc.nat(6) })
    .map(({ total, p, d }) => ({
      total,
      production: Math.min(p || total, total),
      development: Math.min(d || total, total),
    }));

  test('keeps the caps, forgets nobody and leaks no slot', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyCaps,
        fc.array(anyStep, { maxLength: 80 }),
        fc.boolean(),
        async (caps, steps, slowToClose) => {
          const model = new PoolModel(caps, slowToClose);
          for (const step of steps) await model.step(step);
          await model.checkNobodyIsForgotten();
          await model.settle();
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('a pool', () => {
  test('hands out the connection that came back last', async () => {
    const model = await play({}, [acquire(0), acquire(0), open, open]);
    const [first, last] = [...model.held];
    await model.step(release);
    await model.step(release);
    await model.step(acquire(0));
    expect(model.held).toEqual([last]);
    expect(model.alive).toContain(first);
  });

  test('serves those who wait in the order they came', async () => {
    const model = await play({ total: 1 }, [acquire(0), open, acquire(0), acquire(0), release]);
    expect(outcomes(model)).toEqual(['served', 'served', 'waits']);
    expect(model.made).toBe(1);
  });

  test('serves those by whom others end before those who came earlier', async () => {
    const slots = new Slots();
    slots.caps = { total: 1, production: 1, development: 1 };
    const pool = new SlottedPool(slots, 'production', { open: async () => ({}), close() {} });
    const served: string[] = [];
    const call = async (name: string, place: 'last' | 'ahead') => {
      const connection = await pool.acquire(new AbortController().signal, place);
      served.push(name);
      pool.release(connection);
    };
    const held = await pool.acquire(new AbortController().signal);
    const calls = [call('begins', 'last'), call('ends', 'ahead'), call('ends later', 'ahead')];
    expect(pool.waiting).toBe(3);
    pool.release(held);
    await Promise.all(calls);
    expect(served).toEqual(['ends', 'ends later', 'begins']);
  });

  test('serves all who wait in the order they came, however many leave meanwhile', async () => {
    const anyLeaves = fc.array(fc.boolean(), { minLength: 2, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(anyLeaves, async (leaves) => {
        const model = await play({ total: 1 }, [acquire(0), open]);
        const asked = leaves.map(() => model.acquire(0));
        const stays = asked.filter((_, place) => !leaves[place]);
        for (const each of asked) if (!stays.includes(each)) each.client.abort(new Error('left'));
        for (const next of stays) {
          expect(next.outcome).toBe('waits');
          await model.step(release);
          expect(next.outcome).toBe('served');
        }
        await model.settle();
      }),
      { numRuns: 50 },
    );
  });

  test('tells how long calls waited, and which were refused', async () => {
    const told: (string | number)[] = [];
    const slots = new Slots({
      left: (seconds) => void told.push(seconds),
      refused: (cause) => void told.push(cause),
    });
    slots.caps = { total: 1, production: 1, development: 1 };
    const pool = new SlottedPool(slots, 'production', { open: async () => ({}), close() {} });
    const call = () => pool.acquire(new AbortController().signal);
    const held = await call();
    const [served, timedOut] = [call(), call()];
    const refused = expect(timedOut).rejects.toMatchObject({ code: 'POOL_EXHAUSTED' });
    await vi.advanceTimersByTimeAsync(2_000);
    pool.release(held);
    await served;
    await vi.advanceTimersByTimeAsync(WAIT_MAX_MS);
    await refused;
    expect(told).toEqual([2, 'time', WAIT_MAX_MS / 1000]);
    for (let waiting = 0; waiting < WAITING_MAX; waiting += 1) call().catch(() => undefined);
    await expect(call()).rejects.toMatchObject({ code: 'POOL_EXHAUSTED' });
    expect(told.slice(3)).toEqual(['full']);
  });

  test('gives the slot of a failed opening to the next who waits', async () => {
    const model = await play({ total: 1 }, [
      acquire(0),
      acquire(0),
      { does: 'fail', pick: 0 },
      open,
    ]);
    expect(outcomes(model)).toEqual(['failed', 'served']);
  });

  test('keeps what was opened for a caller that left meanwhile', async () => {
    const model = await play({ total: 1 }, [acquire(0), { does: 'leave', pick: 0 }]);
    expect(outcomes(model)).toEqual(['left']);
    await model.step(open);
    await model.step(acquire(0));
    expect(outcomes(model)).toEqual(['left', 'served']);
    expect(model.made).toBe(1);
  });

  test('lets nobody wait longer than 10 s', async () => {
    const model = await play({ total: 1 }, [acquire(0), open]);
    const waits = model.pools[0]?.acquire(new AbortController().signal);
    const refused = expect(waits).rejects.toMatchObject({ code: 'POOL_EXHAUSTED', retryAfter: 1 });
    await vi.advanceTimersByTimeAsync(WAIT_MAX_MS);
    await refused;
    await model.settle();
  });

  test('lets no more than 1000 wait', async () => {
    const model = await play({ total: 1 }, [acquire(0), open]);
    for (let call = 0; call < WAITING_MAX; call += 1) model.acquire(call % 2);
    await expect(model.pools[0]?.acquire(new AbortController().signal)).rejects.toMatchObject({
      code: 'POOL_EXHAUSTED',
    });
    expect(model.slots.waiting).toBe(WAITING_MAX);
  });

  test('ends connections that were idle for a minute', async () => {
    const model = await play({}, [acquire(0), acquire(0), open, open, release]);
    await vi.advanceTimersByTimeAsync(IDLE_MAX_MS / 2);
    await model.step(release);
    await vi.advanceTimersByTimeAsync(IDLE_MAX_MS / 2);
    expect(model.alive.size).toBe(1);
    await vi.advanceTimersByTimeAsync(IDLE_MAX_MS / 2);
    expect(model.alive.size).toBe(0);
  });

  test('ignores what is given back twice, or was discarded', async () => {
    const model = await play({ total: 1 }, [acquire(0), open]);
    const [connection] = model.held;
    if (connection === undefined) throw new Error('nothing was opened');
    model.pools[0]?.discard(connection);
    model.pools[0]?.discard(connection);
    model.pools[0]?.release(connection);
    model.held.length = 0;
    await model.step(acquire(0));
    await model.step(open);
    expect(model.alive.size).toBe(1);
    await model.settle();
  });
});

describe('pools of one endpoint', () => {
  test('pass on the slot of a connection that is idle', async () => {
    const model = await play({ total: 1 }, [acquire(0), open, release, wait(99), acquire(1), open]);
    expect(outcomes(model)).toEqual(['served', 'served']);
    expect([...model.alive].map(({ pool }) => pool)).toEqual([1]);
  });

  test('do not end each other with every call when both always wait', async () => {
    const model = await play({ total: 1 }, [acquire(0), open]);
    model.acquire(0);
    model.acquire(1);
    const served = [0, 0];
    for (let ms = 0; ms < 1000; ms += 1) {
      const [connection] = model.held;
      await model.step(release);
      if (connection !== undefined) {
        served[connection.pool] = (served[connection.pool] ?? 0) + 1;
        model.acquire(connection.pool);
      }
      while (model.openings.length > 0) await model.step(open);
      await model.step(wait(1));
    }
    expect(model.made).toBeLessThanOrEqual(1000 / MOVE_EVERY_MS + 2);
    // And both get their share.
    expect(Math.min(...served)).toBeGreaterThan(300);
  });

  test('do not end each other with every call when they take turns', async () => {
    const model = await play({ total: 1 }, [acquire(0), open, release]);
    for (let ms = 0; ms < 1000; ms += 1) {
      const waits = model.asked.some(({ outcome }) => outcome === 'waits');
      if (!waits) model.acquire(ms % 2);
      while (model.openings.length > 0) await model.step(open);
      await model.step(release);
      await model.step(wait(1));
    }
    expect(model.made).toBeLessThanOrEqual(1000 / MOVE_EVERY_MS + 2);
  });

  test('pass on the slot of a connection that was just used within 50 ms', async () => {
    const turns = [acquire(0), open, release, acquire(1), open, release];
    const model = await play({ total: 1 }, [...turns, acquire(0)]);
    expect(model.openings).toHaveLength(0);
    await model.step(wait(MOVE_EVERY_MS));
    expect(model.openings).toHaveLength(1);
  });

  test('wait until the backend has let go of a connection before they open the next', async () => {
    const model = new PoolModel({ total: 1, production: 1, development: 1 }, true);
    for (const step of [acquire(0), open, acquire(1), release]) await model.step(step);
    expect([model.closings.length, model.openings.length]).toEqual([1, 0]);
    await model.step({ does: 'closed', pick: 0 });
    expect([model.closings.length, model.openings.length]).toEqual([0, 1]);
    await model.step(open);
    expect(outcomes(model)).toEqual(['served', 'served']);
  });

  test('wait no longer than a second for a backend that does not let go', async () => {
    const model = new PoolModel({ total: 1, production: 1, development: 1 }, true);
    for (const step of [acquire(0), open, acquire(1), release]) await model.step(step);
    model.closings.length = 0;
    await vi.advanceTimersByTimeAsync(CLOSING_MAX_MS);
    expect(model.openings).toHaveLength(1);
  });

  test('keep each profile within its own cap', async () => {
    const model = await play({ total: 3, development: 1 }, [
      acquire(2),
      acquire(2),
      acquire(0),
      acquire(0),
      acquire(0),
      open,
      open,
      open,
    ]);
    expect(outcomes(model)).toEqual(['served', 'waits', 'served', 'served', 'waits']);
  });

  test('end idle connections at once when the caps are lowered', async () => {
    const model = await play({ total: 2 }, [acquire(0), acquire(0), open, open, release, release]);
    model.slots.caps = { total: 1, production: 0, development: 0 };
    expect(model.alive.size).toBe(1);
  });

  test('close without failing those who still wait', async () => {
    const model = await play({ total: 1 }, [acquire(0), open, acquire(0)]);
    const closed = vi.fn();
    void model.pools[0]?.close().then(closed);
    await model.step(release);
    expect(outcomes(model)).toEqual(['served', 'served']);
    expect(closed).not.toHaveBeenCalled();
    await model.step(release);
    expect(closed).toHaveBeenCalled();
    expect(model.alive.size).toBe(0);
  });
});
