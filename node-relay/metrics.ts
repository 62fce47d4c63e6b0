/** What the relay counts, in Prometheus's text format at `/metrics`. */
import { calculateJwkThumbprint, type JWK } from 'jose';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { KeyConfig } from './config.ts';
import type { Queued } from './pools.ts';
import type { QueueEvents } from './slots.ts';

/** Seconds of a call; its longest deadline is 300. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 300];

/** What is read off the node when it is asked for its metrics. */
interface Figures {
  readonly pools: number;
  readonly connections: number;
  readonly queued: readonly Queued[];
  readonly sessions: number;
  readonly keptBytes: number;
  readonly callsInFlight: number;
}

/** The node's counters. Labels have few values: never an endpoint, an organization or a text of a client. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #calls: Counter<'method' | 'kind' | 'code'>;
  readonly #durations: Histogram<'method' | 'kind'>;
  /** Children by their labels: finding one in the library costs more than counting. */
  readonly #children = new Map<string, { count(): void; observe(seconds: number): void }>();
  readonly verifications: Counter;
  readonly #keys: Gauge<'use' | 'id'>;
  readonly #waits: Histogram<'kind'>;
  readonly #refusals: Counter<'kind' | 'cause'>;

  constructor(figures: () => Figures) {
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    this.#calls = new Counter({
      name: 'relay_calls_total',
      help: 'Calls that have ended, by the code they ended with.',
      labelNames: ['method', 'kind', 'code'],
      registers,
    });
    this.#durations = new Histogram({
      name: 'relay_call_duration_seconds',
      help: 'Time from a call until its reply was handed over.',
      labelNames: ['method', 'kind'],
      buckets: BUCKETS,
      registers,
    });
    this.verifications = new Counter({
      name: 'relay_token_verifications_total',
      help: 'Signatures of call tokens that were verified.',
      registers,
    });
    this.#keys = new Gauge({
      name: 'relay_keys',
      help: 'Processes that use the key, by its use and the thumbprint of its public half.',
      labelNames: ['use', 'id'],
      registers,
    });
    this.#gauge('relay_pools', 'Pools open.', () => figures().pools);
    this.#gauge('relay_backend_connections', 'Connections open.', () => figures().connections);
    this.#waits = new Histogram({
      name: 'relay_pool_wait_seconds',
      help: 'Time in the queue of calls that had to wait for a connection.',
      labelNames: ['kind'],
      buckets: BUCKETS,
      registers,
    });
    this.#refusals = new Counter({
      name: 'relay_pool_refusals_total',
      help: 'Calls refused because the queue was full or their time in it was over.',
      labelNames: ['kind', 'cause'],
      registers,
    });
    this.#queueGauges(() => figures().queued);
    this.#gauge('relay_sessions', 'Sessions open.', () => figures().sessions);
    this.#gauge('relay_kept_bytes', 'Bytes of results to be collected.', () => figures().keptBytes);
    this.#gauge('relay_calls_in_flight', 'Calls in flight.', () => figures().callsInFlight);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  /** As what `AggregatorRegistry` of the library puts together. */
  values(): Promise<Record<string, unknown>[]> {
    return this.#registry.getMetricsAsJSON().then((all) => all.map((each) => ({ ...each })));
  }

  /** Says which keys are in use. RFC 7638. */
  async tellKeys({ nodeKey, previousNodeKey, gatewayKeys }: KeyConfig): Promise<void> {
    const id = ({ kty = '', crv = '', x = '', y }: JWK) =>
      calculateJwkThumbprint({ kty, crv, x, ...(y !== undefined && { y }) });
    const nodeKeys = previousNodeKey === undefined ? [nodeKey] : [nodeKey, previousNodeKey];
    const [node, gateway] = await Promise.all([
      Promise.all(nodeKeys.map(id)),
      Promise.all(gatewayKeys.map(id)),
    ]);
    this.#keys.reset();
    for (const each of node) this.#keys.set({ use: 'node', id: each }, 1);
    for (const each of gateway) this.#keys.set({ use: 'gateway', id: each }, 1);
  }

  /** Counts a call that has ended. */
  call(method: string, kind: string, code: string, seconds: number): void {
    const key = `${method} ${kind} ${code}`;
    let child = this.#children.get(key);
    if (child === undefined) {
      const counter = this.#calls.labels(method, kind, code);
      const histogram = this.#durations.labels(method, kind);
      child = {
        count: () => counter.inc(),
        observe: (value) => histogram.observe(value),
      };
      this.#children.set(key, child);
    }
    child.count();
    child.observe(seconds);
  }

  /** What tells of the queues of endpoints of a kind. */
  queues(kind: string): QueueEvents {
    const waits = this.#waits.labels(kind);
    return {
      left: (seconds) => waits.observe(seconds),
      refused: (cause) => this.#refusals.inc({ kind, cause }),
    };
  }

  #queueGauges(queued: () => readonly Queued[]): void {
    const registers = [this.#registry];
    new Gauge({
      name: 'relay_waiting_calls',
      help: 'Calls that wait for a connection.',
      labelNames: ['kind', 'profile'],
      registers,
      collect() {
        this.reset();
        for (const { kind, waiting } of queued()) {
          for (const [profile, count] of Object.entries(waiting))
            this.set({ kind, profile }, count);
        }
      },
    });
    new Gauge({
      name: 'relay_longest_queue_calls',
      help: 'Calls that wait for the endpoint for which most wait.',
      labelNames: ['kind'],
      // An endpoint is served by one process.
      aggregator: 'max',
      registers,
      collect() {
        this.reset();
        for (const { kind, longest } of queued()) this.set({ kind }, longest);
      },
    });
  }

  #gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.#registry],
      collect() {
        this.set(read());
      },
    });
  }
}
