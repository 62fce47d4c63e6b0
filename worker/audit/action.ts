/** What a route does, as audit entries name it: `endpoint.create`, `endpoint.read`, `rbac.endpoints.subjects.delete`. */
import { type AnyRoute, type Method, methodsOf, pathsOf } from '../route.ts';

/** Paths that hold many of a kind: a POST there makes one. */
const COLLECTIONS: Readonly<Record<string, string>> = {
  organizations: 'organization',
  endpoints: 'endpoint',
  nodes: 'node',
  sessions: 'session',
  templates: 'template',
  workflows: 'workflow',
  transactions: 'transaction',
  tasks: 'task',
  events: 'event',
  users: 'user',
  keys: 'key',
  subjects: 'subject',
};
/** Parts of a resource; some operations act on one and some on many. */
const PARTS: Readonly<Record<string, readonly [many: string, one: string]>> = {
  executions: ['executions', 'execution'],
  'dead-letters': ['dead_letters', 'dead_letter'],
};
const VERBS = {
  POST: 'create',
  PUT: 'set',
  PATCH: 'update',
  DELETE: 'delete',
  GET: 'get',
} as const;

/** Stable: it follows from the route's method and path alone, but a facade's, which says it. */
export function actionOf(route: AnyRoute): string {
  if (route.facade) return route.facade.action;
  const [path = '/'] = pathsOf(route);
  const segments = path.split('/').filter((each) => each !== '' && each !== 'iam');
  const names = segments.flatMap((each, at) => {
    if (each.startsWith(':')) return [];
    const [many, one] = PARTS[each] ?? [each, each];
    return [segments[at + 1]?.startsWith(':') ? one : many];
  });
  const [head = '', ...rest] = names;
  const named = [COLLECTIONS[head] ?? head, ...rest].join('.');
  const verb = verbOf(methodsOf(route), segments.at(-1) ?? '');
  return verb === undefined ? named : `${named}.${verb}`;
}

/** `undefined` where the path's last segment is the verb itself. */
function verbOf(methods: readonly Method[], last: string): string | undefined {
  const isOne = last.startsWith(':');
  const isCollection = Object.hasOwn(COLLECTIONS, last);
  // Where two methods serve alike, the one that fits the path names it.
  const method = methods.find((each) => (each === 'GET') === isOne) ?? methods[0] ?? 'GET';
  if (method === 'POST' && isOne) return 'run';
  if (method === 'POST' && !isCollection) return undefined;
  if (method === 'GET' && isCollection && last !== 'organizations') return 'list';
  return VERBS[method];
}
