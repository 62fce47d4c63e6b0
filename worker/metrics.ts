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
interface MetricHeader {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
}

/** Every metric of the gateway. */
const METRICS = {
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
  gateway_transactions_total: {
    type: 'counter',
    help: 'Transactions over many endpoints that have ended, by how.',
  },
  gateway_requests_in_flight: { type: 'gauge', help: 'Requests without a reply yet.' },
  gateway_started_time_seconds: {
    type: 'gauge',
    help: 'When the isolate answered its first request, since the Unix epoch.',
  },
} as const satisfies Readonly<Record<string, MetricHeader>>;

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

/** Of the requests of one method of a route. */
interface RouteCounts {
  readonly statuses: Map<number, number>;
  readonly durations: Histogram;
}

/** What is known of a request that has its reply. */
interface Answered {
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
  /** By route, and by method: no text is made for each request. */
  readonly #routes = new Map<string, Map<string, RouteCounts>>();
  readonly #parts = new Map<string, Histogram>();
  readonly #failures = new Map<string, number>();
  readonly #transactions = new Map<string, number>();
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
    const { statuses, durations } = this.#countsOf(route, method);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    durations.observe(seconds);
    if (code !== undefined) this.#failures.set(code, (this.#failures.get(code) ?? 0) + 1);
    for (const [part, ms] of Object.entries(timing ?? {})) {
      // A node says how long its backend took, and may say anything: no part is longer than the whole.
      if (ms >= 0) kept(this.#parts, part, histogram).observe(Math.min(ms / 1000, seconds));
    }
  }

  /** @param end how a transaction over many endpoints has ended */
  countTransaction(end: 'committed' | 'rolled_back' | 'mixed' | 'in_doubt'): void {
    this.#transactions.set(end, (this.#transactions.get(end) ?? 0) + 1);
  }

  #countsOf(route: string, method: string): RouteCounts {
    return kept(kept(this.#routes, route, methods), method, routeCounts);
  }

  #routeLines(lines: (labels: string, counts: RouteCounts) => string[]): string[] {
    return [...this.#routes].flatMap(([route, byMethod]) =>
      [...byMethod].flatMap(([method, counts]) =>
        lines(`method="${method}",route="${route}"`, counts),
      ),
    );
  }

  /** The text of all. */
  text(): string {
    const values: Readonly<Record<keyof typeof METRICS, string[]>> = {
      gateway_requests_total: this.#routeLines((labels, { statuses }) =>
        [...statuses].map(
          ([status, count]) => `gateway_requests_total{${labels},status="${status}"} ${count}`,
        ),
      ),
      gateway_request_duration_seconds: this.#routeLines((labels, { durations }) =>
        durations.lines('gateway_request_duration_seconds', labels),
      ),
      gateway_request_part_seconds: [...this.#parts].flatMap(([part, times]) =>
        times.lines('gateway_request_part_seconds', `part="${part}"`),
      ),
      gateway_failures_total: [...this.#failures].map(
        ([code, count]) => `gateway_failures_total{code="${code}"} ${count}`,
      ),
      gateway_transactions_total: [...this.#transactions].map(
        ([end, count]) => `gateway_transactions_total{end="${end}"} ${count}`,
      ),
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

function kept<Key, Value>(all: Map<Key, Value>, key: Key, make: () => Value): Value {
  let known = all.get(key);
  if (known === undefined) {
    known = make();
    all.set(key, known);
  }
  return known;
}

const histogram = () => new Histogram();
const methods = () => new Map<string, RouteCounts>();
const routeCounts = (): RouteCounts => ({ statuses: new Map(), durations: new Histogram() });
