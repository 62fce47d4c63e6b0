/** A description of a few paths, with all that they refer to. */
import { type Node, nodeOf, step } from './description.ts';

/** A whole description that has these paths alone. Components that none of them reaches are left out. */
export function partOf(document: Node, paths: readonly string[]): Node {
  const kept = Object.fromEntries(paths.map((path) => [path, nodeOf(document.paths)[path]]));
  const reached = new Set<string>();
  collect(document, kept, reached);
  for (const path of Object.values(kept)) {
    for (const { security } of Object.values(nodeOf(path)).map((each) => nodeOf(each))) {
      const names = Array.isArray(security)
        ? security.flatMap((each) => Object.keys(nodeOf(each)))
        : [];
      for (const name of names) reached.add(`#/components/securitySchemes${step(name)}`);
    }
  }
  const components = Object.entries(nodeOf(document.components)).map(([sort, all]) => {
    const used = Object.entries(nodeOf(all)).filter(([name]) =>
      reached.has(`#/components/${sort}${step(name)}`),
    );
    return [sort, Object.fromEntries(used)] as const;
  });
  return { ...document, paths: kept, components: Object.fromEntries(components) };
}

/** Adds what is referred to, directly and by way of others. */
function collect(document: Node, value: unknown, reached: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [member, each] of Object.entries(value)) {
    if (member !== '$ref' || typeof each !== 'string') collect(document, each, reached);
    else if (!reached.has(each)) {
      reached.add(each);
      const [, , sort = '', name = ''] = each.split('/');
      collect(document, nodeOf(nodeOf(document.components)[sort])[name], reached);
    }
  }
}
