/** Touches planted functions through the driver, and looks at what the next caller finds. */
import type { PostgresKind } from '../../../node-relay/drivers/postgres/test/database.ts';
import type { OwnServer } from '../postgres-server.ts';
import type { ProofOptions, ProofResult } from '../proof.ts';
import { Choices } from '../random.ts';
import { type Column, functionColumns, REASONS, stillHolds } from './columns.ts';
import { Garden, type Planted } from './garden.ts';
import type { Plant, Touch } from './plant.ts';
import { FUNCTIONS } from './plants-of-functions.ts';
import { TREES } from './plants-of-trees.ts';
import { VALUES } from './plants-of-values.ts';
import { type Channel, Pool, type Sent } from './session.ts';
import { variantsFor } from './tracer.ts';

const PLANTS: readonly Plant[] = [...TREES, ...FUNCTIONS, ...VALUES];
/** Of one object, so many statements are tried before another is made. */
const TOUCHES = 5;
const TELL_MS = 5_000;

interface Failure {
  readonly code?: string;
  readonly details?: readonly { rule?: string; code?: string }[];
}

/** One run of the proof on one server. */
class Trial {
  readonly #garden: Garden;
  readonly #options: ProofOptions;
  readonly #choices: Choices;
  readonly #pools: Readonly<Record<'read' | 'write' | 'plain read' | 'plain write', Pool>>;
  readonly #faults: string[] = [];
  readonly #figures: Record<string, number> = {};
  /** Columns whose functions a statement was seen to run. */
  readonly #run = new Set<string>();
  #count = 0;
  #told = Date.now();

  constructor(garden: Garden, server: OwnServer, options: ProofOptions) {
    this.#garden = garden;
    this.#options = options;
    this.#choices = new Choices(options.seed);
    const plain = new URL(server.url);
    plain.username = 'plain';
    plain.password = 'plain';
    this.#pools = {
      read: new Pool('read', server.url),
      write: new Pool('write', server.url),
      'plain read': new Pool('read', plain.href),
      'plain write': new Pool('write', plain.href),
    };
  }

  /** Every plant in turn, with another kind of function each time. */
  async run(): Promise<void> {
    const columns = await functionColumns(this.#garden.outside);
    await this.#explain(columns);
    const { version } = this.#garden;
    const plants = PLANTS.filter(({ from = 0 }) => from <= version).map((plant) => ({
      plant,
      waiting: variantsFor(plant.shape, this.#choices),
    }));
    while (this.#count < this.#options.count) {
      for (const each of this.#choices.shuffled(plants)) {
        if (each.waiting.length === 0) each.waiting = variantsFor(each.plant.shape, this.#choices);
        const column = columns.find(({ name }) => name === each.plant.column);
        const variant = each.waiting.pop();
        if (!column || !variant || this.#count >= this.#options.count) continue;
        const planted = await this.#garden.plant(each.plant, variant, column);
        if (planted) await this.#touch(planted);
        else this.#add('objects that the server does not make');
        await this.#garden.clear();
        this.#tell();
      }
    }
  }

  /** What was seen. */
  result(kind: PostgresKind, whole: boolean): ProofResult {
    const unseen = [...new Set(PLANTS.map(({ column }) => column))].filter(
      (column) => !this.#run.has(column),
    );
    if (whole) {
      this.#faults.push(...unseen.map((column) => `${column}: no statement ran its function`));
    }
    this.#figures['columns whose functions were run'] = this.#run.size;
    const figures = Object.entries(this.#figures).map(([what, n]) => [`${kind}: ${what}`, n]);
    const faults = this.#faults.map((fault) => `${kind}: ${fault}`);
    return { cases: this.#count, faults, figures: Object.fromEntries(figures) };
  }

  async close(): Promise<void> {
    for (const pool of Object.values(this.#pools)) await pool.close();
  }

  /** A column that is neither tried nor explained is a fault, and so is an explanation that no longer holds. */
  async #explain(columns: readonly Column[]): Promise<void> {
    const planted = new Set(PLANTS.map(({ column }) => column));
    for (const column of columns) {
      const reason = REASONS[column.name];
      if (planted.has(column.name)) continue;
      if (reason === undefined) {
        this.#faults.push(`${column.name}: nothing is made for it, and no reason is given`);
      } else if (!(await stillHolds(this.#garden.outside, column, reason))) {
        this.#faults.push(`${column.name}: it no longer holds that it ${reason.why}`);
      }
    }
    this.#figures['columns tried'] = columns.filter(({ name }) => planted.has(name)).length;
    this.#figures['columns explained'] = columns.length - (this.#figures['columns tried'] ?? 0);
  }

  /** The first touch is the one by which the function most likely runs. */
  async #touch(planted: Planted): Promise<void> {
    const [first, ...others] = planted.touches;
    const touches = first ? [first, ...this.#choices.shuffled(others)] : [];
    for (const touch of touches.slice(0, TOUCHES)) {
      const runs = await this.#garden.runs(planted, touch);
      if (runs) {
        this.#run.add(planted.plant.column);
        this.#add('statements that ran their function on a connection of their own');
      }
      for (const sent of this.#sendings(touch)) await this.#send(planted, touch, sent);
    }
  }

  /** On /write by some way, and on /read when it may be one. */
  #sendings(touch: Touch): (Sent & { mode: 'read' | 'write' })[] {
    const { query, input } = touch;
    if (input !== undefined) return [{ query, input, channel: 'copy_in', mode: 'write' }];
    if (query.startsWith('COPY')) {
      return (['read', 'write'] as const).map((mode) => ({ query, channel: 'copy_out', mode }));
    }
    const writing: Channel = this.#choices.pick([
      'query',
      'query',
      'several',
      'stream',
      'transaction',
    ]);
    const write = { query, channel: writing, mode: 'write' } as const;
    if (touch.writes === true) return [write];
    const reading: Channel = this.#choices.pick(['query', 'query', 'several', 'stream']);
    return [{ query, channel: reading, mode: 'read' }, write];
  }

  async #send(planted: Planted, touch: Touch, sent: Sent & { mode: 'read' | 'write' }) {
    const { plant } = planted;
    const pool = this.#pools[plant.plain ? (`plain ${sent.mode}` as const) : sent.mode];
    await this.#garden.hear();
    const became = await pool.send(sent).then(
      () => 'ran',
      (error: Failure) => (error.details?.[0]?.rule ? 'refused' : 'failed'),
    );
    this.#count += 1;
    this.#add(`${became} on /${sent.mode}`);
    const left = await pool.traces(this.#garden.predictable);
    const heard = sent.mode === 'read' ? await this.#garden.hear() : [];
    if (heard.length > 0) left.push(`notifications: ${heard.join(' ')}`);
    if (left.length === 0) return;
    const { volatility, language, effect } = planted.variant;
    this.#faults.push(
      `${plant.column}, ${plant.name}, ${volatility} ${language} (${effect}), /${sent.mode} by ${sent.channel} (${became}): left ${left.join('; ')}: ${touch.query}; made before: ${planted.made}`,
    );
  }

  #tell(): void {
    if (Date.now() - this.#told < TELL_MS) return;
    this.#told = Date.now();
    this.#options.progress(
      `${this.#count} of ${this.#options.count} cases, ${this.#faults.length} faults`,
    );
  }

  #add(what: string): void {
    this.#figures[what] = (this.#figures[what] ?? 0) + 1;
  }
}

/** The proof on one server. */
export async function tryOn(server: OwnServer, options: ProofOptions): Promise<ProofResult> {
  const garden = await Garden.on(server);
  const trial = new Trial(garden, server, options);
  try {
    await trial.run();
    return trial.result(server.kind, options.count >= WHOLE);
  } finally {
    await trial.close();
    await garden.close();
  }
}

/** From so many cases on, each column's function must have been run. */
const WHOLE = 1_500;
