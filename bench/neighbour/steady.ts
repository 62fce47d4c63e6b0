/** A tenant that reads steadily, and a probe of the thread that serves everybody. */
import type { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { agent, type Call, send, type Tenant } from './tenants.ts';

/** How long requests took, in milliseconds. */
export interface Latencies {
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
  /** Those that were not answered with 200. */
  readonly failed: number;
}

/** What a tenant saw for some time. */
export interface Seen {
  readonly reads: Latencies;
  /** Of requests that do nothing: the longest is how long the thread was held. */
  readonly probes: Latencies;
}

const READ_EVERY_MS = 20;
const PROBE_EVERY_MS = 10;
/** Requests that wait at once; while there are as many, none is sent, and those that should have been count as late. */
const WAITING_MAX = 50;

const PROBE: Call = { method: 'GET', path: '/healthz', authorization: '' };

/** Reads and probes at a steady pace for so long, then waits for the last reply. */
export async function watch(tenant: Tenant, read: Call, seconds: number): Promise<Seen> {
  const over = agent();
  try {
    const [reads, probes] = await Promise.all([
      pace({ tenant, call: read, over, everyMs: READ_EVERY_MS, seconds }),
      pace({ tenant, call: PROBE, over, everyMs: PROBE_EVERY_MS, seconds }),
    ]);
    return { reads, probes };
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
}

/** Each request counts from when it was due, not from when it could be sent. */
async function pace({ tenant, call, over, everyMs, seconds }: Pace): Promise<Latencies> {
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
        latencies.push(performance.now() - due);
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
