/** Whether a user may do something, why, and what would change it. Contract §13, `GET /iam/rbac/check`. */
import { badRequest } from '../../proto/errors.ts';
import type { Json } from '../../proto/json.ts';
import { demand, questionOf } from '../access/access.ts';
import { isKeySubject } from '../access/api-keys/identity.ts';
import { ENTITY_KINDS, type Entity, explain } from '../access/explain.ts';
import type { Policy } from '../access/policy.ts';
import { policyOn } from '../access/policy.ts';
import type { Caller, Context } from '../context.ts';
import { effectiveLevel } from '../levels.ts';
import { type AnyRoute, methodsOf, pathsOf } from '../route.ts';
import { findTarget } from './access.ts';
import { pluralOf } from './kinds.ts';
import type { CheckQuery } from './schema.ts';
import {
  isGroup,
  isPersonalKey,
  membersNamed,
  personalKeyNamed,
  type Subject,
  subjectNamed,
} from './subjects.ts';

/** Short names of operations on a resource itself; any other word is the end of a path. Spec silent. */
const METHOD_OF: Readonly<Record<string, string>> = {
  get: 'GET',
  update: 'PATCH',
  delete: 'DELETE',
  run: 'POST',
};
const PARAMETER = /:(\w+)/g;

/**
 * Explains the decision of a route for a member or a key, by asking the route itself. Where a path names a
 * user or a subject, it is taken to name the member. What a body decides beyond the route's level
 * is not seen.
 * @throws GatewayError BAD_REQUEST, 404 of the resource's sort, USER_NOT_FOUND, KEY_NOT_FOUND, FORBIDDEN when it
 * is another and the caller is no Admin
 */
export async function checkAccess(
  ctx: Context,
  own: Policy,
  query: CheckQuery,
  routes: readonly AnyRoute[],
): Promise<Json> {
  const named = resourceIn(query.resource);
  const { access, path } = routeOf(query.operation, named, routes);
  const subject = await subjectOf(ctx, own, query.subject);
  const entity = named && { ...named, id: (await findTarget(ctx, named.kind, named.id)).target.id };
  if (subject.key !== ctx.caller.userUuid) {
    demand({ held: effectiveLevel(own), policy: own, params: {} }, 'Admin');
  }
  const asked = { ...ctx, caller: callerOf(ctx.caller, subject) };
  const params = paramsOf(path, subject, entity);
  const { policy } =
    access.level === 'Public'
      ? { policy: await policyOn(asked) }
      : await access.find(asked, params);
  const needed = access.level === 'Public' || access.level === 'Member' ? 'None' : access.level;
  const { considered, grant, ...told } = explain(questionOf({ policy, params }, needed));
  return {
    ...told,
    considered: considered.map((each) => ({ ...each })),
    ...(grant ? { grant: { ...grant } } : {}),
  };
}

/** Who is asked about. */
interface CheckedSubject extends Subject {
  /** Of a personal key, the account that has it. */
  readonly owner?: string | undefined;
}

/** As if the subject came with a new token, which no change of password has ended. */
function callerOf(
  { external, key, ...account }: Caller,
  { key: subject, name, owner }: CheckedSubject,
) {
  const as = { userUuid: subject, userId: name, issuedAt: Number.MAX_SAFE_INTEGER };
  if (isKeySubject(subject)) {
    const uuid = subject.slice(subject.indexOf(':') + 1);
    return { ...account, ...as, key: { uuid, ...(owner === undefined ? {} : { owner }) } };
  }
  const identity = external && subject === account.userUuid ? { external } : {};
  return { ...account, ...as, ...identity };
}

async function subjectOf(
  ctx: Context,
  own: Policy,
  named: string | undefined,
): Promise<CheckedSubject> {
  const { userUuid, key } = ctx.caller;
  if (named === undefined || (key && named === own.username)) {
    return { key: userUuid, name: own.username, owner: key?.owner };
  }
  if (isGroup(named)) throw badRequest('subject', 'must be a user: a group alone can do nothing');
  if (isPersonalKey(named)) return personalKeyNamed(ctx, named);
  return subjectNamed(named, await membersNamed(ctx, [named]));
}

function resourceIn(named = 'organization'): Entity | undefined {
  if (named === 'organization') return undefined;
  for (const kind of ENTITY_KINDS) {
    const id = named.startsWith(`${kind}:`) ? named.slice(kind.length + 1) : '';
    if (id !== '') return { kind, id };
  }
  const forms = ['organization', ...ENTITY_KINDS.map((kind) => `${kind}:<id>`)];
  throw badRequest('resource', `must be one of ${forms.join(', ')}`);
}

function routeOf(operation: string, entity: Entity | undefined, routes: readonly AnyRoute[]) {
  const [method, path] = operation.includes(' ') ? written(operation) : short(operation, entity);
  const found = routes.find(
    (each) => methodsOf(each).some((one) => one === method) && pathsOf(each).includes(path),
  );
  if (!found) {
    throw badRequest(
      'operation',
      'must be a method and path that /help lists, such as "POST /endpoints/{endpoint}/read", or get, update, delete, run, or the last word of such a path',
    );
  }
  const kind = ENTITY_KINDS.find((each) => path.split('/').includes(`:${each}`));
  if (kind !== entity?.kind) {
    throw badRequest(
      'operation',
      `acts on ${kind === undefined ? 'the organization' : `one ${kind}`}`,
    );
  }
  return { access: found.access, path };
}

/** As `/help` writes it, with or without the base path. */
function written(operation: string): readonly [string, string] {
  const [method = '', path = ''] = operation.trim().split(/ +/);
  const local = path.replace(/^\/api\/v1(?=\/)/, '').replaceAll(/\{(\w+)\}/g, ':$1');
  return [method.toUpperCase(), local];
}

function short(word: string, entity: Entity | undefined): readonly [string, string] {
  const base = entity ? `/${pluralOf(entity.kind)}/:${entity.kind}` : '/organizations';
  const method = Object.hasOwn(METHOD_OF, word) ? METHOD_OF[word] : undefined;
  return method === undefined ? ['POST', `${base}/${word}`] : [method, base];
}

function paramsOf(path: string, subject: Subject, entity: Entity | undefined) {
  const names = Array.from(path.matchAll(PARAMETER), ([, name = '']) => name);
  return Object.fromEntries(
    names.map((name) => [name, name === entity?.kind ? entity.id : subject.name]),
  );
}
