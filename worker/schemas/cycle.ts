/** Finds schemas that lead back to themselves before they look at anything: checking would not end. */
import type { CompiledSchema } from '@hyperjump/json-schema/experimental';
import type { KeywordNode } from './build.ts';
import { OF_LIBRARY } from './keyword.ts';

/** Keywords whose schemas are evaluated at once, of the value itself. */
const AT_ONCE: ReadonlySet<string> = new Set([
  OF_LIBRARY.allOf,
  OF_LIBRARY.anyOf,
  OF_LIBRARY.not,
  OF_LIBRARY.oneOf,
  OF_LIBRARY.ref,
]);

/** URLs of schemas that close a circle; no recursion, so that any depth will do. */
export function circles({ ast }: CompiledSchema): string[] {
  const closing: string[] = [];
  const state = new Map<string, 'open' | 'done'>();
  for (const start of Object.keys(ast)) {
    const left = [start];
    for (let url = left.at(-1); url !== undefined; url = left.at(-1)) {
      if (state.has(url)) {
        state.set(url, 'done');
        left.pop();
        continue;
      }
      state.set(url, 'open');
      const next = follow(ast[url]);
      if (next.some((each) => state.get(each) === 'open')) closing.push(url);
      left.push(...next.filter((each) => !state.has(each)));
    }
  }
  return closing;
}

function follow(nodes: CompiledSchema['ast'][string] | undefined): string[] {
  if (!Array.isArray(nodes)) return [];
  return nodes.flatMap(([id, , value]: KeywordNode) => {
    if (id === OF_LIBRARY.conditional) return [(value as string[])[0] ?? ''];
    return AT_ONCE.has(id) ? (value as string | string[]) : [];
  });
}
