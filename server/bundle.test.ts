/** What is built is remembered until it would come out otherwise. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildWorker } from './bundle.ts';

/** Where nothing is prepared. */
const NONE = '/nonexistent';

let cache: string;
beforeAll(async () => {
  cache = await mkdtemp(join(tmpdir(), 'causeway-cache-'));
});
afterAll(() => rm(cache, { recursive: true }));

test('a worker is one module with the bindings of wrangler.toml', async () => {
  const { code, options } = await buildWorker(cache, NONE);
  expect(/^ {2}\w+ as default\n};$/m.test(code)).toBe(true);
  const [from, tests] = [/^\/\/ worker\/index\.ts$/m, /^\/\/ \S*(?:\btest\/|\.test\.ts$)/m];
  expect([from, tests].map((each) => each.test(code))).toEqual([true, false]);
  expect(options.workerOptions.d1Databases).toHaveProperty('DB');
  expect(options.workerOptions.compatibilityFlags).toContain('nodejs_compat');
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
