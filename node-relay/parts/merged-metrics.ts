/** Metrics of all parts as those of one relay. */
import { AggregatorRegistry, Counter, Gauge, Registry } from 'prom-client';

/** Counters of ended parts still count; gauges count only running parts. */
const COUNTED = new Set(['counter', 'histogram']);

/** What the supervisor counts, and what parts had reported that have ended since. */
export class MergedMetrics {
  readonly #own = new Registry();
  /** What each part reported last, by its process. */
  readonly #told = new Map<number, readonly object[]>();
  /** What each ended part had counted. */
  #ofEnded: (readonly object[])[] = [];

  /** @param parts how many take calls @param deaths of all so far, by cause */
  constructor(parts: () => number, deaths: ReadonlyMap<string, number>) {
    const registers = [this.#own];
    new Counter({
      name: 'relay_part_deaths_total',
      help: 'Processes of the relay that ended without being told to.',
      labelNames: ['cause'],
      registers,
      collect() {
        this.reset();
        for (const [cause, count] of deaths) this.inc({ cause }, count);
      },
    });
    new Gauge({
      name: 'relay_parts',
      help: 'Processes of the relay that take calls.',
      registers,
      collect() {
        this.set(parts());
      },
    });
  }

  get contentType(): string {
    return this.#own.contentType;
  }

  /** A part has ended. */
  ended(pid: number): void {
    const counted = (this.#told.get(pid) ?? []).filter(
      (metric) => 'type' in metric && COUNTED.has(String(metric.type)),
    );
    this.#told.delete(pid);
    if (counted.length > 0) this.#ofEnded.push(counted);
  }

  /** The text of all. @param parts what each reports now, by its process */
  async text(parts: ReadonlyMap<number, readonly object[]>): Promise<string> {
    for (const [pid, metrics] of parts) this.#told.set(pid, metrics);
    const ended = this.#ofEnded.splice(0);
    if (ended.length > 0)
      this.#ofEnded.unshift(await AggregatorRegistry.aggregate(ended).getMetricsAsJSON());
    const all = [await this.#own.getMetricsAsJSON(), ...this.#ofEnded, ...parts.values()];
    return AggregatorRegistry.aggregate(all).metrics();
  }
}
