/** `npm run bench`: every file that measures is listed, and can be named. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../server/bundle.ts';
import { runScript } from './gateway.ts';

async function listed(): Promise<string[]> {
  const run = runScript('bench/run.ts', ['--help']);
  expect(await run.ended).toEqual({ code: 0, signal: null });
  return [...run.output.stdout().matchAll(/^ {2}([\w-]+) \[/gm)].map(([, name = '']) => name);
}

test('lists every file of bench/ that takes flags', async () => {
  const files = (await readdir(join(ROOT, 'bench'))).filter(
    (file) => file.endsWith('.ts') && file !== 'run.ts',
  );
  const measuring = await Promise.all(
    files.map(async (file) => {
      const text = await readFile(join(ROOT, 'bench', file), 'utf8');
      return text.includes('parseArgs(') ? [file.slice(0, -'.ts'.length)] : [];
    }),
  );
  expect(await listed()).toEqual(measuring.flat().toSorted());
});

test('runs one with its flags', async () => {
  const run = runScript('bench/run.ts', ['bodies', '--rounds', '1']);
  expect(await run.ended).toEqual({ code: 0, signal: null });
  expect(run.output.stdout()).toMatch(/kept numbers \(64-bit ids\) +\d/);
});

test('says which there are when it is given another name', async () => {
  const run = runScript('bench/run.ts', ['speed']);
  expect(await run.ended).toEqual({ code: 1, signal: null });
  expect(run.output.stderr()).toMatch(/^There is no measurement 'speed'; there are access, /);
});

test('tells what one takes, and says which flags it has when it is given another', async () => {
  const help = runScript('bench/run.ts', ['bodies', '--help']);
  expect(await help.ended).toEqual({ code: 0, signal: null });
  expect(help.output.stdout()).toMatch(/^ {2}bodies \[/);
  const wrong = runScript('bench/run.ts', ['bodies', '--speed']);
  expect(await wrong.ended).toEqual({ code: 1, signal: null });
  expect(wrong.output.stderr()).toMatch(/^Unknown option '--speed'\. Its flags: \[.+\]\.\n$/);
});
