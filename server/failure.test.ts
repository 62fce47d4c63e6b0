/** What a person can mend is told in one sentence. */
import { writeFile } from 'node:fs/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { runScript } from './failure.ts';

/** A disk without room, on Linux. */
const FULL = '/dev/full';

afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = 0;
});

test.skipIf(process.platform !== 'linux')(
  'a full disk is one sentence and exit code 1',
  async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => {});
    await runScript(() => writeFile(FULL, 'a line'));
    expect(said.mock.calls).toEqual([
      ['There is no space left on the disk; make room on it, or choose a folder elsewhere.'],
    ]);
    expect(process.exitCode).toBe(1);
  },
);
