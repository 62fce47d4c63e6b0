/** Promises of how scripts are loaded: what modules compile to is kept, and nothing depends on it. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT } from './bundle.ts';
import { HELP } from './settings.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-compiled-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** What it prints, and nothing on the other output. */
async function help(compiled: string) {
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['server/run.mjs', 'server/start.ts', '--help'],
    { cwd: ROOT, env: { ...process.env, NODE_COMPILE_CACHE: compiled } },
  );
  return { stdout, stderr };
}

test('what modules compile to is kept', async () => {
  const compiled = join(folder, 'compiled');
  expect(await help(compiled)).toEqual({ stdout: HELP, stderr: '' });
  const kept = await readdir(compiled, { recursive: true });
  expect(kept.length).toBeGreaterThan(50);
  expect(await help(compiled)).toEqual({ stdout: HELP, stderr: '' });
  expect(await readdir(compiled, { recursive: true })).toEqual(kept);
});

test('where it cannot be kept, all goes on without', async () => {
  const file = join(folder, 'a-file');
  await writeFile(file, '');
  expect(await help(file)).toEqual({ stdout: HELP, stderr: '' });
});

test.each([
  ['import', "import 'no-such-package';\n"],
  [
    'import later',
    `import { runScript } from '${ROOT}/server/failure.ts';
     await runScript(() => import('no-such-package'));\n`,
  ],
])('a package that was left out is told in a sentence, by %s', async (_, text) => {
  const script = join(folder, 'script.mjs');
  await writeFile(script, text);
  const ended = promisify(execFile)(process.execPath, ['server/run.mjs', script], { cwd: ROOT });
  await expect(ended).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'The package no-such-package is not installed: run npm ci, without --omit=dev.\n',
  });
});
