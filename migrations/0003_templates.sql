CREATE TABLE `template_references` (
	`org_uuid` text NOT NULL,
	`template_uuid` text NOT NULL,
	`version` text NOT NULL,
	`kind` text NOT NULL,
	`target` text NOT NULL,
	`level` text NOT NULL,
	PRIMARY KEY(`org_uuid`, `template_uuid`, `version`, `kind`, `target`)
);
--> statement-breakpoint
CREATE INDEX `template_references_target` ON `template_references` (`org_uuid`,`kind`,`target`);--> statement-breakpoint
CREATE TABLE `template_runs` (
	`org_uuid` text NOT NULL,
	`uuid` text NOT NULL,
	`template_uuid` text NOT NULL,
	`version` text NOT NULL,
	`status` text NOT NULL,
	`started_by` text NOT NULL,
	`started_at` integer NOT NULL,
	`ended_at` integer,
	PRIMARY KEY(`org_uuid`, `uuid`)
);
--> statement-breakpoint
CREATE INDEX `template_runs_started` ON `template_runs` (`started_at`);--> statement-breakpoint
CREATE TABLE `template_usage` (
	`org_uuid` text NOT NULL,
	`template_uuid` text NOT NULL,
	`day` integer NOT NULL,
	`invocations` integer NOT NULL,
	`duration_ms` integer NOT NULL,
	PRIMARY KEY(`org_uuid`, `template_uuid`, `day`)
);
--> statement-breakpoint
CREATE TABLE `template_versions` (
	`org_uuid` text NOT NULL,
	`template_uuid` text NOT NULL,
	`version` text NOT NULL,
	`definition` text NOT NULL,
	`created_at` integer NOT NULL,
	`created_by` text NOT NULL,
	PRIMARY KEY(`org_uuid`, `template_uuid`, `version`)
);
--> statement-breakpoint
CREATE TABLE `templates` (
	`org_uuid` text NOT NULL,
	`uuid` text NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`version` text NOT NULL,
	`created_at` integer NOT NULL,
	`created_by` text NOT NULL,
	`updated_at` integer NOT NULL,
	`last_modified_by` text NOT NULL,
	`revision` integer DEFAULT 1 NOT NULL,
	PRIMARY KEY(`org_uuid`, `uuid`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `templates_org_id` ON `templates` (`org_uuid`,`id`);