/** What `npm ci` leaves for the first start. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { findBundle } from '../node-relay/parts/bundle.ts';
import { buildWorker, ROOT } from './bundle.ts';

test('the worker and the relay are there, so that a start builds neither', async () => {
  const script = ['server/run.mjs', 'server/prepare.ts'];
  expect(await promisify(execFile)('node', script, { cwd: ROOT })).toEqual({
    stdout: '',
    stderr: '',
  });
  const cache = await mkdtemp(join(tmpdir(), 'causeway-prepared-'));
  try {
    await buildWorker(cache);
    expect(await readdir(cache)).toEqual([]);
  } finally {
    await rm(cache, { recursive: true });
  }
  expect((await findBundle()).isThere).toBe(true);
});
