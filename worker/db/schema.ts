/**
 * Tables in D1. Timestamps are milliseconds since the Unix epoch. Every table of a tenant
 * has the organization as the first column of its key; accounts, organizations by id, reset
 * tokens and the default node belong to the installation. A `revision` is raised by every change
 * of what its row reports; it begins at the time of making, so that none of an earlier row of the
 * same name comes back.
 */
import { sql } from 'drizzle-orm';
import {
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core';
import type { CallerSettings } from '../../kinds/caller-settings.ts';
import type { Kind } from '../../kinds/index.ts';
import type { Caps, Profile } from '../../proto/driver.ts';
import type { Level } from '../levels.ts';

/** A connection of a configuration: its member without `_conn`. */
export type ConnectionName = 'write' | 'read' | 'development';
/**
 * What reaches the backend of a connection: the edge; a relay; or the edge where its network
 * refuses all but public addresses, and elsewhere a relay. Contract §6, "Edge or relay".
 */
export type ChosenTransport = 'edge' | 'relay' | 'public';
/** Of each connection that a configuration has. */
export type Transports = Readonly<Partial<Record<ConnectionName, ChosenTransport>>>;

/** Spec: "Organization", member `settings`; what is absent has its default. */
export interface OrganizationSettings {
  readonly defaultRegion?: string;
  readonly enableAdvancedFeatures?: boolean;
  readonly dataRetentionDays?: number;
  readonly maxEndpoints?: number;
}

export const organizations = sqliteTable(
  'organizations',
  {
    uuid: text('uuid').primaryKey(),
    id: text('id').notNull().unique(),
    name: text('name').notNull(),
    description: text('description').notNull().default(''),
    settings: text('settings', { mode: 'json' }).$type<OrganizationSettings>().notNull(),
    /** The organization's data key, sealed under the installation's key. */
    sealedDataKey: text('sealed_data_key').notNull(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
    lastModifiedBy: text('last_modified_by').notNull(),
    /** The organization's ETag. */
    revision: integer('revision').notNull().default(1),
    /** Raised by every change of a rule in the organization: the ETag of all that holds rules. */
    rulesRevision: integer('rules_revision').notNull().default(1),
    /** When it was deleted; its rows are removed step by step. Null while it exists. */
    deletedAt: integer('deleted_at'),
    /**
     * Later than every token of former members: a membership begins no earlier, so
     * that the tokens of an earlier one stay void.
     */
    membersEndedAt: integer('members_ended_at').notNull().default(0),
  },
  (table) => [
    index('organizations_deleted').on(table.deletedAt).where(sql`"deleted_at" is not null`),
  ],
);
export type OrganizationRow = typeof organizations.$inferSelect;

/** A person or program, once in the installation. */
export const accounts = sqliteTable('accounts', {
  uuid: text('uuid').primaryKey(),
  /** As it was written. */
  username: text('username').notNull(),
  /** `username` after NFC and lower case. */
  usernameKey: text('username_key').notNull().unique(),
  /** scrypt with its parameters; null until a reset was completed. */
  passwordHash: text('password_hash'),
  /** When password or username was changed last: tokens issued before it are void. */
  passwordChangedAt: integer('password_changed_at').notNull(),
  /** When the owner completed a reset that was sent to the present username; null means never. */
  verifiedAt: integer('verified_at'),
  /** The organization that gave the account its present username; empty once its owner gave another. */
  createdByOrg: text('created_by_org').notNull(),
  createdAt: integer('created_at').notNull(),
  /** Part of a user's ETag. */
  revision: integer('revision').notNull().default(1),
});
export type AccountRow = typeof accounts.$inferSelect;

/** Ties an account to an organization. */
export const memberships = sqliteTable(
  'memberships',
  {
    orgUuid: text('org_uuid').notNull(),
    accountUuid: text('account_uuid').notNull(),
    description: text('description').notNull().default(''),
    /** Tokens issued before it are void. */
    createdAt: integer('created_at').notNull(),
    createdBy: text('created_by').notNull(),
    lastModifiedAt: integer('last_modified_at').notNull(),
    lastModifiedBy: text('last_modified_by').notNull(),
    lastLoginAt: integer('last_login_at'),
    loginCount: integer('login_count').notNull().default(0),
    /** Part of a user's ETag; logins do not raise it. */
    revision: integer('revision').notNull().default(1),
  },
  (table) => [
    primaryKey({ columns: [table.orgUuid, table.accountUuid] }),
    index('memberships_account').on(table.accountUuid),
  ],
);

/** One of the things that a user did last. Spec: "User (IAM)", `lastOperations`. */
export interface DoneOperation {
  /** As audit entries name it: `endpoint.read`. */
  readonly operation: string;
  /** For example `endpoint:orders`, as the request named it. */
  readonly resource: string;
  /** ISO 8601. */
  readonly timestamp: string;
}

/** What members did last; written off the caller's path. */
export const memberActivity = sqliteTable(
  'member_activity',
  {
    orgUuid: text('org_uuid').notNull(),
    accountUuid: text('account_uuid').notNull(),
    lastActiveAt: integer('last_active_at').notNull(),
    /** The last ten, newest first. */
    operations: text('operations', { mode: 'json' }).$type<readonly DoneOperation[]>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.orgUuid, table.accountUuid] })],
);

/** What a rule is held on. */
export type ResourceKind = 'organization' | 'endpoint' | 'template' | 'workflow';

/**
 * One rule of the access model. `resourceUuid` is the organization's own for a rule on it;
 * `subject` is an account's uuid, or `group:<name>`.
 */
export const rules = sqliteTable(
  'rules',
  {
    orgUuid: text('org_uuid').notNull(),
    resourceKind: text('resource_kind').$type<ResourceKind>().notNull(),
    resourceUuid: text('resource_uuid').notNull(),
    subject: text('subject').notNull(),
    level: text('level').$type<Level>().notNull(),
    createdAt: integer('created_at').notNull(),
    createdBy: text('created_by').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.orgUuid, table.resourceUuid, table.subject] }),
    index('rules_subject').on(table.orgUuid, table.subject),
  ],
);

/** Started password resets. Only a digest of the token is kept. */
export const passwordResets = sqliteTable(
  'password_resets',
  {
    tokenDigest: text('token_digest').primaryKey(),
    accountUuid: text('account_uuid').notNull(),
    expiresAt: integer('expires_at').notNull(),
    usedAt: integer('used_at'),
    /** Where it was sent to: it is of no use to an account of another name. */
    username: text('username').notNull().default(''),
  },
  (table) => [index('password_resets_account').on(table.accountUuid)],
);

/** `unknown` until a health check has seen the backend. */
export type ConnectionStatus = 'available' | 'degraded' | 'unavailable' | 'draining' | 'unknown';

export const endpoints = sqliteTable(
  'endpoints',
  {
    orgUuid: text('org_uuid').notNull(),
    uuid: text('uuid').notNull(),
    id: text('id').notNull(),
    kind: text('kind').$type<Kind>().notNull(),
    description: text('description').notNull().default(''),
    /** `config` as JSON, sealed under the organization's data key; clear text never leaves worker/endpoints. */
    sealedConfig: text('sealed_config').notNull(),
    /** Null when the create body named none; `production` is then in force. */
    backendProfile: text('backend_profile').$type<Profile>(),
    /** Whether `config` has a `development_conn`: known without opening it. */
    hasDevelopmentConn: integer('has_development_conn', { mode: 'boolean' })
      .notNull()
      .default(false),
    poolLimits: text('pool_limits', { mode: 'json' }).$type<Caps>().notNull(),
    /** What reaches the backend, by connection: known without opening `config`. Null: a relay for all. */
    transports: text('transports', { mode: 'json' }).$type<Transports>(),
    /** The one node that calls may take: `config.vpn_route`, known without opening `config`. */
    vpnRoute: text('vpn_route'),
    /** `config.numbers` is `string`: known without opening `config`. */
    numbersAsStrings: integer('numbers_as_strings', { mode: 'boolean' }).notNull().default(false),
    /** `config.session`: known without opening `config`. */
    callerSettings: text('caller_settings', { mode: 'json' }).$type<CallerSettings>(),
    /** Where the backend keeps keys of writes, by `config.once`: known without opening `config`. */
    oncePlace: text('once_place'),
    /** The ETag. */
    revision: integer('revision').notNull().default(1),
    /** Part of pool keys: raised only by what closes connections, see worker/endpoints/update.ts. */
    poolRevision: integer('pool_revision').notNull().default(1),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.orgUuid, table.uuid] }),
    uniqueIndex('endpoints_org_id').on(table.orgUuid, table.id),
  ],
);
export type EndpointRow = typeof endpoints.$inferSelect;

/** Counters and what was last seen of an endpoint's backend; written off the caller's path. */
export const endpointUsage = sqliteTable(
  'endpoint_usage',
  {
    orgUuid: text('org_uuid').notNull(),
    endpointUuid: text('endpoint_uuid').notNull(),
    reads: integer('reads').notNull().default(0),
    writes: integer('writes').notNull().default(0),
    errors: integer('errors').notNull().default(0),
    connectionStatus: text('connection_status')
      .$type<ConnectionStatus>()
      .notNull()
      .default('unknown'),
    lastConnectedAt: integer('last_connected_at'),
    /** Since when its server keeps too much of its log for changes that are followed; null where it does not. */
    degradedAt: integer('degraded_at'),
  },
  (table) => [primaryKey({ columns: [table.orgUuid, table.endpointUuid] })],
);
export type EndpointUsageRow = typeof endpointUsage.$inferSelect;

/** Spec: "Node placement record". */
export const placements = sqliteTable(
  'placements',
  {
    orgUuid: text('org_uuid').notNull(),
    endpointUuid: text('endpoint_uuid').notNull(),
    nodeUuid: text('node_uuid').notNull(),
    poolRole: text('pool_role').$type<'production' | 'development' | 'any'>().notNull(),
    connectionStatus: text('connection_status').$type<ConnectionStatus>().notNull(),
    priority: integer('priority').notNull(),
    weight: integer('weight').notNull(),
    metadata: text('metadata', { mode: 'json' })
      .$type<Readonly<Record<string, string>>>()
      .notNull(),
  },
  (table) => [primaryKey({ columns: [table.orgUuid, table.endpointUuid, table.nodeUuid] })],
);
export type PlacementRow = typeof placements.$inferSelect;
