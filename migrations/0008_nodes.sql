CREATE TABLE `nodes` (
	`org_uuid` text NOT NULL,
	`uuid` text NOT NULL,
	`name` text NOT NULL,
	`url` text,
	`enrolment_digest` text,
	`enrolment_expires_at` integer,
	`signing_key` text,
	`signing_key_id` text,
	`sealing_key` text,
	`version` text,
	`kinds` text,
	`calls` integer DEFAULT 0 NOT NULL,
	`connections` integer DEFAULT 0 NOT NULL,
	`clock_offset_ms` integer,
	`last_seen_at` integer,
	`draining` integer DEFAULT false NOT NULL,
	`stopping` integer DEFAULT false NOT NULL,
	`unreachable_at` integer,
	`created_at` integer NOT NULL,
	`created_by` text NOT NULL,
	PRIMARY KEY(`org_uuid`, `uuid`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `nodes_org_name` ON `nodes` (`org_uuid`,`name`);--> statement-breakpoint
CREATE UNIQUE INDEX `nodes_uuid` ON `nodes` (`uuid`);--> statement-breakpoint
CREATE UNIQUE INDEX `nodes_enrolment` ON `nodes` (`enrolment_digest`);--> statement-breakpoint
CREATE UNIQUE INDEX `nodes_signing_key` ON `nodes` (`signing_key_id`);--> statement-breakpoint
ALTER TABLE `endpoints` ADD `vpn_route` text;