/** Promises of how routes are found: as the library's general router finds them, and each alone. */
import type { Result } from 'hono/router';
import { TrieRouter } from 'hono/router/trie-router';
import { describe, expect, test } from 'vitest';
import { facades, routes } from '../app.ts';
import { methodsOf, pathsOf } from '../route.ts';
import { PathRouter } from './router.ts';
import { wholePath } from './run.ts';

const served = [...routes, ...facades].flatMap((each) =>
  pathsOf(each).flatMap((path) =>
    methodsOf(each).map((method) => ({ method, path: wholePath(each, path) })),
  ),
);
const ours = new PathRouter<string>();
const general = new TrieRouter<string>();
for (const { method, path } of served) {
  ours.add(method, path, path);
  general.add(method, path, path);
}

/** Handlers with the parameters that they get, whichever form the router has for them. */
function found([handlers, stash]: Result<string>): unknown[] {
  return handlers.map(([handler, params]) => [
    handler,
    Object.fromEntries(
      Object.entries(params).map(([name, at]) => [name, typeof at === 'number' ? stash?.[at] : at]),
    ),
  ]);
}

describe('of each operation', () => {
  test.each(served)('$method $path is found, and nothing beside it', ({ method, path }) => {
    const asked = path.replaceAll(/:(\w+)(?:\{[^}]*\})?/g, '$1-1');
    // A second handler would be what costs; the general router may find one, and asks the first.
    const expected = found(general.match(method, asked)).slice(0, 1);
    expect(found(ours.match(method, asked))).toEqual(expected);
    // The second time it is remembered.
    expect(found(ours.match(method, asked))).toEqual(expected);
  });
});

test.each([
  ['GET', '/api/v1/iam/rbac/endpoints/subjects'],
  ['POST', '/upstash/shop/set/a%2Fb/c?x'],
  ['GET', '/upstash/shop/'],
  ['GET', '/api/v1/endpoints/'],
  ['GET', '/api/v1/endpoints//schema'],
  ['POST', '/api/v1/endpoints/a/b/read'],
  ['DELETE', '/api/v1/help'],
  ['GET', '/api/v1/help/'],
  ['GET', '/api/v1/__proto__'],
  ['BREW', '/api/v1/help'],
])('%s %s leads where the general router leads', (method, path) => {
  const [first] = found(ours.match(method, path));
  expect(first).toEqual(found(general.match(method, path))[0]);
});
