/** What a route does, as audit entries name it: `endpoint.create`, `endpoint.read`, `rbac.endpoints.subjects.delete`. */
import { type AnyRoute, methodsOf, pathsOf } from '../http/route.ts';

/** Paths that hold many of a kind: a POST there makes one. */
const COLLECTIONS: Readonly<Record<string, string>> = {
  organizations: 'organization',
  endpoints: 'endpoint',
  nodes: 'node',
  sessions: 'session',
  templates: 'template',
  workflows: 'workflow',
  transactions: 'transaction',
  users: 'user',
  subjects: 'subject',
};
const VERBS = {
  POST: 'create',
  PUT: 'set',
  PATCH: 'update',
  DELETE: 'delete',
  GET: 'get',
} as const;

/** Stable: it follows from the route's method and path alone. */
export function actionOf(route: AnyRoute): string {
  const [path = '/'] = pathsOf(route);
  const methods = methodsOf(route);
  const method = methods.includes('POST') ? 'POST' : (methods[0] ?? 'GET');
  const segments = path.split('/').filter((each) => each !== '' && each !== 'iam');
  const names = segments.filter((each) => !each.startsWith(':'));
  const last = segments.at(-1) ?? '';
  const [head = '', ...rest] = names;
  const named = [COLLECTIONS[head] ?? head, ...rest].join('.');
  if (method === 'POST' && !last.startsWith(':') && !Object.hasOwn(COLLECTIONS, last)) return named;
  const isList = method === 'GET' && Object.hasOwn(COLLECTIONS, last) && last !== 'organizations';
  return `${named}.${isList ? 'list' : VERBS[method]}`;
}
