/** Operations on organizations. Spec: "Authentication and organizations". */
import { anyone } from '../access/access.ts';
import { type AnyRoute, publicRoute } from '../http/route.ts';
import { admitFounder } from './admit.ts';
import { createWithAdminEmail, createWithSuperAdmins } from './create.ts';
import { Created, NewOrganization } from './schema.ts';

export const organizationRoutes: AnyRoute[] = [
  publicRoute({
    method: 'POST',
    path: '/new',
    summary: 'Create an organization',
    access: anyone,
    admit: admitFounder,
    changes: 'nothing',
    body: NewOrganization,
    reply: 'bare',
    result: Created,
    handle: (ctx, { body }) =>
      'adminEmail' in body ? createWithAdminEmail(ctx, body) : createWithSuperAdmins(ctx, body),
  }),
];
