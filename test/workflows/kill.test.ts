/** Runs of workflows while everything is killed: what was written once is there once, and the record says so. Spec: workflows.md §7. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type ActionRecord, type RunRecord, Site } from '../proofs/workflow-kills/site.ts';
import { freshDatabase } from '../servers/backends.ts';

/** Times that everything is killed. */
const ROUNDS = 3;
/** Milliseconds after a start within which a run that was cut off has gone on and, being short, ended. */
const GOES_ON_MS = 5_000;
/** What the longest of the runs takes by itself. */
const LONGEST_MS = 4_000;

let site: Site;
let database: pg.Client;
let endpoint: string;

beforeAll(async () => {
  site = await Site.open();
  const { url } = await freshDatabase();
  database = new pg.Client({ connectionString: url });
  await database.connect();
  await database.query('create table effects (run text, path text)');
  endpoint = await site.organization.addPostgres(url);
  for (const [id, actions] of Object.entries(shapes())) {
    const reply = await site.organization.call('POST', '/workflows', { id, name: id, actions });
    expect(reply).toMatchObject({ status: 200 });
  }
});

afterAll(async () => {
  await site?.close();
  await database?.end();
});

/** Writes that it ran, and takes its time: so it can be killed meanwhile. */
function write(id: string, more: object = {}) {
  const query = 'insert into effects select $1, $2 from pg_sleep(0.05)';
  const params = ['$.run.id', id];
  return { id, type: 'endpoint', endpoint, operation: 'write', input: { query, params }, ...more };
}

function element(id: string, more: object = {}) {
  const action = write(id, more);
  const params = ['$.run.id', `$(\`${id} \${$.n}\`)`];
  return { ...action, input: { ...action.input, params } };
}

/** Workflows by their ids. */
function shapes(): Readonly<Record<string, readonly object[]>> {
  const names = ['a', 'b', 'c', 'd', 'e'];
  return {
    list: names.map((id, at) => write(id, { next: names[at + 1] ?? null })),
    loop: [
      { id: 'each', type: 'loop', collection: '[0,1,2,3,4,5]', index: 'n', action: element('x') },
    ],
    wide: [
      {
        id: 'each',
        type: 'loop',
        mode: 'parallel',
        maxConcurrency: 3,
        collection: '[0,1,2]',
        index: 'n',
        action: { id: 'both', type: 'parallel', branches: [element('x'), element('y')] },
      },
    ],
    pause: [
      write('a', { next: 'w' }),
      { id: 'w', type: 'wait', mode: 'duration', duration: 'PT0.7S', next: 'b' },
      write('b'),
    ],
    undo: [
      write('a', { compensation: write('undo-a'), next: 'b' }),
      write('b', { compensation: write('undo-b'), next: 'c' }),
      {
        id: 'c',
        type: 'loop',
        collection: '$.input.nothing',
        action: { id: 'd', type: 'condition', condition: 'true', true: null, false: null },
      },
    ],
    outer: [
      write('a', { next: 'sub' }),
      { id: 'sub', type: 'subworkflow', workflow: 'list', next: 'b' },
      write('b'),
    ],
  };
}

async function recordOf(workflow: string, run: string): Promise<RunRecord> {
  const record = await site.record(`/workflows/${workflow}/executions/${run}`);
  if (!record) throw new Error(`There is no record of run ${run} of ${workflow}`);
  return record;
}

async function effects(run: string): Promise<Readonly<{ [path: string]: number }>> {
  const { rows } = await database.query(
    'select path, count(*)::int as n from effects where run = $1 group by path',
    [run],
  );
  return Object.fromEntries(rows.map(({ path, n }) => [path, n]));
}

/** What an action of the record writes: its id, in a loop with the element's number. */
function effectOf({ id, path, type }: ActionRecord): string | undefined {
  if (type !== 'endpoint') return undefined;
  const element = /^each\[(\d+)\]/.exec(path)?.[1];
  return element === undefined ? id : `${id} ${element}`;
}

function checkRecord(record: RunRecord, found: Readonly<{ [path: string]: number }>): void {
  for (const action of record.actions) {
    const name = effectOf(action);
    if (name === undefined) continue;
    const count = found[name] ?? 0;
    const what = `${record.run_id} ${action.path} ${action.status} ${action.error?.code ?? ''}`;
    const isUnknown = action.error?.code === 'OUTCOME_UNKNOWN';
    if (['succeeded', 'compensated'].includes(action.status) && !isUnknown) {
      expect(count, what).toBe(1);
    } else expect(count, what).toBeLessThanOrEqual(1);
    expect(['running', 'waiting', 'retrying'], what).not.toContain(action.status);
  }
  const written = Object.values(found);
  expect(written.every((count) => count === 1)).toBe(true);
}

async function round(delay: number): Promise<{ cut: number; slowest: number }> {
  const names = Object.keys(shapes());
  const started = await Promise.all(
    [...names, ...names].map(async (workflow) => {
      const key = { 'Idempotency-Key': randomUUID() };
      const reply = await site.organization.call('POST', `/workflows/${workflow}`, {}, key);
      expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 202 });
      return { workflow, run: (reply.body as { run_id: string }).run_id };
    }),
  );
  await sleep(delay);
  const ready = await site.kill('gateway', async () => {});
  let slowest = 0;
  let cut = 0;
  for (const { workflow, run } of started) {
    await expect
      .poll(async () => (await recordOf(workflow, run)).ended, { timeout: 30_000 })
      .toBeDefined();
    const record = await recordOf(workflow, run);
    slowest = Math.max(slowest, Date.parse(record.ended ?? '') - ready);
    checkRecord(record, await effects(run));
    if (JSON.stringify(record.actions).includes('OUTCOME_UNKNOWN')) cut += 1;
    // A compensation that was cut off is not made again: nobody knows whether it had its effect.
    const cutUndo = record.actions.some(
      ({ id, error }) => id.startsWith('undo-') && error?.code === 'OUTCOME_UNKNOWN',
    );
    if (workflow === 'undo') expect(record.compensation).toBe(cutUndo ? 'partial' : 'complete');
  }
  return { cut, slowest };
}

test('runs go on by themselves after everything was killed, and nothing is written twice', async () => {
  const delays = fc.sample(fc.integer({ min: 60, max: 900 }), {
    numRuns: ROUNDS,
    seed: inject('seed'),
  });
  const seen: { delay: number; cut: number; slowest: number }[] = [];
  for (const delay of delays) seen.push({ delay, ...(await round(delay)) });
  expect(seen.length, JSON.stringify(seen)).toBe(ROUNDS);
  for (const { slowest } of seen) expect(slowest).toBeLessThan(GOES_ON_MS + LONGEST_MS);
  expect(seen.some(({ cut }) => cut > 0)).toBe(true);
});

test('writes with an idempotencyKey that the backend keeps are never of unknown outcome', async () => {
  const { url } = await freshDatabase();
  const outside = new pg.Client({ connectionString: url });
  await outside.connect();
  await outside.query('create table effects (run text, path text)');
  const config = { write_conn: { url }, once: {} };
  const keeper = await site.organization.addPostgres(url, { config });
  const action = {
    ...element('x', { idempotencyKey: '$.run.id + $.n' }),
    endpoint: keeper,
  };
  const retry = { retry: { maxAttempts: 20, initialInterval: 0.1, backoffRate: 1 } };
  const each = { id: 'each', type: 'loop', collection: '[0,1,2,3,4,5,6,7]', index: 'n', action };
  const workflow = { actions: [each], errorHandler: { actions: { x: retry } } };
  const made = { id: 'kept', name: 'kept', ...workflow };
  expect(await site.organization.call('POST', '/workflows', made)).toMatchObject({ status: 200 });
  for (const part of ['gateway', 'relay', 'gateway', 'relay'] as const) {
    const started = await Promise.all(
      Array.from({ length: 6 }, () => site.organization.call('POST', '/workflows/kept', {})),
    );
    await sleep(200);
    await site.kill(part, async () => {});
    for (const { body } of started) {
      const { run_id: run } = body as { run_id: string };
      const record = () => recordOf('kept', run);
      await expect.poll(async () => (await record()).ended, { timeout: 60_000 }).toBeDefined();
      const { status, actions } = await record();
      expect([status, JSON.stringify(actions)]).toEqual([
        'succeeded',
        expect.not.stringContaining('OUTCOME_UNKNOWN'),
      ]);
      const { rows } = await outside.query(
        'select path, count(*)::int as n from effects where run = $1 group by path order by path',
        [run],
      );
      expect(rows).toEqual(Array.from({ length: 8 }, (_, at) => ({ path: `x ${at}`, n: 1 })));
    }
  }
  await outside.end();
});
