/** Tables of API keys; as in schema.ts, the organization is the first column of each key. */

import {
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core';
import type { Level } from '../levels.ts';
import type { ResourceKind } from './schema.ts';

/** A level that a personal key has on one resource. */
export interface KeyLevel {
  readonly kind: Exclude<ResourceKind, 'organization'>;
  readonly uuid: string;
  readonly level: Level;
}

/** Keys of organizations, whose levels are rules, and of users, whose levels are here. */
export const apiKeys = sqliteTable(
  'api_keys',
  {
    orgUuid: text('org_uuid').notNull(),
    uuid: text('uuid').notNull(),
    name: text('name').notNull(),
    /** The account of a personal key; empty of an organization's. */
    ownerUuid: text('owner_uuid').notNull(),
    description: text('description').notNull().default(''),
    /** Of a personal key; null: as its owner. */
    accessLevel: text('access_level').$type<Level>(),
    /** Of a personal key. */
    levels: text('levels', { mode: 'json' }).$type<readonly KeyLevel[]>().notNull(),
    /** Networks in CIDR notation that it is taken from; null: all. */
    addresses: text('addresses', { mode: 'json' }).$type<readonly string[]>(),
    expiresAt: integer('expires_at'),
    /** When it last was the token of a call; written off the caller's path. */
    lastUsedAt: integer('last_used_at'),
    createdAt: integer('created_at').notNull(),
    createdBy: text('created_by').notNull(),
    /** Part of the ETag; use does not raise it. */
    revision: integer('revision').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.orgUuid, table.uuid] }),
    uniqueIndex('api_keys_name').on(table.orgUuid, table.ownerUuid, table.name),
  ],
);
export type ApiKeyRow = typeof apiKeys.$inferSelect;

/** What is kept of the keys' texts. A text finds its row before its organization is known. */
export const apiKeyDigests = sqliteTable(
  'api_key_digests',
  {
    orgUuid: text('org_uuid').notNull(),
    /** SHA-256 of the whole text, in base64url: 32 random bytes need no work factor. */
    digest: text('digest').notNull(),
    keyUuid: text('key_uuid').notNull(),
    /** When a text that was rotated ends; null of the present one. */
    endsAt: integer('ends_at'),
  },
  (table) => [
    primaryKey({ columns: [table.orgUuid, table.digest] }),
    uniqueIndex('api_key_digests_digest').on(table.digest),
    index('api_key_digests_key').on(table.orgUuid, table.keyUuid),
  ],
);
