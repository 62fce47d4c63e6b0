/** The worker in a form that notes which of its files run, and says so at a path of its own. */
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Node, parse } from 'acorn';
import { buildWorker, bundle } from '../../server/bundle.ts';

/** Answers the files that have run since it was asked before, as a list. */
export const WALK_PATH = '/walked';

/**
 * Builds the worker where a gateway with this cache finds it, with a note at the beginning of each function.
 * @param cache a folder that is gone afterwards
 */
export async function buildCountedWorker(cache: string): Promise<void> {
  await buildWorker(cache, join(cache, 'none'));
  const [name = ''] = (await readdir(cache)).filter((each) => each.startsWith('worker-'));
  await writeFile(join(cache, name), counted(await bundle([], 'worker', true)));
}

/** @param code a bundle, in which a line `// worker/app.ts` is ahead of each file */
function counted(code: string): string {
  const heads = [...code.matchAll(/^\/\/ ([\w@./-]+\.\w+)$/gm)];
  const notes: { readonly at: number; readonly text: string }[] = [];
  for (const { start, end, isBlock } of bodies(parse(code, PARSED))) {
    const file = heads.findLast(({ index }) => index < start)?.[1];
    if (file === undefined || file.includes('node_modules/')) continue;
    const note = `walked.add(${JSON.stringify(file)})`;
    if (isBlock) notes.push({ at: start + 1, text: `${note};` });
    else notes.push({ at: start, text: `(${note}, ` }, { at: end, text: ')' });
  }
  // Ends before beginnings: of two notes at one place the end is of the body ahead of it.
  const sorted = notes.toSorted((one, other) => one.at - other.at || (one.text === ')' ? -1 : 1));
  const pieces = sorted.map(({ at, text: note }, index) => {
    return note + code.slice(at, sorted[index + 1]?.at);
  });
  const text = code.slice(0, sorted[0]?.at) + pieces.join('');
  const [, before = '', main = ''] = /^([\s\S]*)\n {2}(\w+) as default\b/.exec(text) ?? [];
  const rest = text.slice(before.length + `\n  ${main} as default`.length);
  return `const walked = new Set();\n${before}\n  walkedWorker as default${rest}
const walkedWorker = { ...${main}, fetch(request, ...rest) {
  if (!request.url.endsWith('${WALK_PATH}')) return ${main}.fetch(request, ...rest);
  const files = [...walked];
  walked.clear();
  return Response.json(files);
} };\n`;
}

const PARSED = { ecmaVersion: 'latest', sourceType: 'module' } as const;

interface Body {
  readonly start: number;
  readonly end: number;
  readonly isBlock: boolean;
}

/** Bodies of all functions; that of an arrow function may be an expression. */
function bodies(node: Node): Body[] {
  const found: Body[] = [];
  const open: unknown[] = [node];
  while (open.length > 0) {
    const next = open.pop();
    if (Array.isArray(next)) open.push(...next);
    else if (isNode(next)) {
      if (/Function/.test(next.type) && 'body' in next && isNode(next.body)) {
        const { start, end, type } = next.body;
        found.push({ start, end, isBlock: type === 'BlockStatement' });
      }
      open.push(...Object.values(next));
    }
  }
  return found;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}
