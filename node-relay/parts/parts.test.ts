/** A relay of several processes: what ends one of them leaves the others, and it is back at once. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  keyFor,
  type RunningParts,
  runs,
  slowness,
  startParts,
  until,
} from './test/running-relay.ts';

/** Relays start, and some of their processes many times. */
vi.setConfig({ testTimeout: 180_000 });

let relay: RunningParts | undefined;
afterEach(async () => {
  await relay?.stop('SIGKILL');
  relay = undefined;
});

/** Between two reads of one key, in milliseconds. */
const READ_PAUSE_MS = 5;
const ANSWER = expect.stringContaining('answered');

/** Reads of a key, one after another, until they are stopped; what each ended with. */
function readAllTheTime({ get }: RunningParts, key: string) {
  const outcomes: unknown[] = [];
  let on = true;
  const reading = (async () => {
    while (on) {
      outcomes.push(await get(key).catch((cause: unknown) => cause));
      // The machine has other things to do, too.
      await sleep(READ_PAUSE_MS);
    }
  })();
  return async () => {
    on = false;
    await reading;
    return { reads: outcomes.length, failed: outcomes.filter((one) => typeof one !== 'string') };
  };
}

/** How long the machine takes for what an idle one does in so many milliseconds. */
function atMost(ms: number): number {
  const slow = slowness();
  return slow < 1.2 ? ms : ms * slow * 2;
}

/** Milliseconds until calls of the key are answered. */
async function msUntilAnswered({ get }: Pick<RunningParts, 'get'>, key: string): Promise<number> {
  const started = performance.now();
  await until(() => get(key).catch(() => undefined));
  return performance.now() - started;
}

/** Waits until the log says how a part ended: it comes by a pipe, in its own time. */
async function untilSaid({ lines }: RunningParts, how: string): Promise<void> {
  await until(() => lines.some((line) => line.how === how));
}

/** The process of a part that is there: one that answers may not have said yet that it is another. */
async function livingPid({ pidOf }: RunningParts, part: string): Promise<number> {
  await until(() => runs(pidOf(part)));
  return pidOf(part);
}

/** Milliseconds until a process is gone. */
async function msUntilGone(pid: number): Promise<number> {
  const started = performance.now();
  await until(() => !runs(pid));
  return performance.now() - started;
}

describe('a part that is killed', () => {
  test('is back within a second from the start on, ten times in a row, and no call of the other part fails', async () => {
    relay = await startParts();
    const stop = readAllTheTime(relay, keyFor(1));
    const late: number[] = [];
    for (let death = 0; death < 10; death += 1) {
      const dead = await livingPid(relay, '0');
      process.kill(dead, 'SIGKILL');
      await msUntilGone(dead);
      // Another each time: who is there twice gets a part of their own.
      const ms = await msUntilAnswered(relay, keyFor(0));
      // How slow the machine is differs from one death to the next.
      if (ms >= atMost(1_000)) late.push(ms);
    }
    const { reads, failed } = await stop();
    expect(failed).toEqual([]);
    expect(reads).toBeGreaterThan(50);
    expect(late).toEqual([]);
  });

  test('breaks off the calls that it had, and answers those that it had not seen', async () => {
    relay = await startParts();
    const key = keyFor(0);
    const held = relay.outcome(key, '/held');
    await until(() => relay?.backend.held() === 1);
    process.kill(relay.pidOf('0'), 'SIGKILL');
    // No code of ours: nobody knows whether it ran.
    expect(await held).toMatchObject({ code: undefined });
    const outcomes = new Set<unknown>();
    await until(async () => {
      const outcome = await relay?.outcome(key);
      outcomes.add(typeof outcome === 'object' ? outcome.code : outcome);
      return outcome === 'answered';
    });
    expect([...outcomes].filter((one) => one !== 'NODE_UNAVAILABLE')).toEqual(['answered']);
  });
});

describe('a part that does not answer its supervisor', () => {
  test.each(['spins', 'is stopped'])('because it %s is gone within two seconds', async (how) => {
    relay = await startParts();
    const [key, neighbour] = [keyFor(0), keyFor(1)];
    await Promise.all([relay.get(key), relay.get(neighbour)]);
    const stop = readAllTheTime(relay, neighbour);
    const pid = relay.pidOf('0');
    if (how === 'spins') relay.fault(pid, 'spin');
    else process.kill(pid, 'SIGSTOP');
    expect(await msUntilGone(pid)).toBeLessThan(atMost(2_000));
    expect(await msUntilAnswered(relay, key)).toBeLessThan(atMost(1_000));
    expect((await stop()).failed).toEqual([]);
    await untilSaid(relay, 'it was blocked');
  });

  test('while it waits to stand in is gone within two seconds', async () => {
    relay = await startParts();
    const pid = await until(() => relay?.lines.find(isStandBy)?.pid);
    process.kill(pid, 'SIGSTOP');
    expect(await msUntilGone(pid)).toBeLessThan(atMost(2_000));
    await until(() => relay?.lines.some((line) => isStandBy(line) && line.pid !== pid));
  });
});

function isStandBy({ message }: { readonly message: string }): boolean {
  return message === 'relay part stands by';
}

test('a part that holds too much memory is ended', async () => {
  relay = await startParts({ RELAY_PART_MEMORY_MB: '300' });
  const pid = relay.pidOf('0');
  relay.fault(pid, 'hold');
  expect(await msUntilGone(pid)).toBeLessThan(atMost(5_000));
  await msUntilAnswered(relay, keyFor(0));
  await untilSaid(relay, 'it held too much memory');
});

test('whose calls take a part its memory loses these calls, and nobody else any', async () => {
  relay = await startParts({ RELAY_PART_MEMORY_MB: '700' });
  const [hostile, neighbour] = [keyFor(0), keyFor(0)];
  await relay.get(neighbour);
  const stop = readAllTheTime(relay, neighbour);
  const endpoints = Array.from({ length: 7 }, () => crypto.randomUUID());
  const codes = new Set<unknown>();
  for (const endpoint of endpoints.flatMap((each) => Array.from({ length: 8 }, () => each))) {
    // Those that begin after the others were ended wait until the relay goes.
    relay.outcome(hostile, '/large', endpoint).then(
      (outcome) => codes.add(typeof outcome === 'object' ? outcome.code : outcome),
      () => {},
    );
  }
  await until(() => codes.has('SERVICE_UNAVAILABLE'));
  expect((await stop()).failed).toEqual([]);
  expect([...codes]).toEqual(['SERVICE_UNAVAILABLE']);
  expect(relay.lines.filter(({ message }) => message.startsWith('relay part ended'))).toEqual([]);
});

test('what a part throws outside of any call ends that part alone', async () => {
  relay = await startParts();
  const [key, neighbour] = [keyFor(0), keyFor(1)];
  const stop = readAllTheTime(relay, neighbour);
  relay.fault(relay.pidOf('0'), 'throw');
  await until(() => relay?.lines.some(({ message }) => message === 'relay part failed'));
  await msUntilAnswered(relay, key);
  expect((await stop()).failed).toEqual([]);
});

describe('who was there at two deaths', () => {
  /** Kills the part of index 0 twice while the key has a call in it. */
  async function dieTwice(running: RunningParts, key: string): Promise<void> {
    for (let death = 0; death < 2; death += 1) {
      const held = running.outcome(key, '/held');
      await until(() => running.backend.held() === 1);
      const dead = running.pidOf('0');
      process.kill(dead, 'SIGKILL');
      await held;
      running.backend.release();
      await until(() => running.pidOf('0') !== dead);
    }
  }

  test('gets a part of its own, and ends nobody else from then on', async () => {
    relay = await startParts();
    const [hostile, neighbour] = [keyFor(0), keyFor(0)];
    await dieTwice(relay, hostile);
    const own = await until(() => relay?.pidOf('own-1') || undefined);
    const stop = readAllTheTime(relay, neighbour);
    const held = relay.outcome(hostile, '/held');
    await until(() => relay?.backend.held() === 1);
    process.kill(own, 'SIGKILL');
    // It ran in its own part: the connection breaks off with it.
    expect(await held).toMatchObject({ code: undefined });
    await msUntilAnswered(relay, hostile);
    expect(relay.pidOf('own-1')).not.toBe(own);
    expect((await stop()).failed).toEqual([]);
  });

  test('loses no call when the part that all share dies, and is told so there', async () => {
    relay = await startParts();
    const key = keyFor(0);
    await dieTwice(relay, key);
    await until(() => relay?.pidOf('own-1') || undefined);
    const held = relay.get(key, '/held');
    await until(() => relay?.backend.held() === 1);
    const stop = readAllTheTime(relay, key);
    const dead = relay.pidOf('0');
    process.kill(dead, 'SIGKILL');
    await until(() => relay?.pidOf('0') !== dead);
    relay.backend.release();
    expect(await held).toEqual(ANSWER);
    expect((await stop()).failed).toEqual([]);
    expect(await relay.atSocket('0', key)).toMatchObject({ code: 'SERVED_ELSEWHERE' });
    expect(await relay.atSocket('0', keyFor(0))).toBe('answered');
  });

  test('is served by the shared part until its own listens', async () => {
    relay = await startParts();
    const key = keyFor(0);
    await dieTwice(relay, key);
    const outcomes: unknown[] = [];
    while (relay.pidOf('own-1') === 0) {
      const outcome = await relay.outcome(key);
      if (relay.pidOf('own-1') === 0) outcomes.push(outcome);
    }
    // None where their own part was there before the shared one was again.
    expect(outcomes.filter((one) => one !== 'answered')).toEqual([]);
    expect(await relay.outcome(key)).toBe('answered');
  });
});

describe('a relay', () => {
  test('tells of all parts together', async () => {
    relay = await startParts();
    const [one, other] = [keyFor(0), keyFor(1)];
    await Promise.all([relay.get(one), relay.get(other)]);
    await expect.poll(async () => (await relay?.client.status({}))?.pools).toBe(2);
    const metrics = await (await fetch(`${relay.baseUrl}/metrics`)).text();
    expect(metrics).toMatch(/^relay_calls_total\{method="Run",kind="http",code="OK"\} 2$/m);
    expect(metrics).toMatch(/^relay_parts 2$/m);
    // What the dead had counted stays counted.
    process.kill(relay.pidOf('0'), 'SIGKILL');
    await msUntilAnswered(relay, one);
    const after = await (await fetch(`${relay.baseUrl}/metrics`)).text();
    expect(after).toMatch(/^relay_calls_total\{method="Run",kind="http",code="OK"\} [34]$/m);
    expect(after).toMatch(/^relay_part_deaths_total\{cause="SIGKILL"\} 1$/m);
  });

  test('that stops finishes what is in flight, and leaves no process', async () => {
    relay = await startParts();
    const pids = [relay.pidOf('0'), relay.pidOf('1')];
    const held = relay.get(keyFor(0), '/held');
    await until(() => relay?.backend.held() === 1);
    relay.child.kill('SIGTERM');
    await until(() => relay?.lines.some(({ message }) => message === 'relay draining'));
    await sleep(300);
    expect(await relay.outcome(keyFor(0))).toMatchObject({ code: 'NODE_UNAVAILABLE' });
    relay.backend.release();
    expect(await held).toEqual(ANSWER);
    expect(await relay.stop()).toEqual({ code: 0 });
    expect(pids.filter(runs)).toEqual([]);
  });

  test.each(['SIGTERM', 'SIGKILL'] as const)(
    'ended by %s while a part spins leaves no process after five seconds',
    async (signal) => {
      relay = await startParts();
      const pids = [relay.pidOf('0'), relay.pidOf('1')];
      relay.fault(relay.pidOf('0'), 'spin');
      await sleep(100);
      const started = performance.now();
      await relay.stop(signal);
      await until(() => !pids.some(runs));
      expect(performance.now() - started).toBeLessThan(atMost(5_000));
    },
  );
});
