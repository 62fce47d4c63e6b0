/** What is asked of one action of a run reads its own rows alone, however many the run has: else a run of many reads the square. */
import { runInDurableObject } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { LoopRows } from './loop-rows.ts';
import { NodeRows } from './node-rows.ts';
import { createTables } from './tables.ts';
import { startRunner } from './test/runner.ts';

const MANY = 2_000;
/** Rows that one question may read: its own, those of the tables' indexes, and what lies between. */
const READ_MAX = 20;
const RUN = 7;
const SUBJECT = 'each1000';

/** Of a container with two elements, in a run of many such. */
function fill(sql: SqlStorage): void {
  createTables(sql);
  for (let at = 0; at < MANY; at += 1) {
    const path = `each${at}`;
    for (const [n, own, owner] of [
      [0, path, ''],
      [1, `${path}[0].step`, path],
      [2, `${path}[1].step`, path],
    ] as const) {
      const body = JSON.stringify({ path: own, owner, role: 'step', phase: 'ended', state: {} });
      const begun = 3 * at + n;
      sql.exec(
        "INSERT INTO nodes VALUES (?, ?, 0, ?, 'ended', 'none', ?, ?, ?, ?)",
        ...[RUN, own, owner, begun, begun, begun, body],
      );
    }
    sql.exec('INSERT INTO results VALUES (?, ?, 0, 1, NULL)', RUN, path);
    sql.exec('INSERT INTO elements VALUES (?, ?, 0, 1)', RUN, path);
  }
}

test.each<[string, (nodes: NodeRows, loops: LoopRows) => void]>([
  ['whether it is there', (nodes) => nodes.node(SUBJECT)],
  ['what of it a retry opens', (nodes) => nodes.unfinishedAfter(SUBJECT, '', 100)],
  ['to put it aside', (nodes) => nodes.archive(SUBJECT)],
  ['what of it goes on', (nodes) => nodes.activeAfter(SUBJECT, '', 100)],
  ['whether any of it goes on', (nodes) => nodes.isActiveBelow(SUBJECT, () => true)],
  ['what of it is to be undone', (nodes) => nodes.lastToUndo(SUBJECT)],
  ['to forget its elements', (_nodes, loops) => loops.drop(SUBJECT)],
])('%s', async (_, ask) => {
  const runner = await startRunner();
  const read = await runInDurableObject(runner.object('any'), (_object, { storage: { sql } }) => {
    fill(sql);
    const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
    const exec = (query: string, ...bound: SqlStorageValue[]) => {
      const cursor = sql.exec(query, ...bound);
      cursors.push(cursor);
      return cursor;
    };
    // All that is asked of it here.
    const counted = { exec } as unknown as SqlStorage;
    ask(new NodeRows(counted, { run: RUN, seq: 0 }, false), new LoopRows(counted, RUN));
    return cursors.reduce((sum, { rowsRead }) => sum + rowsRead, 0);
  });
  expect(read).toBeLessThanOrEqual(READ_MAX);
});
