/** Builds the contestants' module, and runs it in this process. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../../server/bundle.ts';
import type * as Contestant from './contestant.ts';
import { NAMES } from './names.ts';
import type { Repeat } from './rounds.ts';

/** One ES module, as the worker is built. */
export async function build(): Promise<string> {
  const { build: bundle, stop } = await import('esbuild');
  const { outputFiles } = await bundle({
    entryPoints: ['bench/templates/contestant.ts'],
    absWorkingDir: ROOT,
    bundle: true,
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['node:*', 'cloudflare:*'],
    write: false,
    logLevel: 'silent',
  });
  await stop();
  return outputFiles[0]?.text ?? '';
}

/**
 * The module in this process.
 * @throws Error when the contestants do not make the same JSON
 */
export async function repeatHere(code: string): Promise<Repeat> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-bench-'));
  const file = join(folder, 'contestant.mjs');
  await writeFile(file, code);
  const { repeat } = (await import(pathToFileURL(file).href)) as typeof Contestant; // It was built of that.
  await rm(folder, { recursive: true });
  const outputs = await Promise.all(NAMES.map((name) => repeat(name, 100, 1)));
  const [first, ...others] = outputs.map((each) =>
    JSON.stringify(sorted(JSON.parse(JSON.stringify(each)))),
  );
  if (others.some((each) => each !== first))
    throw new Error(
      `They differ: ${outputs.map((each) => JSON.stringify(each).slice(0, 400)).join('\n')}`,
    );
  return async (name, records, times) => {
    await repeat(name, records, times);
  };
}

/** With members in the order of their names. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members.map(([name, each]) => [name, sorted(each)]));
}
