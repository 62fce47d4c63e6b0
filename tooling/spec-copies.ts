/** Keeps docs/spec/ equal to the specification's own folder next to the project, on machines that have it. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const ORIGINALS = '../shared/spec';
const COPIES = 'docs/spec';

/**
 * The copies that are missing or differ, by their paths in the project; empty where there is no folder of originals.
 * @param root the project's folder
 */
export async function staleCopies(root: string): Promise<string[]> {
  const stale = await Promise.all(
    (await originals(root)).map(async ({ path, text }) => {
      const copy = await readFile(join(root, path), 'utf8').catch(() => undefined);
      return copy === text ? [] : [path];
    }),
  );
  return stale.flat();
}

/** Writes every copy again. @param root the project's folder */
export async function writeCopies(root: string): Promise<void> {
  const found = await originals(root);
  await Promise.all(found.map(({ path, text }) => writeFile(join(root, path), text)));
}

async function originals(root: string): Promise<{ path: string; text: string }[]> {
  const folder = join(root, ORIGINALS);
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.md'));
  return Promise.all(
    names.map(async (name) => ({
      path: join(COPIES, name),
      text: await readFile(join(folder, name), 'utf8'),
    })),
  );
}
