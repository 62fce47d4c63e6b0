/** What is known of schedules, in a real object's database. */
import { env, runInDurableObject } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { type KnownSchedule, ScheduleRows } from './rows.ts';

const OWNER = { orgUuid: 'o', orgId: 'org', sealedDataKey: 'key' };
const MINUTE_MS = 60_000;

function known(workflow: string, place = 0): KnownSchedule {
  const how = { line: '* * * * *', timezone: 'UTC', missed: 'once', overlap: 'queue' } as const;
  return { workflow, place, id: workflow, version: '1.0.0', isActive: true, ...how };
}

function onRows(
  schedules: readonly KnownSchedule[],
  work: (rows: ScheduleRows, sql: SqlStorage) => void,
): Promise<void> {
  const stub = env.WORKFLOW_SCHEDULES.getByName(crypto.randomUUID());
  return runInDurableObject(stub, (_object, { storage }) => {
    const rows = new ScheduleRows(storage.sql);
    rows.open(OWNER);
    rows.replace(schedules, () => MINUTE_MS);
    work(rows, storage.sql);
  });
}

test('the first tick that waits is told of each schedule whose run has ended', () =>
  onRows([known('a'), known('a', 1), known('b'), known('c')], (rows) => {
    const [a, second, b, c] = rows.ready(MINUTE_MS);
    if (!a || !second || !b || !c) throw new Error('There are four');
    for (const tick of [3, 1, 2]) for (const row of [a, second, c]) rows.enqueue(row, tick);
    rows.setRunning(second, 'run');
    const waiting = () =>
      rows.ready(0).map(({ workflow, place, queued }) => [workflow, place, queued]);
    expect(waiting()).toEqual([
      ['a', 0, 1],
      ['c', 0, 1],
    ]);
    rows.endRunning('a', 1, 'run');
    rows.dequeue(c, 1);
    expect(waiting()).toEqual([
      ['a', 0, 1],
      ['a', 1, 1],
      ['c', 0, 2],
    ]);
  }));

test('a look costs no more where many ticks wait for runs that go on', () => {
  const schedules = Array.from({ length: 200 }, (_, at) => known(`w${at}`));
  return onRows(schedules, (rows, sql) => {
    for (const row of rows.ready(MINUTE_MS)) rows.setRunning(row, 'run');
    sql.exec(`INSERT INTO queue SELECT s.workflow, s.place, t.value FROM schedules s,
      (WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 1000) SELECT value FROM n) t`);
    // Some 400 steps of the index, and not 200,000 rows.
    const started = performance.now();
    for (let look = 0; look < 20; look += 1) expect(rows.ready(0)).toEqual([]);
    const ms = performance.now() - started;
    expect(ms).toBeLessThan(200);
  });
});
