/** A tenant that reads steadily, and a probe of the thread that serves everybody. */
import type { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { agent, type Call, send, type Tenant } from './tenants.ts';

/** How long requests took, in milliseconds. */
interface Latencies {
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
  /** Those that were not answered with 200. */
  readonly failed: number;
}

/** What a tenant saw for some time. */
export interface Seen {
  readonly reads: Latencies;
  /** Of requests that do nothing, from the first on: the longest is how long the thread was held. */
  readonly probes: Latencies;
}

const READ_EVERY_MS = 20;
const PROBE_EVERY_MS = 10;
/** Requests that wait at once; while there are as many, none is sent, and those that should have been count as late. */
const WAITING_MAX = 50;

/** What a probe finds when the thread is quiet, and for how long it has to: milliseconds. */
const [QUIET_MS, QUIET_FOR_MS] = [5, 500];
/** Milliseconds for which that is waited for. */
const QUIET_WITHIN_MS = 20_000;

const PROBE: Call = { method: 'GET', path: '/healthz', authorization: '' };

/**
 * Reads and probes at a steady pace for so long, then waits for the last reply.
 * @param warmUp seconds at the beginning whose reads do not count: connections are made, code is compiled
 */
export async function watch(
  tenant: Tenant,
  read: Call,
  { seconds, warmUp = 0 }: { readonly seconds: number; readonly warmUp?: number },
): Promise<Seen> {
  const over = agent();
  try {
    const [reads, probes] = await Promise.all([
      pace({ tenant, call: read, over, everyMs: READ_EVERY_MS, seconds, warmUp }),
      pace({ tenant, call: PROBE, over, everyMs: PROBE_EVERY_MS, seconds, warmUp: 0 }),
    ]);
    return { reads, probes };
  } finally {
    over.destroy();
  }
}

/** Waits until the thread has been quiet for half a second, or 20 s. Answers whether it has. */
export async function quiet(tenant: Tenant): Promise<boolean> {
  const over = agent();
  const began = performance.now();
  let since = began;
  try {
    for (;;) {
      const sent = performance.now();
      await send(tenant, PROBE, over);
      const now = performance.now();
      if (now - sent >= QUIET_MS) since = now;
      if (now - since >= QUIET_FOR_MS) return true;
      if (now - began >= QUIET_WITHIN_MS) return false;
      await sleep(PROBE_EVERY_MS);
    }
  } finally {
    over.destroy();
  }
}

interface Pace {
  readonly tenant: Tenant;
  readonly call: Call;
  readonly over: Agent;
  readonly everyMs: number;
  readonly seconds: number;
  readonly warmUp: number;
}

/** Each request counts from when it was due, not from when it could be sent. */
async function pace({ tenant, call, over, everyMs, seconds, warmUp }: Pace): Promise<Latencies> {
  const latencies: number[] = [];
  const waiting = new Set<Promise<void>>();
  let failed = 0;
  const started = performance.now();
  for (let due = started; due < started + seconds * 1000; due += everyMs) {
    const early = due - performance.now();
    if (early > 0) await sleep(early);
    while (waiting.size >= WAITING_MAX) await Promise.race(waiting);
    const answered = send(tenant, call, over)
      .then(({ status }) => {
        if (status !== 200) failed += 1;
      })
      .catch(() => {
        failed += 1;
      })
      .finally(() => {
        if (due >= started + warmUp * 1000) latencies.push(performance.now() - due);
        waiting.delete(answered);
      });
    waiting.add(answered);
  }
  await Promise.all(waiting);
  return { ...sharesOf(latencies), failed };
}

function sharesOf(latencies: readonly number[]) {
  const sorted = latencies.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99), longest: sorted.at(-1) ?? Number.NaN };
}
