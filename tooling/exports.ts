/** Exports that no other file imports: what is not shared is not exported, so that the compiler sees when nothing uses it any more. */
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { ROOT } from '../server/bundle.ts';

const FOLDERS = ['bench', 'kinds', 'node-relay', 'proto', 'server', 'test', 'tooling', 'worker'];
/** Made by tools, whole. */
const GENERATED = /^proto\/gen\/|^kinds\/redis\/generated\//;
/** What a runtime, a tool or a proof loads by its path, and not by an import. */
const ENTRIES = [
  /\.config\.ts$/,
  /^worker\/(?:runtimes\/)?index\.ts$/,
  /^worker\/nodes\/tunnel\/test\/edge-worker\.ts$/,
  /^worker\/test\/doubling\/subjects\.ts$/,
  /^test\/proofs\/(?:[^/]+\/proof|hostile-replies\/kinds\/[^/]+)\.ts$/,
];
const SOURCE = /\.(?:ts|mjs|js)$/;
const DECLARED =
  /^export (?:declare |abstract |async )*(?:function\*?|interface|type|class|const|let|enum) (\w+)/gm;
const IMPORTED =
  /^(?:import|export) (?:type )?(?:\w+, )?(?:\{([^}]*)\}|\*(?: as \w+)?) from '(\.[^']+)';/gm;
/** `import('./x.ts')`, also of a type: all that the file exports may be meant. */
const LOADED = /import\(\s*'(\.[^']+)'/g;
const ALL = '*';

/** A line for each export that nothing imports. @param root a checkout, or a tree laid out like one */
export async function exportFaults(root = ROOT): Promise<string[]> {
  const texts = await sources(root);
  const used = new Map<string, Set<string>>();
  for (const [file, text] of texts) {
    for (const [to, name] of importsOf(file, text))
      used.set(to, (used.get(to) ?? new Set()).add(name));
  }
  return [...texts].flatMap(([file, text]) => {
    if (!file.endsWith('.ts')) return [];
    const names = used.get(file) ?? new Set();
    if (names.has(ALL) || [GENERATED, ...ENTRIES].some((each) => each.test(file))) return [];
    return [...text.matchAll(DECLARED)]
      .map(([, name = '']) => name)
      .filter((name) => !names.has(name))
      .map((name) => `exported, and imported by nobody: ${name} of ${file}`);
  });
}

/** Which file, and which name of it. */
function importsOf(file: string, text: string): (readonly [string, string])[] {
  const at = (path: string) => normalize(join(dirname(file), path));
  const named = [...text.matchAll(IMPORTED)].flatMap(([, list, path = '']) =>
    (list?.split(',') ?? [ALL]).map((each) => [at(path), nameOf(each)] as const),
  );
  return [...named, ...[...text.matchAll(LOADED)].map(([, path = '']) => [at(path), ALL] as const)];
}

/** `type Name as Other` is an import of `Name`. */
function nameOf(specifier: string): string {
  return specifier
    .trim()
    .replace(/^type /, '')
    .replace(/ as .*$/, '');
}

async function sources(root: string): Promise<Map<string, string>> {
  const inside = FOLDERS.map(async (folder) => {
    const all = await readdir(join(root, folder), { recursive: true }).catch(() => []);
    return all.map((file) => `${folder}/${file}`);
  });
  const files = [...(await readdir(root)), ...(await Promise.all(inside)).flat()];
  const ours = files.filter((file) => SOURCE.test(file) && !file.includes('node_modules/'));
  return new Map(
    await Promise.all(
      ours.map(async (file) => [file, await readFile(join(root, file), 'utf8')] as const),
    ),
  );
}
