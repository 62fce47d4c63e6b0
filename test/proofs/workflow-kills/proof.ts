/** `npm run prove -- workflow-kills`: runs of every shape while parts of the gateway are killed with -9 at random moments. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Proof, ProofOptions, ProofResult } from '../proof.ts';
import { Choices } from '../random.ts';
import { faultsOf, isDisturbed } from './judge.ts';
import type { Shape } from './parts.ts';
import { CHILDREN, SHAPES } from './shapes.ts';
import { PARTS, type Part, type RunRecord, Site } from './site.ts';

/** Runs that begin at a time. */
const AT_ONCE = 6;
/** Milliseconds in which the run that a kill aims at comes as far as it should. */
const AIM_MAX_MS = 20_000;
/** Most milliseconds between that point and the kill, so that it falls into the next attempt or after it. */
const AFTER_MS = 40;
/** Longest that runs may take to end once everything answers again. */
const ENDS_MAX_MS = 90_000;

/**
 * The proof. `count` is how often a part is killed. Each kill aims at one shape and one of its
 * boundaries, all of them in turn, and meets a run of every other shape wherever that is then.
 */
export const proof: Proof = {
  promise:
    'Killed with -9, a run goes on within 5 s, has each effect once, and its record is true.',
  count: 120,
  run: (options) => killing(options, SHAPES),
};

/** Figures about one shape. */
interface Row {
  runs: number;
  /** Effects that there were when a part was killed, and which part. */
  readonly boundaries: Set<string>;
  inside: number;
  effects: number;
  faults: number;
}

/** Kills parts while runs of those shapes are under way. */
export async function killing(
  { seed, count, kind, progress }: ProofOptions,
  shapes: readonly Shape[],
): Promise<ProofResult> {
  const choices = new Choices(seed);
  const site = await Site.open();
  const rows = new Map<string, Row>();
  const faults: string[] = [];
  try {
    for (const [id, definition] of Object.entries(CHILDREN)) {
      await site.must('POST', '/workflows', { id, name: id, ...definition });
    }
    const ids = new Map<Shape, string>();
    for (const [at, shape] of shapes.entries()) {
      ids.set(shape, `shape-${at}`);
      await site.must('POST', '/workflows', {
        id: `shape-${at}`,
        name: shape.name,
        ...shape.definition,
      });
    }
    const aims = choices.shuffled(aimsAt(shapes));
    for (let kill = 1; kill <= count; kill += 1) {
      const part = (kind as Part | undefined) ?? PARTS[kill % PARTS.length] ?? 'gateway';
      const aim = aims[(kill - 1) % aims.length];
      if (!aim) break;
      const found = await round(site, choices, { part, aim, ids, rows });
      const where = `${aim.shape.name} after ${aim.effects} effects`;
      faults.push(...found.map((fault) => `seed ${seed}, ${part} killed at ${where}: ${fault}`));
      progress(`kill ${kill}, of the ${part}, at ${where}: ${found.length} faults`);
    }
  } finally {
    await site.close();
  }
  progress(tableOf(rows));
  const runs = [...rows.values()].reduce((sum, row) => sum + row.runs, 0);
  const inside = [...rows.values()].reduce((sum, row) => sum + row.inside, 0);
  return {
    cases: runs,
    faults,
    figures: {
      kills: count,
      shapes: shapes.length,
      'runs with an attempt that failed by a kill': inside,
    },
  };
}

/** Which run a kill waits for, and how far that is to be. */
interface Aim {
  readonly shape: Shape;
  readonly effects: number;
}

function aimsAt(shapes: readonly Shape[]): Aim[] {
  return shapes.flatMap((shape) => shape.words.map((_, effects) => ({ shape, effects })));
}

interface Begun {
  readonly shape: Shape;
  readonly path: string;
  readonly list: string;
}

/** Letters that are in the table for what was killed. */
const SHORT: Readonly<Record<Part, string>> = { gateway: 'g', runtime: 'w', relay: 'r' };

interface Round {
  readonly part: Part;
  readonly aim: Aim;
  readonly ids: ReadonlyMap<Shape, string>;
  readonly rows: Map<string, Row>;
}

/** One run of each shape, one kill, and what is wrong afterwards. */
async function round(
  site: Site,
  choices: Choices,
  { part, aim, ids, rows }: Round,
): Promise<string[]> {
  const begun: Begun[] = [];
  // So that most of the others are under way, too.
  const others = choices.shuffled([...ids].filter(([shape]) => shape !== aim.shape));
  const half = Math.floor(others.length * 0.6);
  const own = ids.get(aim.shape) ?? '';
  const waiting = [...others.slice(0, half), [aim.shape, own] as const, ...others.slice(half)];
  let isKilled = false;
  const starter = async () => {
    for (let next = waiting.shift(); next && !isKilled; next = waiting.shift()) {
      const [shape, id] = next;
      // A start that the kill cuts off is none of the runs that are judged.
      const run = await site.begin(id).catch(() => undefined);
      if (run) begun.push({ shape, ...run });
    }
  };
  const starting = Promise.all(Array.from({ length: AT_ONCE }, starter));
  await comesTo(site, begun, aim);
  await sleep(choices.next() * AFTER_MS);
  isKilled = true;
  let seen: (Begun & { readonly boundary: string })[] = [];
  const back = await site.kill(part, async () => {
    const counts = await site.counts(begun.map(({ list }) => list));
    seen = counts.flatMap((count, at) => {
      const run = begun[at];
      return run ? [{ ...run, boundary: `${SHORT[part]}${count}` }] : [];
    });
  });
  await starting;
  const found = await Promise.all(
    seen.map(async ({ shape, path, list, boundary }) => {
      const record = await ended(site, path, back);
      const words = await site.words(list);
      const wrong = record ? faultsOf({ shape, record, words, back }) : ['has no record'];
      note(rows, { shape, boundary, words: words.length, record, faults: wrong.length });
      return wrong.map((fault) => `${shape.name}: ${fault}\n    ${JSON.stringify(record)}`);
    }),
  );
  return found.flat();
}

async function comesTo(
  site: Site,
  begun: readonly Begun[],
  { shape, effects }: Aim,
): Promise<void> {
  for (const until = Date.now() + AIM_MAX_MS; Date.now() < until; ) {
    const run = begun.find((each) => each.shape === shape);
    if (run && (await site.words(run.list)).length >= effects) return;
    await sleep(5);
  }
}

/** The record of a run once it has ended, or too late; with the actions of runs that it did not wait for. */
async function ended(site: Site, path: string, back: number): Promise<RunRecord | undefined> {
  let record: RunRecord | undefined;
  while (Date.now() - back < ENDS_MAX_MS) {
    record = (await site.record(path)) ?? record;
    if (record && ['succeeded', 'failed', 'cancelled'].includes(record.status)) break;
    await sleep(300);
  }
  const begun = record?.actions.flatMap(({ output }) => output?.run_id ?? []) ?? [];
  const others = await Promise.all(
    begun.map((id) => ended(site, `/workflows/child/executions/${id}`, back)),
  );
  const actions = others.flatMap((other) => other?.actions ?? []);
  return record && { ...record, actions: [...record.actions, ...actions] };
}

function note(
  rows: Map<string, Row>,
  seen: {
    shape: Shape;
    boundary: string;
    words: number;
    record: RunRecord | undefined;
    faults: number;
  },
): void {
  const { name } = seen.shape;
  const row = rows.get(name) ?? {
    runs: 0,
    boundaries: new Set(),
    inside: 0,
    effects: 0,
    faults: 0,
  };
  row.runs += 1;
  row.boundaries.add(seen.boundary);
  row.inside += seen.record && isDisturbed(seen.record) ? 1 : 0;
  row.effects += seen.words;
  row.faults += seen.faults;
  rows.set(name, row);
}

/** Boundaries are written as what was killed (gateway, worker's runtime, relay) and the effects that there were then. */
function tableOf(rows: ReadonlyMap<string, Row>): string {
  const lines = [...rows].map(([name, { runs, boundaries, inside, effects, faults }]) =>
    [name.padEnd(36), runs, inside, effects, faults, [...boundaries].sort().join(' ')].join('  '),
  );
  return [`${'shape'.padEnd(36)}  kills  disturbed  effects  faults  boundaries`, ...lines].join(
    '\n',
  );
}
