/** Runs cases in batches, and compares the whole state around each batch. */
import type { PostgresKind } from '../../../node-relay/drivers/postgres/test/database.ts';
import type { ProofOptions, ProofResult } from '../proof.ts';
import { type Case, type Cases, isRisky, WAYS } from './cases.ts';
import type { ServerFunction } from './catalog.ts';
import { isForbidden, isNoStatement } from './judge.ts';
import type { Runner, Verdict } from './runner.ts';
import type { Watch } from './state.ts';
import type { World } from './world.ts';

/** Cases between two looks at the state. */
const BATCH = 300;
/** Run again together when a batch changed something. */
const GROUP = 25;
/** Of one batch, so many are named. */
const NAMED_MAX = 5;
const TELL_MS = 5_000;

interface Parts {
  readonly world: World;
  readonly runner: Runner;
  readonly watch: Watch;
  readonly cases: Cases;
}

interface Tried {
  readonly tried: Case;
  readonly verdict: Verdict;
}

/** One run of the proof on one server. */
export class Attack {
  readonly #parts: Parts;
  readonly #options: ProofOptions;
  readonly #direct = new Map<ServerFunction, Verdict>();
  readonly #faults: string[] = [];
  readonly #figures: Record<string, number> = {};
  readonly #byWay = new Map<string, number>();
  #count = 0;

  constructor(parts: Parts, options: ProofOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  /** As many cases as are asked for, each way in turn. */
  async run(): Promise<void> {
    const { count, progress } = this.#options;
    let told = Date.now();
    while (this.#count < count) {
      await this.#batch(Math.min(BATCH, count - this.#count));
      if (Date.now() - told < TELL_MS) continue;
      told = Date.now();
      progress(`${this.#count} of ${count} cases, ${this.#faults.length} faults`);
    }
  }

  /** What was seen. */
  result(kind: PostgresKind): ProofResult {
    this.#tellPassed();
    const unseen = Object.keys(WAYS).filter((way) => !this.#byWay.has(way));
    this.#add('ways that no function can be run by here', unseen.length);
    this.#add('functions tried', this.#direct.size);
    const figures = Object.entries(this.#figures).map(([what, n]) => [`${kind}: ${what}`, n]);
    const faults = this.#faults.map((fault) => `${kind}: ${fault}`);
    return { cases: this.#count, faults, figures: Object.fromEntries(figures) };
  }

  /** For a person to read: what changes nothing by its name alone. */
  #tellPassed(): void {
    const passed = [...this.#direct].flatMap(([called, { is }]) =>
      is !== 'refused' && isRisky(called) ? [called.name] : [],
    );
    const names = [...new Set(passed)].sort().join(' ');
    this.#options.progress(`Functions that may change something and pass: ${names}`);
  }

  async #batch(size: number): Promise<void> {
    const { world, watch } = this.#parts;
    const cases = await this.#prepared(size);
    const before = await watch.state();
    const tried: Tried[] = [];
    for (const each of cases) tried.push({ tried: each, verdict: await this.#try(each) });
    const differences = await watch.differences(before);
    for (const each of tried) await this.#judge(each);
    if (differences.length > 0) await this.#find(tried, differences);
    await world.forget();
  }

  /** Cases whose objects could be made, each function's plain call before. */
  async #prepared(size: number): Promise<Case[]> {
    const { world, cases } = this.#parts;
    const made: Case[] = [];
    const ways = Object.keys(WAYS);
    for (let at = 0; at < size; at += 1) {
      const way = ways[(this.#count + at) % ways.length] ?? '';
      const next = cases.next(way);
      if (!next) continue;
      this.#byWay.set(way, (this.#byWay.get(way) ?? 0) + 1);
      if (!(await world.make(next.setup))) {
        this.#add('objects that the server does not make');
        continue;
      }
      if (!this.#direct.has(next.called)) {
        const direct = cases.direct(next.called);
        if (direct) made.push(direct);
        this.#direct.set(next.called, { is: 'failed', code: '', message: 'not tried' });
      }
      made.push(next);
    }
    this.#count += size;
    return made;
  }

  async #try(tried: Case): Promise<Verdict> {
    const verdict = await this.#parts.runner.run(tried);
    if (tried.way === 'direct') this.#direct.set(tried.called, verdict);
    const how = isRisky(tried.called) ? 'may change something' : 'harmless';
    this.#add(`${verdict.is}, of functions ${how}`);
    return verdict;
  }

  /** Verdicts agree over ways. */
  async #judge({ tried, verdict }: Tried): Promise<void> {
    if (verdict.is === 'refused' || !isForbidden(tried, this.#direct.get(tried.called))) return;
    if (verdict.is === 'failed' && (await isNoStatement(this.#parts.world.outside, tried))) {
      this.#add('no statement to the server');
      return;
    }
    const how = verdict.is === 'failed' ? `${verdict.code} ${verdict.message}` : 'it ran';
    this.#faults.push(`not refused (${how}): ${described(tried)}`);
  }

  /** Runs the cases of a batch again, in groups and then alone, to find what made the difference. */
  async #find(batch: readonly Tried[], differences: readonly string[]): Promise<void> {
    const ran = batch.filter(({ verdict }) => verdict.is !== 'refused').map(({ tried }) => tried);
    const found: string[] = [];
    for (let at = 0; at < ran.length && found.length < NAMED_MAX; at += GROUP) {
      const group = ran.slice(at, at + GROUP);
      if ((await this.#changesOf(group)).length === 0) continue;
      for (const each of group) {
        const own = await this.#changesOf([each]);
        if (own.length > 0) found.push(`changed ${own.join('; ')}: ${described(each)}`);
      }
    }
    this.#faults.push(...found.slice(0, NAMED_MAX));
    if (found.length > 0) return;
    const names = new Set(
      ran.filter(({ called }) => isRisky(called)).map(({ called }) => called.name),
    );
    this.#faults.push(`changed once, by one of ${[...names].join(' ')}: ${differences.join('; ')}`);
  }

  async #changesOf(cases: readonly Case[]): Promise<string[]> {
    const { watch, runner } = this.#parts;
    const before = await watch.state();
    for (const each of cases) await runner.run(each);
    return watch.differences(before);
  }

  #add(what: string, by = 1): void {
    this.#figures[what] = (this.#figures[what] ?? 0) + by;
  }
}

function described({ way, channel, setup, query, params }: Case): string {
  const values = params.length === 0 ? '' : ` with ${JSON.stringify(params)}`;
  const made = setup.length === 0 ? '' : `; made before: ${setup.join('; ')}`;
  return `[${way}, ${channel}] ${query}${values}${made}`;
}
