/** Operations on rules. Spec: "RBAC". Contract §4. */
import { anyMember, onOrganization } from '../access/access.ts';
import { ENTITY_KINDS } from '../access/explain.ts';
import { type AnyRoute, route } from '../route.ts';
import { onSubject, ownOrAsAdmin } from './access.ts';
import { checkAccess } from './check.ts';
import { getDocument, getPermissions, getSummary } from './get.ts';
import { addSubjects } from './grant.ts';
import { ownRoute, routesOn } from './kind-routes.ts';
import { pluralOf } from './kinds.ts';
import { revokeAllOnOrganization, revokeEverywhere, revokeOnOrganization } from './revoke.ts';
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
  SubjectPath,
  Summary,
} from './schema.ts';

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
    description:
      'Explains which rule decides, which others were considered, and the smallest grant that would allow it. To ask for another subject needs Admin.',
    tag: 'Grants',
    errors: [
      'FORBIDDEN',
      'USER_NOT_FOUND',
      'KEY_NOT_FOUND',
      'ENDPOINT_NOT_FOUND',
      'TEMPLATE_NOT_FOUND',
      'WORKFLOW_NOT_FOUND',
    ],
    access: anyMember,
    changes: 'nothing',
    query: CheckQuery,
    reply: 'bare',
    result: CheckResult,
    handle: (ctx, { policy, query }) => checkAccess(ctx, policy, query, all()),
  });
}

const organizationRoutes: AnyRoute[] = [
  route({
    method: 'GET',
    path: '/iam/rbac/organizations',
    summary: 'Show the rules on the organization',
    description: 'Each user and group with its level.',
    tag: 'Grants',
    errors: [],
    access: onOrganization('Admin'),
    changes: 'nothing',
    conditional: true,
    reply: 'bare',
    result: documentOf('organization'),
    handle: (ctx) =>
      getDocument(ctx, 'organization', { uuid: ctx.caller.orgUuid, id: ctx.caller.orgId }),
  }),
  route({
    method: 'DELETE',
    path: '/iam/rbac/organizations',
    summary: 'Remove all rules on the organization but your own',
    description: 'Users stay members, with their rules on resources only.',
    tag: 'Grants',
    errors: ['LAST_SUPER_ADMIN', 'EDIT_CONFLICT'],
    access: onOrganization('SuperAdmin'),
    changes: 'organization',
    conditional: true,
    reply: 'bare',
    result: RemovedDocument,
    handle: revokeAllOnOrganization,
  }),
  route({
    method: 'POST',
    path: '/iam/rbac/organizations/subjects',
    summary: 'Give subjects a level on the organization',
    description:
      'A grant replaces the earlier one of the same subject. Of a list all take effect, or none. Only SuperAdmin gives, changes or takes Admin and SuperAdmin.',
    tag: 'Grants',
    errors: ['USER_NOT_FOUND', 'KEY_NOT_FOUND', 'NOT_FOUND', 'LAST_SUPER_ADMIN', 'EDIT_CONFLICT'],
    access: onOrganization('Admin'),
    changes: 'organization',
    body: additionsOn('organization'),
    reply: 'bare',
    result: addedTo('organization'),
    names: { subject: '/subject' },
    handle: (ctx, { body, demands }) => addSubjects(ctx, 'organization', body, demands),
  }),
  route({
    method: 'GET',
    path: '/iam/rbac/organizations/subjects/:subject',
    summary: "Show a subject's level on the organization",
    description: "One's own needs no level, another's needs Admin.",
    tag: 'Grants',
    errors: [],
    access: ownOrAsAdmin,
    changes: 'nothing',
    params: SubjectPath,
    conditional: true,
    reply: 'bare',
    result: levelsOn('organizations'),
    handle: (ctx, { resource }) => getPermissions(ctx, resource, ['organization']),
  }),
  route({
    method: 'DELETE',
    path: '/iam/rbac/organizations/subjects/:subject',
    summary: "Remove a subject's level on the organization",
    description: 'Its rules on resources stay. A subject above Write needs SuperAdmin.',
    tag: 'Grants',
    errors: ['LAST_SUPER_ADMIN', 'EDIT_CONFLICT'],
    access: onSubject,
    changes: 'organization',
    params: SubjectPath,
    conditional: true,
    reply: 'bare',
    result: removedFrom('organization'),
    handle: revokeOnOrganization,
  }),
];

const subjectRoutes: AnyRoute[] = [
  route({
    method: 'GET',
    path: '/iam/rbac/subjects/:subject',
    summary: "Show all of a subject's permissions",
    description: "One's own needs no level, another's needs Admin.",
    tag: 'Grants',
    errors: [],
    access: ownOrAsAdmin,
    changes: 'nothing',
    params: SubjectPath,
    conditional: true,
    reply: 'bare',
    result: Summary,
    handle: (ctx, { resource }) => getSummary(ctx, resource),
  }),
  route({
    method: 'DELETE',
    path: '/iam/rbac/subjects/:subject',
    summary: "Remove all of a subject's permissions",
    description:
      'On the organization and on every resource. A subject above Write needs SuperAdmin.',
    tag: 'Grants',
    errors: ['LAST_SUPER_ADMIN', 'EDIT_CONFLICT'],
    access: onSubject,
    changes: 'organization',
    params: SubjectPath,
    conditional: true,
    reply: 'bare',
    result: RemovedEverywhere,
    handle: revokeEverywhere,
  }),
  ...(['organization', ...ENTITY_KINDS] as const).map((kind) =>
    route({
      method: 'GET',
      path: `/iam/rbac/subjects/:subject/${pluralOf(kind)}`,
      summary: `Show a subject's permissions on ${pluralOf(kind)}`,
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
  ),
];
