/** Operations on API keys. Spec: keys-and-doors.md §1. */
import { anyMember } from '../access/access.ts';
import { type AnyRoute, route } from '../route.ts';
import { byAdmin, bySelf, ownOrAsAdmin, toChange } from './access.ts';
import { createKey, createOwnKey } from './create.ts';
import { deleteKey } from './delete.ts';
import { getKey, listKeys } from './get.ts';
import { rotateKey } from './rotate.ts';
import {
  KeyChanges,
  KeyPage,
  KeyPath,
  KeyRecord,
  KeyRemoved,
  ListQuery,
  MadeKey,
  NewKey,
  Rotation,
} from './schema.ts';
import { updateKey } from './update.ts';

const NAMED = ['ENDPOINT_NOT_FOUND', 'TEMPLATE_NOT_FOUND', 'WORKFLOW_NOT_FOUND'] as const;

const making: AnyRoute[] = [
  route({
    method: 'POST',
    path: '/iam/keys',
    summary: 'Make a key of the organization, for an application',
    description:
      'Answers its text, a bearer token, this once. Its levels are rules of the subject `key:<name>`, so they need what granting them needs: only SuperAdmin makes a key with Admin or SuperAdmin. Without `access_level` it has those levels alone that are given for single endpoints, templates and workflows.',
    tag: 'Keys',
    errors: [...NAMED, 'KEY_EXISTS', 'QUOTA_EXCEEDED'],
    access: byAdmin,
    changes: 'organization',
    idempotency: { secret: true },
    body: NewKey,
    reply: 'bare',
    result: MadeKey,
    names: { key: '/id' },
    handle: (ctx, { body, ...rights }) => createKey(ctx, rights, body),
  }),
  route({
    method: 'POST',
    path: '/iam/keys/self',
    summary: 'Make a personal key, which may at most what you may',
    description:
      'Answers its text, a bearer token, this once. On each resource it has the lower of your level at that time and the level in the key, of which the more specific counts: `access_level: "None"` with `endpoints: {"shop": "Read"}` is Read on that endpoint and nothing else. It ends with your membership.',
    tag: 'Keys',
    errors: [...NAMED, 'KEY_EXISTS', 'QUOTA_EXCEEDED'],
    access: bySelf,
    changes: 'organization',
    idempotency: { secret: true },
    body: NewKey,
    reply: 'bare',
    result: MadeKey,
    names: { key: '/id' },
    handle: (ctx, { body }) => createOwnKey(ctx, body),
  }),
];

const shown: AnyRoute[] = [
  route({
    method: 'GET',
    path: '/iam/keys',
    summary: 'List keys: all to Admins, to others their own',
    description: 'By name. A key below Admin sees itself alone.',
    tag: 'Keys',
    errors: [],
    access: anyMember,
    changes: 'nothing',
    query: ListQuery,
    reply: 'bare',
    result: KeyPage,
    names: { key: '/keys/0/id', cursor: '/next_cursor' },
    handle: (ctx, { query, ...standing }) => listKeys(ctx, standing, query),
  }),
  route({
    method: 'GET',
    path: '/iam/keys/:key',
    summary: 'Show a key; your own needs no level, another needs Admin',
    description: 'Never its text, which nobody keeps.',
    tag: 'Keys',
    errors: [],
    access: ownOrAsAdmin,
    changes: 'nothing',
    params: KeyPath,
    conditional: true,
    reply: 'bare',
    result: KeyRecord,
    handle: (ctx, { resource }) => getKey(ctx, resource.uuid),
  }),
];

const changing: AnyRoute[] = [
  route({
    method: 'PATCH',
    path: '/iam/keys/:key',
    summary: 'Change a key',
    description:
      "Of an organization's key it needs what granting the levels needs that it had and that it gets; a personal one is changed by its owner alone. Levels in a body end texts at once that were rotated.",
    tag: 'Keys',
    errors: [...NAMED, 'KEY_EXISTS', 'EDIT_CONFLICT', 'QUOTA_EXCEEDED'],
    access: toChange,
    changes: 'organization',
    params: KeyPath,
    body: KeyChanges,
    conditional: true,
    reply: 'bare',
    result: KeyRecord,
    handle: (ctx, { resource, ...sent }) => updateKey(ctx, resource, sent),
  }),
  route({
    method: 'DELETE',
    path: '/iam/keys/:key',
    summary: 'End a key at once; your own needs no level, another needs Admin',
    description: 'Its rules go, too.',
    tag: 'Keys',
    errors: ['EDIT_CONFLICT'],
    access: ownOrAsAdmin,
    changes: 'organization',
    params: KeyPath,
    conditional: true,
    reply: 'bare',
    result: KeyRemoved,
    handle: (ctx, { resource, ifMatch }) => deleteKey(ctx, resource, ifMatch),
  }),
  route({
    method: 'POST',
    path: '/iam/keys/:key/rotate',
    summary: 'Give a key a new text',
    description:
      'Answers the new one this once; the one before is taken for `grace_s` seconds more. It needs what granting its levels needs; a personal one is rotated by its owner alone.',
    tag: 'Keys',
    errors: ['EDIT_CONFLICT', 'QUOTA_EXCEEDED'],
    access: toChange,
    changes: 'organization',
    idempotency: { secret: true },
    params: KeyPath,
    body: Rotation,
    conditional: true,
    reply: 'bare',
    result: MadeKey,
    handle: (ctx, { resource, ...sent }) => rotateKey(ctx, resource, sent),
  }),
];

/** Making, showing, changing and ending keys. */
export const keyRoutes: readonly AnyRoute[] = [...making, ...shown, ...changing];
