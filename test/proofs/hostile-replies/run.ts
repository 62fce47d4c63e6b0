/** One kind's hostile servers, many at a time, against one relay, with a neighbour. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProofOptions, ProofResult } from '../proof.ts';
import { type Outcome, type Recorded, runCase } from './cases.ts';
import type { HostileKind } from './kind.ts';
import { type Neighbour, startNeighbour } from './neighbour.ts';
import { type Recording, record } from './record.ts';
import { startTestedRelay, type TestedRelay } from './relay.ts';

/** Hostile servers at a time; most of the time they are waited for. In a small run fewer, alongside other tests. */
const AT_ONCE = 40;
const SMALL = { count: 1_000, atOnce: 16 };
/** No loop of the relay may be held up longer by its own work, in milliseconds. */
const BLOCKED_MAX_MS = 500;
/** The relay's process may hold so many bytes, whatever so many servers send it at once. */
const RSS_MAX_BYTES = 768 * 1024 * 1024;
/** A relay that dies more often is not looked at further. */
const DEATHS_MAX = 5;
/** Connections of calls that have ended are gone by then, in milliseconds. */
const SETTLED_MS = 8_000;

/** Runs `count` cases of one kind. */
export async function runKind(kind: HostileKind, options: ProofOptions): Promise<ProofResult> {
  const server = await kind.start();
  try {
    const relay = await startTestedRelay(kind.kind);
    const recordings: Recording[] = [];
    try {
      for (const call of kind.calls) recordings.push(await record(kind, server, relay, call));
    } finally {
      await relay.stop();
    }
    return await new Run({ kind, server, recordings }, options).all();
  } finally {
    await server.stop();
  }
}

/** A relay with its neighbour. */
interface World {
  readonly relay: TestedRelay;
  readonly neighbour: Neighbour;
}

class Run {
  readonly #recorded: Recorded;
  readonly #options: ProofOptions;
  readonly #faults: string[] = [];
  readonly #figures: Record<string, number> = {};
  #next = 0;

  constructor(recorded: Recorded, options: ProofOptions) {
    this.#recorded = recorded;
    this.#options = options;
  }

  async all(): Promise<ProofResult> {
    const { count } = this.#options;
    for (let deaths = 0; this.#next < count && deaths < DEATHS_MAX; deaths += 1) {
      const suspects = await this.#together();
      for (const at of suspects) await this.#alone(at);
    }
    return { cases: this.#next, faults: this.#faults, figures: this.#figures };
  }

  async #world(): Promise<World> {
    const { kind, server, recordings } = this.#recorded;
    const [first] = recordings;
    if (first === undefined) throw new Error('Nothing was recorded');
    const relay = await startTestedRelay(kind.kind);
    return { relay, neighbour: await startNeighbour(kind, server, relay, first.answer) };
  }

  /** Cases until all have run or the relay has died; answers those that were under way then. */
  async #together(): Promise<readonly number[]> {
    const world = await this.#world();
    const { relay } = world;
    const { seed, count, progress } = this.#options;
    const underWay = new Set<number>();
    const suspects = new Set<number>();
    const worker = async () => {
      while (this.#next < count && relay.health.fatal === undefined) {
        const at = this.#next;
        this.#next += 1;
        underWay.add(at);
        const outcome = await runCase(this.#recorded, relay, seed, at);
        underWay.delete(at);
        if (outcome.answer === 'DIES') suspects.add(at);
        else this.#note(outcome);
        if (at % 1_000 === 999) progress(`${this.#recorded.kind.kind}: ${at + 1} hostile servers`);
      }
    };
    const { atOnce = AT_ONCE } = this.#recorded.kind;
    const length = count < SMALL.count ? Math.min(SMALL.atOnce, atOnce) : atOnce;
    await Promise.all(Array.from({ length }, worker));
    await this.#end(world);
    return [...suspects];
  }

  /** Whether a case by itself is what a relay dies of. */
  async #alone(at: number): Promise<void> {
    const relay = await startTestedRelay(this.#recorded.kind.kind);
    const outcome = await runCase(this.#recorded, relay, this.#options.seed, at);
    // What it left behind may still end it.
    await sleep(100);
    this.#note(outcome);
    const { fatal } = relay.health;
    if (fatal) this.#faults.push(`case ${at} alone ends the relay: ${fatal}`);
    await relay.stop();
  }

  #note({ stage, answer, asked, fault }: Outcome): void {
    const name = asked ? `${stage}: ${answer}` : 'not asked for';
    this.#count(`${this.#recorded.kind.kind} ${name}`, 1);
    if (fault) this.#faults.push(fault);
  }

  async #end({ relay, neighbour }: World): Promise<void> {
    const { kind } = this.#recorded.kind;
    const { health } = relay;
    const left = health.fatal === undefined ? await settled(relay) : 0;
    const failed = await neighbour.stop();
    this.#faults.push(...failed.slice(0, 5));
    if (health.fatal !== undefined) this.#faults.push(`the relay died: ${health.fatal}`);
    // The neighbour has its own.
    if (left > 1) this.#faults.push(`${left} connections are left`);
    if (health.blockedMs > BLOCKED_MAX_MS) {
      this.#faults.push(`the relay's loop was held up for ${Math.round(health.blockedMs)} ms`);
    }
    if (health.rss > RSS_MAX_BYTES) this.#faults.push(`the relay held ${health.rss} bytes`);
    await relay.stop();
    this.#count(`${kind} neighbour's reads`, neighbour.reads);
    this.#most(`${kind} neighbour's slowest read (ms)`, neighbour.slowest);
    this.#most(`${kind} loop held up at most (ms)`, health.blockedMs);
    this.#most(`${kind} memory at most (MiB)`, health.rss / 1_048_576);
  }

  #count(figure: string, more: number): void {
    this.#figures[figure] = (this.#figures[figure] ?? 0) + more;
  }

  #most(figure: string, value: number): void {
    this.#figures[figure] = Math.max(this.#figures[figure] ?? 0, Math.round(value));
  }
}

/** Connections to servers that are left when all calls have ended. */
async function settled(relay: TestedRelay): Promise<number> {
  const until = performance.now() + SETTLED_MS;
  for (;;) {
    const { connections } = await relay.status();
    if (connections <= 1 || performance.now() > until) return connections;
    await sleep(50);
  }
}
