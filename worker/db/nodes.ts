/** Table of the relays that organizations registered; as in schema.ts, the organization is the first column of the key. */

import {
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core';
import type { JWK } from 'jose';

/**
 * A relay finds its row before its organization is known: by UUID or by the digest of its secret, each
 * unique in the installation, or by its signing key. That is public, so several organizations may have it:
 * nobody can keep it from others by being first.
 */
export const nodes = sqliteTable(
  'nodes',
  {
    orgUuid: text('org_uuid').notNull(),
    uuid: text('uuid').notNull(),
    name: text('name').notNull(),
    /** Where the gateway reaches it; null: it dials the gateway, through a tunnel. */
    url: text('url'),
    /** SHA-256 of the secret that enrols it; null once it was used. */
    enrolmentDigest: text('enrolment_digest'),
    enrolmentExpiresAt: integer('enrolment_expires_at'),
    /** Public Ed25519 JWK that its requests are signed with; null until it is enrolled. */
    signingKey: text('signing_key', { mode: 'json' }).$type<JWK>(),
    /** Thumbprint of the signing key. RFC 7638. */
    signingKeyId: text('signing_key_id'),
    /** Public P-256 JWK that connections are sealed to; null until it is enrolled. */
    sealingKey: text('sealing_key', { mode: 'json' }).$type<JWK>(),
    version: text('version'),
    /** Kinds of endpoint that it serves. */
    kinds: text('kinds', { mode: 'json' }).$type<readonly string[]>(),
    /** In flight and open, as it said last. */
    calls: integer('calls').notNull().default(0),
    connections: integer('connections').notNull().default(0),
    /** Milliseconds by which its clock is ahead of the gateway's. */
    clockOffsetMs: integer('clock_offset_ms'),
    /** When it was heard last: a beat, or a tunnel that opened. */
    lastSeenAt: integer('last_seen_at'),
    /** An administrator said that it takes no new calls. */
    draining: integer('draining', { mode: 'boolean' }).notNull().default(false),
    /** It said by itself that it is about to stop. */
    stopping: integer('stopping', { mode: 'boolean' }).notNull().default(false),
    /** Since when calls do not reach it; null while they do. */
    unreachableAt: integer('unreachable_at'),
    createdAt: integer('created_at').notNull(),
    createdBy: text('created_by').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.orgUuid, table.uuid] }),
    uniqueIndex('nodes_org_name').on(table.orgUuid, table.name),
    uniqueIndex('nodes_uuid').on(table.uuid),
    uniqueIndex('nodes_enrolment').on(table.enrolmentDigest),
    uniqueIndex('nodes_org_signing_key').on(table.orgUuid, table.signingKeyId),
    index('nodes_signing_key').on(table.signingKeyId),
  ],
);
export type NodeRow = typeof nodes.$inferSelect;
