/** Promises of `npm run image` that need no image: it says what it takes, and does not end silently. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ROOT } from '../server/bundle.ts';

/** As `npm run image` starts it. */
async function image(...args: readonly string[]) {
  const command = ['server/run.mjs', 'tooling/image.ts', ...args];
  return await promisify(execFile)(process.execPath, command, { cwd: ROOT }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      ...{ code, stdout, stderr },
    }),
  );
}

test('says how it is used', async () => {
  expect(await image('--help')).toEqual({
    code: 0,
    stdout: expect.stringContaining('Usage: npm run image -- FOLDER\n'),
    stderr: '',
  });
});

test.each([
  [[], 'One folder is to be named: npm run image -- FOLDER.\n'],
  [['a', 'b'], 'One folder is to be named: npm run image -- FOLDER.\n'],
  [['--folder', 'a'], 'There is no such flag; see --help.\n'],
  [['server'], 'server is not empty.\n'],
])('refuses %j in a sentence', async (args, stderr) => {
  expect(await image(...args)).toEqual({ code: 1, stdout: '', stderr });
});
