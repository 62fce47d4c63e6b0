/**
 * What an isolate counts of its requests, in Prometheus's text format. The library that relays use
 * needs Node's own modules; docs/decisions/ says more.
 */
import type { Timing } from './outcome.ts';

/** Seconds; the longest deadline is 300. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 300];

/** Media type of the text. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** A metric as `/metrics` shows it. */
interface Shown {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
}

/** Every metric of the gateway. */
export const METRICS = {
  gateway_requests_total: { type: 'counter', help: 'Requests that were answered.' },
  gateway_request_duration_seconds: {
    type: 'histogram',
    help: 'Time from a request until the head of its reply.',
  },
  gateway_request_part_seconds: {
    type: 'histogram',
    help: 'Time of a part of a request on an endpoint: rights, relay and backend, backend.',
  },
  gateway_failures_total: { type: 'counter', help: 'Requests that failed, by the code told.' },
  gateway_requests_in_flight: { type: 'gauge', help: 'Requests without a reply yet.' },
  gateway_started_time_seconds: {
    type: 'gauge',
    help: 'When the isolate answered its first request, since the Unix epoch.',
  },
} as const satisfies Readonly<Record<string, Shown>>;

/** One histogram of one set of labels. */
class Histogram {
  /** By bucket, each without those below it; one more for what is above all. */
  readonly counts = new Array<number>(BUCKETS.length + 1).fill(0);
  sum = 0;

  observe(seconds: number): void {
    let at = 0;
    while (at < BUCKETS.length && seconds > (BUCKETS[at] ?? 0)) at += 1;
    this.counts[at] = (this.counts[at] ?? 0) + 1;
    this.sum += seconds;
  }

  /** @param labels as text, without braces */
  lines(name: string, labels: string): string[] {
    let total = 0;
    const buckets = this.counts.map((count, at) => {
      total += count;
      return `${name}_bucket{${labels},le="${BUCKETS[at] ?? '+Inf'}"} ${total}`;
    });
    return [...buckets, `${name}_sum{${labels}} ${this.sum}`, `${name}_count{${labels}} ${total}`];
  }
}

/** What is known of a request that has its reply. */
export interface Answered {
  /** Of a route; any other path of any method is `other`. */
  readonly method: string;
  /** The route's path, with the names of its parameters. */
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
  /** The error's code, if it failed. */
  readonly code?: string | undefined;
  readonly timing?: Timing | undefined;
}

/** The counters of one isolate. Labels have few values: never an id or a text of a client. */
export class RequestMetrics {
  readonly #totals = new Map<string, number>();
  readonly #durations = new Map<string, Histogram>();
  readonly #parts = new Map<string, Histogram>();
  readonly #failures = new Map<string, number>();
  #inFlight = 0;
  #startedMs = 0;

  begin(now: number): void {
    this.#inFlight += 1;
    this.#startedMs ||= now;
  }

  end(): void {
    this.#inFlight -= 1;
  }

  count({ method, route, status, seconds, code, timing }: Answered): void {
    const labels = `method="${method}",route="${route}"`;
    add(this.#totals, `${labels},status="${status}"`);
    histogramOf(this.#durations, labels).observe(seconds);
    if (code !== undefined) add(this.#failures, `code="${code}"`);
    for (const [part, ms] of Object.entries(timing ?? {})) {
      // A node says how long its backend took, and may say anything: no part is longer than the whole.
      if (ms >= 0) histogramOf(this.#parts, `part="${part}"`).observe(Math.min(ms / 1000, seconds));
    }
  }

  /** The text of all. */
  text(): string {
    const values: Readonly<Record<keyof typeof METRICS, string[]>> = {
      gateway_requests_total: linesOf('gateway_requests_total', this.#totals),
      gateway_request_duration_seconds: histogramLines(
        'gateway_request_duration_seconds',
        this.#durations,
      ),
      gateway_request_part_seconds: histogramLines('gateway_request_part_seconds', this.#parts),
      gateway_failures_total: linesOf('gateway_failures_total', this.#failures),
      gateway_requests_in_flight: [`gateway_requests_in_flight ${this.#inFlight}`],
      gateway_started_time_seconds: [`gateway_started_time_seconds ${this.#startedMs / 1000}`],
    };
    const shown = Object.entries(METRICS).flatMap(([name, { type, help }]) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${type}`,
      ...(values[name as keyof typeof METRICS] ?? []), // Its own keys.
    ]);
    return `${shown.join('\n')}\n`;
  }
}

/** Those of this isolate. */
export const requestMetrics = new RequestMetrics();

function add(counts: Map<string, number>, labels: string): void {
  counts.set(labels, (counts.get(labels) ?? 0) + 1);
}

function histogramOf(all: Map<string, Histogram>, labels: string): Histogram {
  let known = all.get(labels);
  if (known === undefined) {
    known = new Histogram();
    all.set(labels, known);
  }
  return known;
}

function linesOf(name: string, counts: ReadonlyMap<string, number>): string[] {
  return [...counts].map(([labels, count]) => `${name}{${labels}} ${count}`);
}

function histogramLines(name: string, all: ReadonlyMap<string, Histogram>): string[] {
  return [...all].flatMap(([labels, histogram]) => histogram.lines(name, labels));
}
