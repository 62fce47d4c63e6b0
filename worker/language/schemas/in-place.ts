/** Schemas that hand a value on to others at once: circles among them are found, detours are cut short. */
import type { CompiledSchema } from '@hyperjump/json-schema/experimental';
import type { KeywordNode } from './build.ts';
import { OF_LIBRARY } from './keyword.ts';

/** Keywords whose schemas are evaluated in any case, of the value itself. */
const AT_ONCE: ReadonlySet<string> = new Set([
  OF_LIBRARY.allOf,
  OF_LIBRARY.anyOf,
  OF_LIBRARY.not,
  OF_LIBRARY.oneOf,
  OF_LIBRARY.ref,
]);

/** URLs of schemas that lead back to themselves: checking would not end. No recursion: any depth will do. */
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
    // Of `if`, `then` and `else`, the first alone is evaluated in any case.
    if (id === OF_LIBRARY.conditional) return [(value as string[])[0] ?? ''];
    return AT_ONCE.has(id) ? (value as string | string[]) : [];
  });
}

/**
 * Lets a schema that is only a reference into the same resource be what it refers to. There
 * must be no circles. References into others stay: they widen the dynamic scope.
 */
export function cutShort({ ast }: CompiledSchema): void {
  for (const url of Object.keys(ast)) {
    let target = url;
    for (let next = onlyReference(ast[target]); next !== undefined; ) {
      if (resourceOf(next) !== resourceOf(url)) break;
      target = next;
      next = onlyReference(ast[target]);
    }
    const schema = ast[target];
    if (schema !== undefined) ast[url] = schema;
  }
}

function onlyReference(nodes: CompiledSchema['ast'][string] | undefined): string | undefined {
  if (!Array.isArray(nodes) || nodes.length !== 1) return undefined;
  const [[id, , url] = []] = nodes;
  return id === OF_LIBRARY.ref ? (url as string) : undefined;
}

function resourceOf(url: string): string {
  return url.slice(0, url.indexOf('#'));
}
