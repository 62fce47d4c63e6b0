/** The worker as the edge runtime takes it: its code in one module, its bindings from wrangler.toml. */
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, stop } from 'esbuild';
import type { Unstable_MiniflareWorkerOptions } from 'wrangler';

/** The project's folder. */
export const ROOT = join(import.meta.dirname, '..');

/** The bundled worker as text of an ES module. `node:` and `cloudflare:` modules are the runtime's own. */
export async function bundleWorker(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    absWorkingDir: ROOT,
    bundle: true,
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['node:*', 'cloudflare:*'],
    keepNames: true,
    sourcemap: 'inline',
    write: false,
    logLevel: 'silent',
  });
  // Its service would stay in the background.
  await stop();
  const [file] = outputFiles;
  if (file === undefined) throw new Error('esbuild gave no output');
  return file.text;
}

/** What wrangler reads out of wrangler.toml, in the form that Miniflare takes. */
export type WorkerOptions = Unstable_MiniflareWorkerOptions;

/**
 * The worker's options of wrangler.toml, remembered in `cache`: loading wrangler for them takes
 * longer than everything else of a start.
 */
export async function readWorkerOptions(cache: string): Promise<WorkerOptions> {
  const config = join(ROOT, 'wrangler.toml');
  const digest = createHash('sha256')
    .update(ROOT)
    .update(await readFile(config))
    .update(await readFile(join(ROOT, 'node_modules/wrangler/package.json')))
    .digest('hex');
  const file = join(cache, `worker-options-${digest.slice(0, 16)}.json`);
  const kept = await readFile(file, 'utf8').catch(() => undefined);
  // It is what this function wrote; the folder is the owner's alone.
  if (kept !== undefined) return JSON.parse(kept) as WorkerOptions;
  process.env.WRANGLER_SEND_METRICS ??= 'false';
  process.env.WRANGLER_HIDE_BANNER ??= 'true';
  const { unstable_getMiniflareWorkerOptions } = await import('wrangler');
  const options = unstable_getMiniflareWorkerOptions(config);
  await mkdir(cache, { recursive: true, mode: 0o700 });
  await writeFile(file, JSON.stringify(options), { mode: 0o600 });
  return options;
}
