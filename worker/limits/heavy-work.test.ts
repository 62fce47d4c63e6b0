/** What one organization's large work leaves to others. */
import { describe, expect, test } from 'vitest';
import {
  arrived,
  inItsTurn,
  mayGoOn,
  mayStore,
  type Owner,
  passed,
  tookMore,
  wentOn,
} from './heavy-work.ts';

const MIB = 1024 * 1024;

const organization = (): Owner =>
  ({ address: '', caller: { orgUuid: crypto.randomUUID() } }) as unknown as Owner; // All that is looked at.

function busy(ms: number): number {
  const started = performance.now();
  while (performance.now() - started < ms);
  return performance.now();
}

describe('one part of work on much', () => {
  test("is followed by a rest before another's begins, and one on little is done at once", async () => {
    const ended = await inItsTurn(organization(), MIB, () => busy(40));
    const little = inItsTurn(organization(), 100, () => performance.now());
    expect(little).toBeTypeOf('number');
    const began = await inItsTurn(organization(), MIB, () => performance.now());
    expect(began - ended).toBeGreaterThan(50);
  });

  test('fails as it fails', async () => {
    const work = () => {
      throw new Error('broken');
    };
    await expect(inItsTurn(organization(), MIB, work)).rejects.toThrow('broken');
  });
});

describe('work that took longer than was told of it', () => {
  test('is paid for once that is seen, up to five times what was told', async () => {
    const waits = async (tookMs: number) => {
      const of = organization();
      await scheduler.wait(0);
      const ended = performance.now();
      wentOn(of, 40);
      tookMore(of, ended - tookMs, 40);
      await mayGoOn(of, true);
      return performance.now() - ended;
    };
    // The rest after 40, and after 200: one and a half times that, from its end on.
    expect(await waits(0)).toBeGreaterThan(50);
    expect(await waits(200)).toBeGreaterThan(270);
    // That it was stopped for long is nobody's work.
    expect(await waits(100_000)).toBeLessThan(1_000);
  });
});

describe('what is stored', () => {
  test('is paid for before: one after another, of all organizations', async () => {
    const began: number[] = [];
    const stored = [organization(), organization(), organization()].map(async (of) => {
      await mayStore(of, MIB);
      began.push(performance.now());
    });
    await Promise.all(stored);
    const gaps = began.slice(1).map((at, index) => at - (began[index] ?? at));
    expect(gaps.map((gap) => gap > 45)).toEqual([true, true]);
  });

  test('is not refused, however much waits', async () => {
    const of = organization();
    const stored = await Promise.allSettled(
      Array.from({ length: 12 }, () => mayStore(of, MIB / 8)),
    );
    expect(stored.map(({ status }) => status)).toEqual(stored.map(() => 'fulfilled'));
  });

  test('costs nothing where it is little', async () => {
    const of = organization();
    await mayStore(of, MIB);
    const started = performance.now();
    await mayStore(of, 1_000);
    expect(performance.now() - started).toBeLessThan(20);
  });
});

describe('bytes that pass', () => {
  async function waited(of: Owner): Promise<number> {
    const began = performance.now();
    for (let part = 0; part < 4; part += 1) await passed(of, MIB);
    return performance.now() - began;
  }

  test('wait for nothing while no other request comes, and leave room from when one does', async () => {
    const { signal } = new AbortController();
    const of = { ...organization(), signal };
    arrived({ signal });
    await scheduler.wait(300);
    expect(await waited(of)).toBeLessThan(10);
    arrived(new AbortController());
    expect(await waited(of)).toBeGreaterThan(30);
    await scheduler.wait(300);
    expect(await waited(of)).toBeLessThan(10);
  });
});
