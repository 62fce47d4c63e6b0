CREATE TABLE `api_key_digests` (
	`org_uuid` text NOT NULL,
	`digest` text NOT NULL,
	`key_uuid` text NOT NULL,
	`ends_at` integer,
	PRIMARY KEY(`org_uuid`, `digest`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_key_digests_digest` ON `api_key_digests` (`digest`);--> statement-breakpoint
CREATE INDEX `api_key_digests_key` ON `api_key_digests` (`org_uuid`,`key_uuid`);--> statement-breakpoint
CREATE TABLE `api_keys` (
	`org_uuid` text NOT NULL,
	`uuid` text NOT NULL,
	`name` text NOT NULL,
	`owner_uuid` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`access_level` text,
	`levels` text NOT NULL,
	`addresses` text,
	`expires_at` integer,
	`last_used_at` integer,
	`created_at` integer NOT NULL,
	`created_by` text NOT NULL,
	`revision` integer NOT NULL,
	PRIMARY KEY(`org_uuid`, `uuid`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_name` ON `api_keys` (`org_uuid`,`owner_uuid`,`name`);