/** What `/read` takes leaves a server's every byte: keys, expiries, settings, users, functions, indexes, clients, channels. */

import { effectOf } from '../../../kinds/redis/dialect/effects.ts';
import { type RedisClient, redis } from '../../../node-relay/drivers/redis/index.ts';
import { DirectClient } from '../../../node-relay/drivers/redis/test/direct-client.ts';
import { callOf, openClient } from '../../../node-relay/drivers/test/host.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { ownRedis } from '../../servers/redis-server.ts';
import type { Proof, ProofOptions } from '../proof.ts';
import { type Case, caseOf, examples, filling, randomOf, varied } from './cases.ts';
import { differencesOf, partingOf, type State, stateOf } from './state.ts';

const PRODUCTS = ['redis-8', 'redis-7', 'valkey-9'] as const;
/** They tell of a cluster, and a server by itself is none. */
const OF_CLUSTER = /^cluster/;
/** After so many made-up reads, keys are changed. */
const STALE_EVERY = 50;
/** Milliseconds that a command gets: some wait for others. */
const WAIT_MS = 1_000;

interface Seen {
  cases: number;
  readonly faults: string[];
  readonly figures: Record<string, number>;
}

/** One server: filled by every command that there is, each read looked at, then reads made up. */
class Run {
  readonly #product: string;
  readonly #direct: DirectClient;
  readonly #session: RedisClient;
  readonly #seen: Seen;
  readonly #dictionaries = new Set<string>();
  readonly #answered = new Set<string>();
  #state: State = new Map();

  constructor(product: string, direct: DirectClient, session: RedisClient, seen: Seen) {
    this.#product = product;
    this.#direct = direct;
    this.#session = session;
    this.#seen = seen;
  }

  async begin(): Promise<void> {
    // Something that a reset would take away, and no more of it meanwhile.
    await this.#direct.send('CONFIG', 'SET', 'slowlog-log-slower-than', '0');
    await this.#direct.send('PING');
    await this.#direct.send('CONFIG', 'SET', 'slowlog-log-slower-than', '-1');
  }

  async fill(): Promise<void> {
    await this.#look();
    for (const each of filling()) {
      if (each.reads) {
        await this.check(each);
        continue;
      }
      const [name = '', dictionary] = each.words.map(String);
      if (/^FT\.DICTADD$/i.test(name) && dictionary) this.#dictionaries.add(dictionary);
      await this.#direct.send(...each.words);
      // An index takes in what is there already while others go on.
      if (/^FT\.CREATE$/i.test(name)) await later(300);
      await this.#look();
    }
  }

  async makeUp(count: number, random: (below: number) => number): Promise<void> {
    const pool = [...filling().filter(({ reads }) => reads), ...examples()];
    for (const each of examples()) await this.check(each);
    const keys = ((await this.#direct.send('KEYS', '*')).parts ?? []).flatMap(
      ({ text }) => text ?? [],
    );
    for (let made = 0; made < count; made += 1) {
      if (made % STALE_EVERY === 0) await this.#makeStale(keys, made);
      const each = varied(pool[random(pool.length)] ?? caseOf([Buffer.from('PING')]), keys, random);
      if (each.reads) await this.check(each);
    }
  }

  /** What keeps something for the next reading of it has to find it again. */
  async #makeStale(keys: readonly Buffer[], by: number): Promise<void> {
    for (const key of keys) {
      for (const add of ['PFADD', 'TDIGEST.ADD']) await this.#direct.send(add, key, String(by));
    }
    await this.#look();
  }

  /** Runs a read, and looks at what it left. */
  async check({ command, words }: Case): Promise<void> {
    if (effectOf(command) === 'wait' || effectOf(command) === 'subscribe') return;
    const { cases, figures, faults } = this.#seen;
    this.#seen.cases = cases + 1;
    const signal = AbortSignal.timeout(WAIT_MS);
    const answer = this.#session.run(command, callOf('read', { signal }));
    const outcome = await answer.then(
      () => 'answered',
      (thrown: unknown) => (thrown instanceof GatewayError ? thrown.code : String(thrown)),
    );
    if (outcome === 'answered') this.#answered.add(command.type);
    const name = `${this.#product} ${outcome}`;
    figures[name] = (figures[name] ?? 0) + 1;
    const before = this.#state;
    await this.#look();
    const differences = differencesOf(before, this.#state);
    if (differences.length === 0) return;
    faults.push(
      `${this.#product}: ${words.join(' ').slice(0, 120)} (${outcome}): ${differences.map((each) => `${each}: ${partingOf(before.get(each), this.#state.get(each))}`).join(', ')}`,
    );
  }

  /** Commands of the server that `/read` takes and that never had words that it answers: nothing is proven of them. */
  async demandAll(): Promise<void> {
    const list = (await this.#direct.send('COMMAND', 'LIST')).parts ?? [];
    const types = list.map(({ text }) => String(text).toLowerCase().replace('|', ' '));
    for (const type of types) {
      const { command, reads } = caseOf(type.split(' ').map((word) => Buffer.from(word)));
      const isAside = effectOf(command) !== 'none' || OF_CLUSTER.test(type);
      if (!reads || isAside || this.#answered.has(command.type)) continue;
      this.#seen.faults.push(`${this.#product}: ${type} was never answered`);
    }
  }

  async #look(): Promise<void> {
    this.#state = await stateOf(this.#direct, this.#dictionaries);
  }
}

async function runOn(
  product: (typeof PRODUCTS)[number],
  seen: Seen,
  { seed, count, progress }: ProofOptions,
): Promise<void> {
  const server = await ownRedis({ product });
  const direct = await DirectClient.connect(server.url);
  const session = await openClient(redis, { connection: { url: server.url }, mode: 'read' });
  try {
    const run = new Run(product, direct, session, seen);
    await run.begin();
    await run.fill();
    progress(`${product} is filled: ${seen.cases} cases, ${seen.faults.length} faults`);
    await run.makeUp(count, randomOf(seed));
    await run.demandAll();
    progress(`${product} is done: ${seen.cases} cases, ${seen.faults.length} faults`);
  } finally {
    await session.close();
    direct.close();
    await server.stop();
  }
}

function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Proof of contract §6 for Redis: `/read` changes nothing. */
export const proof: Proof = {
  promise: 'What /read takes leaves every byte of a Redis server as it was.',
  count: 9_000,
  async run(options) {
    const seen: Seen = { cases: 0, faults: [], figures: {} };
    const each = Math.ceil(options.count / PRODUCTS.length);
    for (const product of PRODUCTS) await runOn(product, seen, { ...options, count: each });
    return seen;
  },
};
