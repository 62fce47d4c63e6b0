/** Which source files the functions are from that a script has run since it was last asked. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../../server/bundle.ts';

/** One script, as the protocol of V8's inspector reports it. */
export interface FunctionsRun {
  readonly url: string;
  readonly functions: readonly {
    readonly functionName: string;
    readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
  }[];
}

/**
 * Files of the project, relative to its folder; none for a script of Node or of a package. In a bundle a
 * line `// node-relay/calls.ts` is ahead of each file.
 */
export function filesRun({ url, functions }: FunctionsRun): string[] {
  if (!url.startsWith('file://')) return [];
  const path = fileURLToPath(url);
  const run = functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0);
  if (path.includes('/.cache/causeway/parts/')) return bundledFiles(path, run);
  const isOurs = path.startsWith(`${ROOT}/`) && !path.includes('/node_modules/');
  return isOurs && run.length > 0 ? [path.slice(ROOT.length + 1)] : [];
}

function bundledFiles(path: string, run: FunctionsRun['functions']): string[] {
  const heads = [...readFileSync(path, 'utf8').matchAll(/^\/\/ ([\w@./-]+\.\w+)$/gm)];
  const files = run.flatMap(({ ranges }) => {
    const start = ranges[0]?.startOffset ?? 0;
    return heads.findLast(({ index }) => index < start)?.[1] ?? [];
  });
  return [...new Set(files)].filter((file) => !file.includes('node_modules/'));
}
