CREATE TABLE `accounts` (
	`uuid` text PRIMARY KEY NOT NULL,
	`username` text NOT NULL,
	`username_key` text NOT NULL,
	`password_hash` text,
	`password_changed_at` integer NOT NULL,
	`verified_at` integer,
	`created_by_org` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `accounts_username_key_unique` ON `accounts` (`username_key`);--> statement-breakpoint
CREATE TABLE `audit_entries` (
	`org_uuid` text NOT NULL,
	`time` integer NOT NULL,
	`actor` text NOT NULL,
	`action` text NOT NULL,
	`resource` text NOT NULL,
	`outcome` text NOT NULL,
	`address` text NOT NULL,
	`request_id` text NOT NULL,
	`details` text NOT NULL,
	`repeats` integer NOT NULL,
	`seq` integer,
	`prev_hash` text,
	`hash` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `audit_entries_seq` ON `audit_entries` (`org_uuid`,`seq`);--> statement-breakpoint
CREATE INDEX `audit_entries_org` ON `audit_entries` (`org_uuid`);--> statement-breakpoint
CREATE INDEX `audit_entries_unchained` ON `audit_entries` (`org_uuid`) WHERE "seq" is null;--> statement-breakpoint
CREATE TABLE `audit_heads` (
	`org_uuid` text NOT NULL,
	`sort` text NOT NULL,
	`seq` integer NOT NULL,
	`hash` text NOT NULL,
	`time` integer NOT NULL,
	`key_id` text NOT NULL,
	`signature` text NOT NULL,
	PRIMARY KEY(`org_uuid`, `sort`)
);
--> statement-breakpoint
CREATE TABLE `endpoint_usage` (
	`org_uuid` text NOT NULL,
	`endpoint_uuid` text NOT NULL,
	`reads` integer DEFAULT 0 NOT NULL,
	`writes` integer DEFAULT 0 NOT NULL,
	`errors` integer DEFAULT 0 NOT NULL,
	`connection_status` text DEFAULT 'unknown' NOT NULL,
	`last_connected_at` integer,
	PRIMARY KEY(`org_uuid`, `endpoint_uuid`)
);
--> statement-breakpoint
CREATE TABLE `endpoints` (
	`org_uuid` text NOT NULL,
	`uuid` text NOT NULL,
	`id` text NOT NULL,
	`kind` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`sealed_config` text NOT NULL,
	`backend_profile` text,
	`has_development_conn` integer DEFAULT false NOT NULL,
	`pool_limits` text NOT NULL,
	`revision` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`org_uuid`, `uuid`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `endpoints_org_id` ON `endpoints` (`org_uuid`,`id`);--> statement-breakpoint
CREATE TABLE `member_activity` (
	`org_uuid` text NOT NULL,
	`account_uuid` text NOT NULL,
	`last_active_at` integer NOT NULL,
	`operations` text NOT NULL,
	PRIMARY KEY(`org_uuid`, `account_uuid`)
);
--> statement-breakpoint
CREATE TABLE `memberships` (
	`org_uuid` text NOT NULL,
	`account_uuid` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`created_at` integer NOT NULL,
	`created_by` text NOT NULL,
	`last_modified_at` integer NOT NULL,
	`last_modified_by` text NOT NULL,
	`last_login_at` integer,
	`login_count` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`org_uuid`, `account_uuid`)
);
--> statement-breakpoint
CREATE INDEX `memberships_account` ON `memberships` (`account_uuid`);--> statement-breakpoint
CREATE TABLE `organizations` (
	`uuid` text PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`settings` text NOT NULL,
	`sealed_data_key` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`last_modified_by` text NOT NULL,
	`deleted_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `organizations_id_unique` ON `organizations` (`id`);--> statement-breakpoint
CREATE INDEX `organizations_deleted` ON `organizations` (`deleted_at`) WHERE "deleted_at" is not null;--> statement-breakpoint
CREATE TABLE `password_resets` (
	`token_digest` text PRIMARY KEY NOT NULL,
	`account_uuid` text NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer
);
--> statement-breakpoint
CREATE INDEX `password_resets_account` ON `password_resets` (`account_uuid`);--> statement-breakpoint
CREATE TABLE `placements` (
	`org_uuid` text NOT NULL,
	`endpoint_uuid` text NOT NULL,
	`node_uuid` text NOT NULL,
	`pool_role` text NOT NULL,
	`connection_status` text NOT NULL,
	`priority` integer NOT NULL,
	`weight` integer NOT NULL,
	`metadata` text NOT NULL,
	PRIMARY KEY(`org_uuid`, `endpoint_uuid`, `node_uuid`)
);
--> statement-breakpoint
CREATE TABLE `rules` (
	`org_uuid` text NOT NULL,
	`resource_kind` text NOT NULL,
	`resource_uuid` text NOT NULL,
	`subject` text NOT NULL,
	`level` text NOT NULL,
	`created_at` integer NOT NULL,
	`created_by` text NOT NULL,
	PRIMARY KEY(`org_uuid`, `resource_uuid`, `subject`)
);
--> statement-breakpoint
CREATE INDEX `rules_subject` ON `rules` (`org_uuid`,`subject`);