/** What a whole run was measured on. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../server/bundle.ts';
import type { Machine } from './results.ts';

/** Packages whose versions decide what is measured. */
const PACKAGES = ['workerd', 'miniflare', 'pg', 'mysql2', 'mongodb'];

/** This machine, now. */
export async function thisMachine(): Promise<Machine> {
  const all = cpus();
  const versions = await Promise.all(
    PACKAGES.map(async (name) => [name, await versionOf(name)] as const),
  );
  const commit = await promisify(execFile)('git', ['rev-parse', '--short=8', 'HEAD'], { cwd: ROOT })
    .then(({ stdout }) => stdout.trim())
    .catch(() => 'unknown');
  return {
    day: new Date().toISOString().slice(0, 10),
    commit,
    processor: all[0]?.model.trim() ?? 'unknown processor',
    processors: all.length,
    memoryGiB: totalmem() / 1024 ** 3,
    system: `${type()} ${release()}`,
    load: loadavg()[0] ?? 0,
    versions: { 'Node.js': process.versions.node, ...Object.fromEntries(versions) },
  };
}

async function versionOf(name: string): Promise<string> {
  const text = await readFile(join(ROOT, 'node_modules', name, 'package.json'), 'utf8');
  const { version }: { version?: unknown } = JSON.parse(text);
  return String(version);
}
