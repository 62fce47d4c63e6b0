/** Copies of the specification: a changed or missing one is found and written, and no folder of originals is no fault. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { staleCopies, writeCopies } from './spec-copies.ts';

let folder: string;
let root: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-spec-'));
  root = join(folder, 'project');
  await mkdir(join(root, 'docs/spec'), { recursive: true });
  await writeFile(join(root, 'docs/spec/a.md'), 'a');
  await writeFile(join(root, 'docs/spec/b.md'), 'an older b');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('copies that differ and that are missing are named, and written', async () => {
  await mkdir(join(folder, 'shared/spec'), { recursive: true });
  for (const name of ['a', 'b', 'c'])
    await writeFile(join(folder, 'shared/spec', `${name}.md`), name);
  expect(await staleCopies(root)).toEqual(['docs/spec/b.md', 'docs/spec/c.md']);
  await writeCopies(root);
  expect(await staleCopies(root)).toEqual([]);
  expect(await readFile(join(root, 'docs/spec/b.md'), 'utf8')).toBe('b');
});

test('where there are no originals, nothing is said and nothing is written', async () => {
  expect(await staleCopies(root)).toEqual([]);
  await writeCopies(root);
  expect(await readFile(join(root, 'docs/spec/b.md'), 'utf8')).toBe('an older b');
});
