/** What is built is remembered until it would come out otherwise. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import type { Plugin } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildWorker, bundle, ROOT } from './bundle.ts';

/** Where nothing is prepared. */
const NONE = '/nonexistent';

/** Tells the errors that are made while a module is evaluated, after one of its own. */
const WATCH = `
globalThis.Cloudflare = { compatibilityFlags: {} };
const made = [];
for (const name of ['Error', 'TypeError', 'RangeError', 'SyntaxError', 'DOMException']) {
  globalThis[name] = new Proxy(globalThis[name], {
    construct(...call) {
      const error = Reflect.construct(...call);
      made.push(String(error));
      return error;
    },
  });
}
new (class extends Error {})('as a trial');
await import(process.argv[2]);
console.log(JSON.stringify(made));
`;
const run = promisify(execFile);

let cache: string;
beforeAll(async () => {
  cache = await mkdtemp(join(tmpdir(), 'causeway-cache-'));
});
afterAll(() => rm(cache, { recursive: true }));

test('a worker is one module with the bindings of wrangler.toml', async () => {
  const { code, options } = await buildWorker(cache, NONE);
  expect(/\bexport\{[^{}]*\w+ as default\};?$/m.test(code)).toBe(true);
  expect(options.workerOptions.d1Databases).toHaveProperty('DB');
  expect(options.workerOptions.compatibilityFlags).toContain('nodejs_compat');
});

test('a worker is made of worker/index.ts and what that uses, and of no test', async () => {
  const read: string[] = [];
  const takeNote: Plugin = {
    name: 'take note',
    setup: (build) =>
      build.onLoad({ filter: /./ }, ({ path }) => {
        read.push(relative(ROOT, path));
        return undefined;
      }),
  };
  await bundle([takeNote]);
  expect(read).toContain('worker/index.ts');
  expect(read.filter((each) => /(?<!node_modules\/.*)(?:\btest\/|\.test\.ts$)/.test(each))).toEqual(
    [],
  );
});

test.each(['worker', 'runtimes'] as const)(
  'all of %s is ASCII: the engine keeps a byte a character',
  async (part) => {
    const code = await bundle([], part);
    const others = [...code.matchAll(/.{0,40}[^\0-\x7f]/g)].map(([found]) => found);
    expect(others).toEqual([]);
  },
);

test('no error is made while the worker starts: the engine would parse the module once more', async () => {
  const standIn: Plugin = {
    name: 'stand-in',
    setup(build) {
      build.onResolve({ filter: /^cloudflare:/ }, ({ path }) => ({ path, namespace: 'stand-in' }));
      build.onLoad({ filter: /./, namespace: 'stand-in' }, () => ({
        contents: 'export class DurableObject {}',
      }));
    },
  };
  const worker = join(cache, 'alone.mjs');
  await writeFile(worker, await bundle([standIn]));
  const watched = join(cache, 'watched.mjs');
  await writeFile(watched, WATCH);
  const { stdout } = await run(process.execPath, [watched, worker]);
  await Promise.all([rm(worker), rm(watched)]);
  expect(JSON.parse(stdout)).toEqual(['Error: as a trial']);
});

test('the same sources are not built again; what older ones gave is removed', async () => {
  const built = await buildWorker(cache, NONE);
  const [worker = ''] = (await readdir(cache)).filter((name) => name.startsWith('worker-'));
  const kept = join(cache, worker);
  await writeFile(kept, `${await readFile(kept, 'utf8')}// kept`);
  expect((await buildWorker(cache, NONE)).code).toBe(`${built.code}// kept`);
  await rm(kept);
  await writeFile(join(cache, 'worker-of-before'), '');
  expect((await buildWorker(cache, NONE)).code).toBe(built.code);
  expect(await readdir(cache)).toHaveLength(2);
});

test('what is prepared is taken, and nothing is built', async () => {
  const [built, fresh] = [await buildWorker(cache, NONE), join(cache, 'fresh')];
  expect(await buildWorker(fresh, cache)).toEqual(built);
  expect(await readdir(fresh)).toEqual([]);
});
