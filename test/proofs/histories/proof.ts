/** `npm run prove -- histories`: transactions that append to lists in two databases and read them, while parts are killed. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../../proto/json.ts';
import type { Proof, ProofOptions, ProofResult } from '../proof.ts';
import { Choices } from '../random.ts';
import { type Part, Site } from '../transactions/site.ts';
import { anomaliesIn, type Entry, type Lists, type Step } from './check.ts';

/** Transactions at a time. */
const AT_ONCE = 6;
/** Transactions between two kills. */
const KILL_EVERY = 100;
const KILLED: readonly Part[] = ['relay', 'postgres', 'runtime', 'mariadb', 'line'];
/** Milliseconds before the next, where nothing answers. */
const UNREACHED_MS = 250;
/** Most steps of one. */
const STEPS_MAX = 4;

/** Lists, by key, with the endpoint that each is on. */
const KEYS = { p1: 'pg', p2: 'pg', p3: 'pg', m1: 'my', m2: 'my', m3: 'my' } as const;
const NAMES = Object.keys(KEYS) as (keyof typeof KEYS)[];
type Key = (typeof NAMES)[number];

/** The proof. `count` is how many transactions there are. */
export const proof: Proof = {
  promise:
    'Transactions over two databases are strictly serializable, and each list has its appends in the order of their numbers, whatever is killed.',
  count: 2_000,
  run: recording,
};

/** A step before it ran. */
interface Planned {
  readonly key: Key;
  readonly append?: number;
}

/** Records a history, and checks it. */
export async function recording({ seed, count, progress }: ProofOptions): Promise<ProofResult> {
  const choices = new Choices(seed);
  const site = await Site.open();
  const history: Entry[] = [];
  try {
    await makeLists(site);
    let begun = 0;
    let striking = Promise.resolve();
    const client = async () => {
      while (begun < count) {
        begun += 1;
        const id = begun;
        if (id % KILL_EVERY === 0) {
          const part = KILLED[(id / KILL_EVERY - 1) % KILLED.length] ?? 'relay';
          striking = striking.then(() => site.strike(part, async () => {}));
          progress(`${id} transactions; ${part} is killed`);
        }
        const entry = await transact(site, id, planOf(choices, id));
        history.push(entry);
        // What is being started again refuses at once.
        if (entry.outcome === 'unknown') await sleep(UNREACHED_MS);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, client));
    await striking;
    await ended(site);
    const anomalies = anomaliesIn(history, await listsOf(site));
    const of = (outcome: Entry['outcome']) =>
      history.filter((entry) => entry.outcome === outcome).length;
    return {
      cases: history.length,
      faults: anomalies.map((anomaly) => `seed ${seed}: ${anomaly}`),
      figures: { committed: of('committed'), aborted: of('aborted'), unknown: of('unknown') },
    };
  } finally {
    await site.close();
  }
}

async function makeLists(site: Site): Promise<void> {
  for (const [endpoint, id] of [
    ['pg', 'serial'],
    ['my', 'int AUTO_INCREMENT'],
  ]) {
    const query = `CREATE TABLE lists (id ${id} PRIMARY KEY, k varchar(9), v int)`;
    const reply = await site.organization.call('POST', `/endpoints/${endpoint}/write`, { query });
    if (reply.status !== 200) throw new Error(JSON.stringify(reply));
  }
}

function planOf(choices: Choices, id: number): readonly Planned[] {
  const length = 1 + Math.floor(choices.next() * STEPS_MAX);
  return Array.from({ length }, (_, at) => {
    const key = choices.pickAny(NAMES) ?? 'p1';
    return choices.chance(0.5) ? { key } : { key, append: id * STEPS_MAX + at };
  });
}

/** Runs one, and notes what its client was told. */
async function transact(site: Site, id: number, plan: readonly Planned[]): Promise<Entry> {
  const body = {
    operations: plan.map(operationOf),
    isolation: 'repeatable read',
    keys: [...new Set(plan.map(({ key }) => key))],
    timeout_ms: 15_000,
  };
  const began = performance.now();
  const reply = await site.organization.call('POST', '/transactions', body).catch(() => undefined);
  const common = { id, began, ended: performance.now() };
  const writes = plan.flatMap(({ key, append }) => (append === undefined ? [] : [{ key, append }]));
  if (reply?.status !== 200) {
    const { code } = (reply?.body ?? {}) as { code?: string };
    const isKnown = reply !== undefined && code !== 'OUTCOME_UNKNOWN' && reply.status !== 500;
    return { ...common, outcome: isKnown ? 'aborted' : 'unknown', steps: writes };
  }
  // As the API describes it.
  const { sequence, results } = reply.body as { sequence: number | null; results: Rows[] };
  const steps = plan.map(
    ({ key, append }, at): Step =>
      append === undefined ? { key, read: valuesIn(results[at]) } : { key, append },
  );
  return { ...common, outcome: 'committed', steps, ...(sequence === null ? {} : { sequence }) };
}

interface Rows {
  readonly rows: readonly { readonly v: number }[];
}

function valuesIn(result: Rows | undefined): number[] {
  return result?.rows.map(({ v }) => v) ?? [];
}

function operationOf({ key, append }: Planned): JsonObject {
  const endpoint = KEYS[key];
  const [one, two] = endpoint === 'pg' ? ['$1', '$2'] : ['?', '?'];
  if (append === undefined) {
    return { endpoint, query: `SELECT v FROM lists WHERE k = ${one} ORDER BY id`, params: [key] };
  }
  const query = `INSERT INTO lists (k, v) VALUES (${one}, ${two})`;
  return { endpoint, query, params: [key, append] };
}

/** Waits until nothing is under way any more. */
async function ended(site: Site): Promise<void> {
  for (const until = Date.now() + 60_000; ; ) {
    const { postgres, mariadb } = await site.bank.prepared();
    if (postgres.length + mariadb.length === 0) return;
    if (Date.now() > until) throw new Error(`still prepared: ${[...postgres, ...mariadb].join()}`);
    await sleep(100);
  }
}

async function listsOf(site: Site): Promise<Lists> {
  const all = NAMES.map(async (key) => {
    const { endpoint, ...request } = operationOf({ key });
    const path = `/endpoints/${String(endpoint)}/read`;
    const { body } = await site.organization.call('POST', path, request);
    return [key, valuesIn((body as { data: Rows }).data)] as const;
  });
  return new Map(await Promise.all(all));
}
