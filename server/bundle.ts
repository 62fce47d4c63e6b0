/** The worker as the edge runtime takes it: its code in one module, its bindings from wrangler.toml. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import type { Unstable_MiniflareWorkerOptions } from 'wrangler';

/** The project's folder. */
export const ROOT = join(import.meta.dirname, '..');

/** Where `npm ci` leaves a worker that is built already, besides what Node keeps of compiled modules. */
export const PREPARED = join(ROOT, 'node_modules/.cache/causeway/worker');

/** What wrangler reads out of wrangler.toml, in the form that Miniflare takes. */
export type WorkerOptions = Unstable_MiniflareWorkerOptions;

/** `worker` runs alone, `runtimes` is each of several that share a port. */
type WorkerPart = keyof typeof ENTRIES;

const ENTRIES = { worker: 'worker/index.ts', runtimes: 'worker/runtimes/index.ts' } as const;

/** After about as many characters a line of the worker's code ends: a place in a stack names a few statements. */
const LINE_MAX = 200;

/** A worker that is ready to run. */
export interface BuiltWorker {
  /** Text of an ES module. `node:` and `cloudflare:` modules are the runtime's own. */
  readonly code: string;
  readonly options: WorkerOptions;
}

/**
 * Builds the worker. Code and options are remembered in `cache` until something they are made of
 * changes: making them takes longer than everything else of a start. What was prepared is taken as it is.
 * @throws what esbuild says when the worker does not build
 */
export async function buildWorker(
  cache: string,
  prepared = PREPARED,
  part: WorkerPart = 'worker',
): Promise<BuiltWorker> {
  await mkdir(cache, { recursive: true, mode: 0o700 });
  const places = { cache, prepared };
  const [code, options] = await Promise.all([
    remembered(places, part, await sources(['worker', 'proto', 'kinds', 'vendor']), () =>
      bundle([], part),
    ),
    remembered(places, 'options', ['wrangler.toml'], readOptions),
  ]);
  // readOptions wrote it; the folder is the owner's alone.
  return { code, options: JSON.parse(options) as WorkerOptions };
}

/**
 * The worker's code, as the plugins change it.
 * @param isSpaced with white space, and with a comment ahead of each file that names it
 * @throws what esbuild says when the worker does not build
 */
export async function bundle(
  plugins: Plugin[] = [],
  part: WorkerPart = 'worker',
  isSpaced = false,
): Promise<string> {
  const { build, stop } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [ENTRIES[part]],
    absWorkingDir: ROOT,
    bundle: true,
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
    // Modules of bytes are in a deployed worker alone: server/edge.ts gives it their folder.
    external: ['node:*', 'cloudflare:*', '*.gz', '*.wasm'],
    // The engine reads all of it at each start. Names and lines stay, for stacks in the log.
    ...(!isSpaced && { minifyWhitespace: true, minifySyntax: true, lineLimit: LINE_MAX }),
    write: false,
    logLevel: 'silent',
    plugins,
  });
  // Its service would stay in the background.
  await stop();
  const [file] = outputFiles;
  if (file === undefined) throw new Error('esbuild gave no output');
  return file.text;
}

async function readOptions(): Promise<string> {
  process.env.WRANGLER_SEND_METRICS ??= 'false';
  process.env.WRANGLER_HIDE_BANNER ??= 'true';
  const { unstable_getMiniflareWorkerOptions } = await import('wrangler');
  return JSON.stringify(unstable_getMiniflareWorkerOptions(join(ROOT, 'wrangler.toml')));
}

/** Rooms of what only tests use. */
const TESTS = /(?:^|\/)test\//;

/** Every file below the folders but tests and what they use, relative to the project's. */
async function sources(folders: readonly string[]): Promise<string[]> {
  const lists = await Promise.all(
    folders.map(async (folder) => {
      const names = await readdir(join(ROOT, folder), { recursive: true });
      const used = names.filter(
        (name) => /(?<!\.test)\.(ts|json)$/.test(name) && !TESTS.test(name),
      );
      return used.map((name) => join(folder, name));
    }),
  );
  return lists.flat().toSorted();
}

/** What `make` made of these files, of the installed packages and of this file. */
async function remembered(
  { cache, prepared }: { cache: string; prepared: string },
  name: string,
  files: readonly string[],
  make: () => Promise<string>,
): Promise<string> {
  const hash = createHash('sha256').update(ROOT);
  const all = [...files, 'package-lock.json', 'server/bundle.ts'];
  const texts = await Promise.all(all.map((file) => readFile(join(ROOT, file))));
  for (const [index, text] of texts.entries()) {
    hash.update(`\0${all[index]}\0${text.length}\0`).update(text);
  }
  const digest = hash.digest('hex').slice(0, 32);
  const kept = join(cache, `${name}-${digest}`);
  for (const place of [kept, join(prepared, `${name}-${digest}`)]) {
    const text = await readFile(place, 'utf8').catch(() => undefined);
    if (text !== undefined) return text;
  }
  const made = await make();
  for (const older of await readdir(cache)) {
    if (older.startsWith(`${name}-`)) await rm(join(cache, older), { force: true });
  }
  // Whole or not at all: a start may be interrupted here.
  await writeFile(`${kept}.${process.pid}`, made, { mode: 0o600 });
  await rename(`${kept}.${process.pid}`, kept);
  return made;
}
