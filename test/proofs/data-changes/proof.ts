/** `npm run prove -- data-changes`: random changes of a database while the worker, relays, nodes and the database are killed with -9. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../../proto/json.ts';
import { type RelayNode, startNode } from '../../nodes/node-process.ts';
import type { Proof, ProofOptions, ProofResult } from '../proof.ts';
import { Choices } from '../random.ts';
import { Site } from '../workflow-kills/site.ts';
import { type Hit, KilledDatabase } from './database.ts';

/** What is killed. A node is one of two that serve an endpoint. */
const VICTIMS = ['gateway', 'runtime', 'relay', 'database', 'node'] as const;
type Victim = (typeof VICTIMS)[number];

/** Changes between two kills, about. */
const CHANGES_PER_KILL = 4_000;
/** Longest that runs may take to begin once nothing is killed any more. */
const ENDS_MAX_MS = 300_000;
/** Milliseconds without a new run after which no more are expected. */
const QUIET_MS = 15_000;

/** The proof. `count` is how many changes are made; one of fifty starts a run. */
export const proof: Proof = {
  promise:
    'Each change that passes the filter starts a run exactly once, in the order of its key and, where that is asked for, after the run before has ended, whatever is killed with -9.',
  count: 100_000,
  run: (options) => following(options, Math.ceil(options.count / CHANGES_PER_KILL)),
};

/** A run as the list reports it. */
interface Listed {
  readonly key: string;
  readonly started: string;
  readonly ended?: string;
}

/** A workflow by its id: the endpoint that it follows, named after what reaches it, and whether a run waits for the one before it. */
interface Following {
  readonly id: string;
  readonly endpoint: 'relay' | 'nodes';
  readonly ordered: boolean;
}
const FOLLOWING: readonly Following[] = [
  { id: 'relay', endpoint: 'relay', ordered: false },
  { id: 'nodes', endpoint: 'nodes', ordered: false },
  { id: 'ordered', endpoint: 'nodes', ordered: true },
];

/** Makes changes, and kills so often meanwhile. */
export async function following(
  { seed, count, kind, progress }: ProofOptions,
  kills: number,
): Promise<ProofResult> {
  const choices = new Choices(seed);
  const database = await KilledDatabase.open();
  const site = await Site.open();
  const nodes: RelayNode[] = [];
  try {
    for (const name of ['first', 'second']) {
      nodes.push(await startNode(site.organization, name));
    }
    await store(site, database, nodes);
    let made = 0;
    const changing = database.change(new Choices(seed + 1), count, (n) => {
      made = n;
    });
    for (let kill = 1; kill <= kills; kill += 1) {
      while (made < (count * kill) / (kills + 1)) await sleep(20);
      const victim = (kind as Victim | undefined) ?? choices.pick(VICTIMS);
      await killed(victim, { site, database, node: choices.pickAny(nodes) });
      progress(`kill ${kill} of ${kills}, of the ${victim}, after ${made} changes`);
    }
    await changing;
    const hits = await database.hits();
    const faults: string[] = [];
    for (const workflow of FOLLOWING) {
      const { id } = workflow;
      const runs = await settled(site, id, hits.length);
      progress(`${id}: ${hits.length} changes passed the filter, ${runs.length} runs began`);
      const found = faultsOf(hits, runs, workflow);
      faults.push(...found.map((fault) => `seed ${seed}, of ${id}: ${fault}`));
    }
    for (const { id } of FOLLOWING) await site.must('DELETE', `/workflows/${id}?confirm=true`);
    for (const until = Date.now() + 30_000; Date.now() < until; await sleep(200)) {
      if ((await database.slots()) === 0) break;
    }
    const left = await database.slots();
    if (left > 0) faults.push(`seed ${seed}: ${left} slots are left`);
    return { cases: count, faults, figures: { kills, 'runs of each workflow': hits.length } };
  } finally {
    for (const node of nodes) await node.stop();
    await site.close();
    await database.close();
  }
}

/** One endpoint by the default relay and one by two nodes, with the workflows that follow them. */
async function store(
  site: Site,
  database: KilledDatabase,
  nodes: readonly RelayNode[],
): Promise<void> {
  for (const endpoint of ['relay', 'nodes']) {
    const config = { write_conn: { url: database.url } };
    await site.must('POST', '/endpoints', { endpoint, kind: 'postgres', config });
    for (const { uuid } of endpoint === 'nodes' ? nodes : []) {
      await site.must('PUT', `/endpoints/${endpoint}/nodes/${uuid}`, {});
    }
  }
  for (const { id, endpoint, ordered } of FOLLOWING) {
    const trigger: JsonObject = {
      ...{ type: 'dataChange', endpoint, collection: 'items', operation: 'update', ordered },
      ...{ filter: 'after.hit', mapping: { id: '$.after.id', n: '$.after.n' } },
    };
    const action = ordered
      ? { id: 'done', type: 'wait', mode: 'duration', duration: 'PT0.3S' }
      : { id: 'done', type: 'condition', condition: 'true', true: null, false: null };
    const key = "$.input.id + ':' + $.input.n";
    await site.must('POST', '/workflows', { id, name: id, key, trigger, actions: [action] });
  }
}

/** What may be killed. */
interface Victims {
  readonly site: Site;
  readonly database: KilledDatabase;
  readonly node: RelayNode | undefined;
}

async function killed(victim: Victim, { site, database, node }: Victims): Promise<void> {
  if (victim === 'database') return database.kill();
  if (victim !== 'node') {
    await site.kill(victim, async () => {});
    return;
  }
  node?.run.signal('SIGKILL');
  await node?.run.ended;
  // The other one has it meanwhile.
  await sleep(3_000);
  await node?.restart();
}

/** All runs, once there are as many as there should be, or no more come. */
async function settled(site: Site, workflow: string, expected: number): Promise<Listed[]> {
  let runs: Listed[] = [];
  let newAt = Date.now();
  for (const until = Date.now() + ENDS_MAX_MS; Date.now() < until; await sleep(1_000)) {
    const now = await listed(site, workflow).catch(() => runs);
    if (now.length > runs.length) newAt = Date.now();
    runs = now;
    if (Date.now() - newAt > (runs.length >= expected ? 3_000 : QUIET_MS)) break;
  }
  return runs;
}

async function listed(site: Site, workflow: string): Promise<Listed[]> {
  const runs: Listed[] = [];
  let cursor = '';
  do {
    const query = `?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const page = (await site.must('GET', `/workflows/${workflow}/executions${query}`)) as {
      executions: unknown;
      next_cursor?: string;
    };
    runs.push(...(page.executions as Listed[])); // As its schema says.
    cursor = page.next_cursor ?? '';
  } while (cursor !== '');
  return runs;
}

/** Each hit has one run, and runs of one key began in the order of its changes; with `ordered`, after the end of the one before. */
function faultsOf(
  hits: readonly Hit[],
  runs: readonly Listed[],
  { ordered }: Pick<Following, 'ordered'>,
): string[] {
  const faults: string[] = [];
  const byKey = Map.groupBy(runs, ({ key }) => key);
  for (const { id, n } of hits) {
    const count = byKey.get(`${id}:${n}`)?.length ?? 0;
    if (count !== 1) faults.push(`change ${n} of key ${id} has ${count} runs`);
  }
  const known = new Set(hits.map(({ id, n }) => `${id}:${n}`));
  for (const { key } of runs) if (!known.has(key)) faults.push(`a run has no change: ${key}`);
  const last = new Map<string, { readonly n: number; readonly until: number }>();
  const sorted = runs
    .map(({ key, started, ended = started }) => {
      const until = Date.parse(ordered ? ended : started);
      return { of: key.split(':'), at: Date.parse(started), until };
    })
    .sort((one, other) => Number(one.of[1]) - Number(other.of[1]));
  for (const { of, at, until } of sorted) {
    const [id = '', n] = of;
    const before = last.get(id);
    if (before && before.until > at)
      faults.push(`change ${n} of key ${id} began before ${before.n}`);
    last.set(id, { n: Number(n), until });
  }
  return faults;
}
