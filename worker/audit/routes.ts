/** The organization's audit. Contract §4, §13; specification silent on its interface. */
import { onOrganization } from '../access/access.ts';
import { type AnyRoute, route } from '../route.ts';
import { listAudit } from './list.ts';
import { AuditPage, AuditQuery, Head } from './wire.ts';

export const auditRoutes: AnyRoute[] = [
  route({
    method: 'GET',
    path: '/audit',
    summary: 'List who did what, when and from where, newest first',
    description:
      'All filters that are given hold. `seq` and `hash` are null until the entry stands in the chain, a moment after it was written.',
    tag: 'Audit',
    errors: [],
    access: onOrganization('Admin'),
    changes: 'nothing',
    query: AuditQuery,
    reply: 'bare',
    result: AuditPage,
    names: { cursor: '/next_cursor' },
    handle: (ctx, { query }) => listAudit(ctx, query),
  }),
  route({
    method: 'GET',
    path: '/audit/head',
    summary: 'Get the signed head of the audit chain, to verify later exports against',
    description:
      'Kept elsewhere, it shows whether entries were edited, removed, reordered or cut off since. It is signed with the Ed25519 key of the installation.',
    tag: 'Audit',
    errors: [],
    access: onOrganization('Admin'),
    changes: 'nothing',
    reply: 'bare',
    result: Head,
    async handle({ env, caller }) {
      return { ...(await env.AUDIT_CHAIN.getByName(caller.orgUuid).head(caller.orgUuid)) };
    },
  }),
];
