/** Operations on users. Spec: "IAM users". Contract §3. */
import { onOrganization } from '../access/access.ts';
import { type AnyRoute, route } from '../route.ts';
import { onUser, selfOrAsAdmin } from './access.ts';
import { associate, createUser } from './create.ts';
import { deleteUser } from './delete.ts';
import { getExternal } from './external.ts';
import { getUser, listUsers } from './get.ts';
import {
  AddBody,
  Added,
  Changes,
  ListQuery,
  Removed,
  UserPage,
  UserPath,
  UserRecord,
  UserUpdated,
} from './schema.ts';
import { updateUser } from './update.ts';

export const userRoutes: AnyRoute[] = [
  route({
    method: 'POST',
    path: '/iam/users',
    summary: 'Make an account a member with a level, or make the account too',
    description:
      'The list `[level, user]` takes an account that exists; the object makes one, or takes one whose password is given. Without a password its owner is mailed a link. Only SuperAdmin gives Admin or SuperAdmin.',
    tag: 'Users',
    errors: [
      'USER_NOT_FOUND',
      'ACCOUNT_EXISTS',
      'ACCOUNT_UNVERIFIED',
      'MEMBERSHIP_EXISTS',
      'EDIT_CONFLICT',
      'SERVICE_UNAVAILABLE',
      'QUOTA_EXCEEDED',
    ],
    access: onOrganization('Admin'),
    changes: 'organization',
    body: AddBody,
    reply: 'bare',
    result: Added,
    names: { user: '/userId', subject: '/userId' },
    handle: (ctx, { body, ...rights }) =>
      Array.isArray(body) ? associate(ctx, rights, body) : createUser(ctx, rights, body),
  }),
  route({
    method: 'GET',
    path: '/iam/users',
    summary: 'List the users of the organization',
    description: 'By username; all filters that are given hold.',
    tag: 'Users',
    errors: [],
    access: onOrganization('Admin'),
    changes: 'nothing',
    query: ListQuery,
    reply: 'bare',
    result: UserPage,
    names: { user: '/users/0/userId', subject: '/users/0/userId', cursor: '/next_cursor' },
    handle: (ctx, { policy, query }) => listUsers(ctx, policy, query),
  }),
  route({
    method: 'GET',
    path: '/iam/users/:user',
    summary: 'Show a user; your own record needs no level, another needs Admin',
    description:
      'By username or UUID. Of who comes with a token of an identity provider it is made of the token.',
    tag: 'Users',
    errors: [],
    access: selfOrAsAdmin,
    changes: 'nothing',
    params: UserPath,
    conditional: true,
    reply: 'bare',
    result: UserRecord,
    handle: async (ctx, { resource, policy }) =>
      ctx.caller.external && resource.key === ctx.caller.userUuid
        ? getExternal(ctx, ctx.caller.external, policy)
        : getUser(ctx, resource),
  }),
  route({
    method: 'PATCH',
    path: '/iam/users/:user',
    summary: "Change your own username, password or description, or another's description",
    description:
      'A new password needs `current_password`. A new password or username voids every token issued before it, also the one that asks, and ends open resets: log in again. A new username counts as verified once a reset that was sent to it is completed. The description of another user needs Admin, and more than that user has.',
    tag: 'Users',
    errors: [
      'FORBIDDEN',
      'INVALID_CREDENTIALS',
      'ACCOUNT_EXISTS',
      'EDIT_CONFLICT',
      'SERVICE_UNAVAILABLE',
    ],
    access: selfOrAsAdmin,
    changes: 'organization',
    // A password that has leaked is changed whatever is full: its entry asks for room by itself.
    relief: ({ description, username }) =>
      description === undefined && username === undefined ? 'always' : undefined,
    params: UserPath,
    body: Changes,
    conditional: true,
    reply: 'bare',
    result: UserUpdated,
    handle: (ctx, { resource, ...input }) => updateUser(ctx, resource, input),
  }),
  route({
    method: 'DELETE',
    path: '/iam/users/:user',
    summary: 'Remove a user from the organization; the account remains',
    description: 'All rules that name the user go too. The last SuperAdmin cannot be removed.',
    tag: 'Users',
    errors: ['LAST_SUPER_ADMIN', 'EDIT_CONFLICT'],
    access: onUser,
    changes: 'organization',
    params: UserPath,
    conditional: true,
    reply: 'bare',
    result: Removed,
    handle: (ctx, { resource, ifMatch, ...standing }) =>
      deleteUser(ctx, resource, standing, ifMatch),
  }),
];
