/** Operations on organizations. Spec: "Authentication and organizations". */
import { anyone, onOrganization } from '../access/access.ts';
import { type AnyRoute, publicRoute, route } from '../route.ts';
import { admitFounder } from './admit.ts';
import { createWithAdminEmail, createWithSuperAdmins } from './create.ts';
import { deleteOrganization } from './delete.ts';
import { getOrganization } from './get.ts';
import {
  Created,
  DeletedOrganization,
  NewOrganization,
  OrganizationPatch,
  OrganizationRecord,
  Updated,
} from './schema.ts';
import { retentionOf, updateOrganization } from './update.ts';

/** Both names that the specification lists. */
const PATHS = ['/organizations', '/org'] as const;

export const organizationRoutes: AnyRoute[] = [
  publicRoute({
    method: 'POST',
    path: '/new',
    summary: 'Create an organization',
    description:
      'Takes either an `id` with `super_admins` and their passwords, or a `name` with the address of an administrator, who is mailed a link. Each password counts as a check of one, and where that is one too many nothing is hashed. An installation may demand a token of its own for this.',
    tag: 'Organizations',
    errors: [
      'TOKEN_REQUIRED',
      'TOKEN_INVALID',
      'ORGANIZATION_EXISTS',
      'ACCOUNT_EXISTS',
      'SERVICE_UNAVAILABLE',
    ],
    credentials: 'installation',
    access: anyone,
    admit: (ctx, { authorization }) => admitFounder(ctx, authorization),
    changes: 'nothing',
    body: NewOrganization,
    reply: 'bare',
    result: Created,
    handle: (ctx, { body }) =>
      'adminEmail' in body ? createWithAdminEmail(ctx, body) : createWithSuperAdmins(ctx, body),
  }),
  route({
    method: 'GET',
    path: PATHS,
    summary: 'Show the organization, its usage and its users',
    description:
      'A caller below Admin sees only themselves among the users, and only those resources that they may read.',
    tag: 'Organizations',
    errors: [],
    access: onOrganization('Read'),
    changes: 'nothing',
    conditional: true,
    reply: 'bare',
    result: OrganizationRecord,
    handle: getOrganization,
  }),
  route({
    method: 'PATCH',
    path: PATHS,
    summary: "Change the organization's name, description and settings",
    description: 'What is left out stays as it is; a setting that is `null` has its default again.',
    tag: 'Organizations',
    errors: ['QUOTA_EXCEEDED'],
    access: onOrganization('SuperAdmin'),
    changes: 'organization',
    relief: retentionOf,
    body: OrganizationPatch,
    conditional: true,
    reply: 'bare',
    result: Updated,
    handle: (ctx, { body, ifMatch }) => updateOrganization(ctx, body, ifMatch),
  }),
  route({
    method: 'DELETE',
    path: PATHS,
    summary: 'Delete the organization with everything it has; accounts stay',
    description:
      'At once nobody can log in or use it any more, and its data key is destroyed; the rest is swept away within the hour.',
    tag: 'Organizations',
    errors: [],
    access: onOrganization('SuperAdmin'),
    changes: 'organization',
    relief: () => 'always',
    conditional: true,
    reply: 'bare',
    result: DeletedOrganization,
    handle: (ctx, { ifMatch }) => deleteOrganization(ctx, ifMatch),
  }),
];
