/** Operations on the rules of resources: the same for each kind. Spec: "RBAC". Contract §4. */
import { anyMember } from '../access/access.ts';
import type { EntityKind } from '../access/explain.ts';
import { type AnyRoute, route } from '../route.ts';
import { onSomeOfKind, onSubjectOfKind, onTarget, ownOrAsAdmin } from './access.ts';
import { getAccessible, getDocument, getPermissions } from './get.ts';
import { addSubjects } from './grant.ts';
import { idMemberOf, notFoundOf, pluralOf, resultMemberOf } from './kinds.ts';
import { revokeOnKind, revokeOnResource } from './revoke.ts';
import {
  addedTo,
  additionsOn,
  documentOf,
  levelsOn,
  oneOrAll,
  pathTo,
  RemovedDocument,
  removedFrom,
  SubjectPath,
} from './schema.ts';

/** What the caller may read of a kind; of endpoints only. */
export const ownRoute: AnyRoute = route({
  method: 'GET',
  path: '/iam/rbac/endpoints/subjects',
  summary: 'Show the endpoints that you may read, with your level on each',
  description: 'By rules on the endpoints or on the organization.',
  tag: 'Grants',
  errors: [],
  access: anyMember,
  changes: 'nothing',
  reply: 'bare',
  result: levelsOn('endpoints'),
  handle: (ctx, { policy }) => getAccessible(ctx, policy, 'endpoint'),
});

/** All operations on the rules of one kind; what names no resource comes before what does. */
export function routesOn(kind: EntityKind): AnyRoute[] {
  return [...subjectRoutesOn(kind), ...documentRoutesOn(kind)];
}

function subjectRoutesOn(kind: EntityKind): AnyRoute[] {
  const path = `/iam/rbac/${pluralOf(kind)}/subjects`;
  const at = `/${resultMemberOf(kind)}`;
  return [
    route({
      method: 'POST',
      path,
      summary: `Give subjects a level on one ${kind}`,
      description:
        'A grant replaces the earlier one of the same subject. Of a list all take effect, or none. Only SuperAdmin gives, changes or takes Admin and SuperAdmin.',
      tag: 'Grants',
      errors: ['USER_NOT_FOUND', 'KEY_NOT_FOUND', notFoundOf(kind), 'EDIT_CONFLICT'],
      access: onSomeOfKind(kind),
      changes: 'organization',
      body: additionsOn(kind),
      reply: 'bare',
      result: addedTo(kind),
      names: { subject: '/subject', [kind]: at, [idMemberOf(kind)]: at },
      handle: (ctx, { body, demands }) => addSubjects(ctx, kind, body, demands),
    }),
    route({
      // The specification lists this one with POST.
      method: kind === 'workflow' ? ['GET', 'POST'] : 'GET',
      idempotency: { reads: true },
      path: `${path}/:subject`,
      summary: `Show a subject's levels on ${pluralOf(kind)}`,
      description: "One's own need no level, another's need Admin.",
      tag: 'Grants',
      errors: [],
      access: ownOrAsAdmin,
      changes: 'nothing',
      params: SubjectPath,
      conditional: true,
      reply: 'bare',
      result: levelsOn(pluralOf(kind)),
      handle: (ctx, { resource }) => getPermissions(ctx, resource, [kind]),
    }),
    route({
      method: 'DELETE',
      path: `${path}/:subject`,
      summary: `Remove a subject's level on one ${kind}, or on all`,
      description: 'Without a resource in the query all rules of that sort go.',
      tag: 'Grants',
      errors: [notFoundOf(kind), 'EDIT_CONFLICT'],
      access: onSubjectOfKind(kind),
      changes: 'organization',
      params: SubjectPath,
      query: oneOrAll(kind),
      conditional: true,
      reply: 'bare',
      result: removedFrom(kind),
      handle: (ctx, { query, ...asked }) => revokeOnKind(ctx, kind, asked, query[idMemberOf(kind)]),
    }),
  ];
}

function documentRoutesOn(kind: EntityKind): AnyRoute[] {
  const path = `/iam/rbac/${pluralOf(kind)}/:${kind}`;
  const params = pathTo(kind);
  return [
    route({
      method: 'GET',
      path,
      summary: `Show the rules on one ${kind}`,
      description: 'Each user and group with its level.',
      tag: 'Grants',
      errors: [],
      access: onTarget(kind, 'Admin'),
      changes: 'nothing',
      params,
      conditional: true,
      reply: 'bare',
      result: documentOf(kind),
      handle: (ctx, { resource }) => getDocument(ctx, kind, resource),
    }),
    route({
      method: 'DELETE',
      path,
      summary: `Remove all rules on one ${kind}`,
      description: "What remains is each subject's level on the organization.",
      tag: 'Grants',
      errors: ['EDIT_CONFLICT'],
      access: onTarget(kind, 'SuperAdmin'),
      changes: 'organization',
      params,
      conditional: true,
      reply: 'bare',
      result: RemovedDocument,
      handle: (ctx, { resource, ifMatch }) => revokeOnResource(ctx, kind, resource, ifMatch),
    }),
  ];
}
