/** Logging in, staying so, and forgotten passwords. Spec: "Authentication and organizations". */
import { anyone } from '../access/access.ts';
import { type AnyRoute, publicRoute, route } from '../http/route.ts';
import { anyCurrentMember } from './access.ts';
import { login } from './login.ts';
import { completeReset, startReset } from './reset.ts';
import { RefreshedSession, Reset, ResetResult, Session } from './schema.ts';
import { openSession } from './session.ts';

export const authRoutes: AnyRoute[] = [
  publicRoute({
    method: ['POST', 'GET'],
    path: '/auth/login',
    summary: 'Log in with Authorization: Basic and X-Org-Id',
    access: anyone,
    changes: 'nothing',
    reply: 'bare',
    result: Session,
    handle: login,
  }),
  route({
    method: ['POST', 'GET'],
    path: '/auth/refresh',
    summary: 'Get a new token for one that is still valid',
    access: anyCurrentMember,
    changes: 'nothing',
    reply: 'bare',
    result: RefreshedSession,
    async handle(ctx, { resource: { username, readAt }, held: level }) {
      const { caller } = ctx;
      const issuedAt = Math.max(readAt, caller.issuedAt);
      const session = await openSession(ctx, { ...caller, userId: username, level, issuedAt });
      return { status: 'success', data: { token: session.token }, ...session };
    },
  }),
  publicRoute({
    method: 'POST',
    path: '/auth/password/reset',
    summary: 'Start a password reset, or complete it with its token',
    access: anyone,
    changes: 'nothing',
    body: Reset,
    reply: 'bare',
    result: ResetResult,
    handle: (ctx, { body }) => ('email' in body ? startReset(ctx, body) : completeReset(ctx, body)),
  }),
];
