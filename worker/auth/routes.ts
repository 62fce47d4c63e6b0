/** Logging in, staying so, and forgotten passwords. Spec: "Authentication and organizations". */
import { anyone } from '../access/access.ts';
import { type AnyRoute, publicRoute, route } from '../route.ts';
import { anyCurrentMember } from './access.ts';
import { login } from './login.ts';
import { issueLoginToken } from './login-token.ts';
import { completeReset, startReset } from './reset.ts';
import {
  LoginHeaders,
  LoginReply,
  NoLoginBody,
  RefreshReply,
  Reset,
  ResetResult,
} from './schema.ts';

export const authRoutes: AnyRoute[] = [
  publicRoute({
    method: ['POST', 'GET'],
    path: '/auth/login',
    summary: 'Log in with Authorization: Basic and X-Org-Id',
    description:
      'Answers a token for one organization. Every check of a password counts, 30 a minute by account and address, 50 by address; where too many wait to be hashed it is 503. Unknown users, wrong passwords and organizations that the user is no member of are told apart by nothing.',
    tag: 'Logging in',
    errors: ['PASSWORD_REQUIRED', 'INVALID_CREDENTIALS', 'SERVICE_UNAVAILABLE'],
    credentials: 'basic',
    headers: LoginHeaders,
    body: NoLoginBody,
    access: anyone,
    changes: 'nothing',
    idempotency: 'ignored',
    reply: 'bare',
    result: LoginReply,
    handle: login,
  }),
  route({
    method: ['POST', 'GET'],
    path: '/auth/refresh',
    summary: 'Get a new token for one that is still valid',
    description:
      'The old token stays valid until its own end. Once the login itself is too old, by default after 30 days, log in again.',
    tag: 'Logging in',
    errors: [],
    access: anyCurrentMember,
    changes: 'nothing',
    idempotency: 'ignored',
    reply: 'bare',
    result: RefreshReply,
    async handle(ctx, { resource: { username, readAt }, held: level }) {
      const { caller } = ctx;
      const issuedAt = Math.max(readAt, caller.issuedAt);
      const session = await issueLoginToken(ctx, { ...caller, userId: username, level, issuedAt });
      return { status: 'success', data: { token: session.token }, ...session };
    },
  }),
  publicRoute({
    method: 'POST',
    path: '/auth/password/reset',
    summary: 'Start a password reset, or complete it with its token',
    description:
      'With `email` and `redirectUrl` a link is mailed; the reply is the same whether the address is known or not. With `username`, `token` and `new_password` the reset is completed, and every token issued before is void.',
    tag: 'Logging in',
    errors: ['RESET_TOKEN_INVALID', 'SERVICE_UNAVAILABLE'],
    access: anyone,
    changes: 'nothing',
    idempotency: 'ignored',
    body: Reset,
    reply: 'bare',
    result: ResetResult,
    handle: (ctx, { body }) => ('email' in body ? startReset(ctx, body) : completeReset(ctx, body)),
  }),
];
