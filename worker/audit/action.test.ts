/** Names of what routes do. */
import { expect, test } from 'vitest';
import page from '../../docs/operate.md?raw';
import { routes } from '../app.ts';
import { methodsOf, pathsOf } from '../route.ts';
import { actionOf } from './action.ts';

const named = (method: string, path: string) => {
  const found = routes.find(
    (each) => methodsOf(each).some((own) => own === method) && pathsOf(each).includes(path),
  );
  return found && actionOf(found);
};

test.each([
  ['POST', '/endpoints', 'endpoint.create'],
  ['GET', '/endpoints', 'endpoint.list'],
  ['GET', '/endpoints/:endpoint', 'endpoint.get'],
  ['PATCH', '/endpoints/:endpoint', 'endpoint.update'],
  ['DELETE', '/endpoints/:endpoint', 'endpoint.delete'],
  ['POST', '/endpoints/:endpoint/read', 'endpoint.read'],
  ['POST', '/endpoints/:endpoint/sessions', 'endpoint.sessions.create'],
  ['PUT', '/endpoints/:endpoint/nodes/:gateway_node_uuid', 'endpoint.nodes.set'],
  ['POST', '/auth/refresh', 'auth.refresh'],
  ['GET', '/audit', 'audit.get'],
])('%s %s is %s', (method, path, action) => expect(named(method, path)).toBe(action));

test('every route has a name of its own, in letters, underscores and dots', () => {
  const names = routes.map(actionOf);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  expect(names.filter((name) => !/^[a-z_]+(?:\.[a-z_]+)*$/.test(name))).toEqual([]);
});

test('docs/operate.md lists the action of every operation that changes the organization', () => {
  const names = routes.filter(({ changes }) => changes === 'organization').map(actionOf);
  expect(names.length).toBeGreaterThan(30);
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
