/** Operations on rules. Spec: "RBAC". Contract §4. */
import { anyMember, onOrganization } from '../access/access.ts';
import { ENTITY_KINDS } from '../access/explain.ts';
import { type AnyRoute, route } from '../http/route.ts';
import { onSubject, ownOrAsAdmin } from './access.ts';
import { check } from './check.ts';
import { addSubjects } from './grant.ts';
import { ownRoute, routesOn, SubjectPath } from './kind-routes.ts';
import { pluralOf } from './kinds.ts';
import { removeEverywhere, removeFromOrganization, removeOrganizationDocument } from './revoke.ts';
import {
  addedTo,
  additionsOn,
  CheckQuery,
  CheckResult,
  documentOf,
  levelsOn,
  RemovedDocument,
  RemovedEverywhere,
  removedFrom,
  Summary,
} from './schema.ts';
import { showDocument, showPermissions, showSummary } from './show.ts';

/** @param all the whole API, which `…/check` explains and these routes are part of */
export function grantRoutes(all: () => readonly AnyRoute[]): AnyRoute[] {
  return [
    checkRoute(all),
    ...organizationRoutes,
    ownRoute,
    ...ENTITY_KINDS.flatMap(routesOn),
    ...subjectRoutes,
  ];
}

function checkRoute(all: () => readonly AnyRoute[]): AnyRoute {
  return route({
    method: 'GET',
    path: '/iam/rbac/check',
    summary: 'Tell whether you may do something, why, and what would change it',
    access: anyMember,
    changes: 'nothing',
    query: CheckQuery,
    reply: 'bare',
    result: CheckResult,
    handle: (ctx, { policy, query }) => check(ctx, policy, query, all()),
  });
}

const organizationRoutes: AnyRoute[] = [
  route({
    method: 'GET',
    path: '/iam/rbac/organizations',
    summary: 'Show the rules on the organization',
    access: onOrganization('Admin'),
    changes: 'nothing',
    reply: 'bare',
    result: documentOf('organization'),
    handle: (ctx) =>
      showDocument(ctx, 'organization', { uuid: ctx.caller.orgUuid, id: ctx.caller.orgId }),
  }),
  route({
    method: 'DELETE',
    path: '/iam/rbac/organizations',
    summary: 'Remove all rules on the organization but your own',
    access: onOrganization('SuperAdmin'),
    changes: 'organization',
    reply: 'bare',
    result: RemovedDocument,
    handle: removeOrganizationDocument,
  }),
  route({
    method: 'POST',
    path: '/iam/rbac/organizations/subjects',
    summary: 'Give subjects a level on the organization',
    access: onOrganization('Admin'),
    changes: 'organization',
    body: additionsOn('organization'),
    reply: 'bare',
    result: addedTo('organization'),
    handle: (ctx, { body }) => addSubjects(ctx, 'organization', body),
  }),
  route({
    method: 'GET',
    path: '/iam/rbac/organizations/subjects/:subject',
    summary: "Show a subject's level on the organization",
    access: ownOrAsAdmin,
    changes: 'nothing',
    params: SubjectPath,
    reply: 'bare',
    result: levelsOn('organizations'),
    handle: (ctx, { resource }) => showPermissions(ctx, resource, ['organization']),
  }),
  route({
    method: 'DELETE',
    path: '/iam/rbac/organizations/subjects/:subject',
    summary: "Remove a subject's level on the organization",
    access: onSubject,
    changes: 'organization',
    params: SubjectPath,
    reply: 'bare',
    result: removedFrom('organization'),
    handle: (ctx, { resource }) => removeFromOrganization(ctx, resource),
  }),
];

const subjectRoutes: AnyRoute[] = [
  route({
    method: 'GET',
    path: '/iam/rbac/subjects/:subject',
    summary: "Show all of a subject's permissions",
    access: ownOrAsAdmin,
    changes: 'nothing',
    params: SubjectPath,
    reply: 'bare',
    result: Summary,
    handle: (ctx, { resource }) => showSummary(ctx, resource),
  }),
  route({
    method: 'DELETE',
    path: '/iam/rbac/subjects/:subject',
    summary: "Remove all of a subject's permissions",
    access: onSubject,
    changes: 'organization',
    params: SubjectPath,
    reply: 'bare',
    result: RemovedEverywhere,
    handle: (ctx, { resource }) => removeEverywhere(ctx, resource),
  }),
  ...(['organization', ...ENTITY_KINDS] as const).map((kind) =>
    route({
      method: 'GET',
      path: `/iam/rbac/subjects/:subject/${pluralOf(kind)}`,
      summary: `Show a subject's permissions on ${pluralOf(kind)}`,
      access: ownOrAsAdmin,
      changes: 'nothing',
      params: SubjectPath,
      reply: 'bare',
      result: levelsOn(pluralOf(kind)),
      handle: (ctx, { resource }) => showPermissions(ctx, resource, [kind]),
    }),
  ),
];
