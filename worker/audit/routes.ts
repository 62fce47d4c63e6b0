/** The organization's audit. Contract §4, §13; specification silent on its interface. */
import { onOrganization } from '../access/access.ts';
import { type AnyRoute, route } from '../http/route.ts';
import { listAudit } from './list.ts';
import { AuditPage, AuditQuery, Head } from './wire.ts';

export const auditRoutes: AnyRoute[] = [
  route({
    method: 'GET',
    path: '/audit',
    summary: 'List who did what, when and from where, newest first',
    access: onOrganization('Admin'),
    changes: 'nothing',
    query: AuditQuery,
    reply: 'bare',
    result: AuditPage,
    handle: (ctx, { query }) => listAudit(ctx, query),
  }),
  route({
    method: 'GET',
    path: '/audit/head',
    summary: 'Get the signed head of the audit chain, to verify later exports against',
    access: onOrganization('Admin'),
    changes: 'nothing',
    reply: 'bare',
    result: Head,
    async handle({ env, caller }) {
      return { ...(await env.AUDIT_CHAIN.getByName(caller.orgUuid).head(caller.orgUuid)) };
    },
  }),
];
