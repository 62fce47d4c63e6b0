CREATE TABLE `workflow_trigger_news` (
	`org_uuid` text NOT NULL,
	`type` text NOT NULL,
	`endpoint_uuid` text NOT NULL,
	`change` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`org_uuid`, `type`, `endpoint_uuid`)
);
--> statement-breakpoint
CREATE INDEX `workflow_trigger_news_at` ON `workflow_trigger_news` (`at`);--> statement-breakpoint
CREATE TABLE `workflow_triggers` (
	`org_uuid` text NOT NULL,
	`workflow_uuid` text NOT NULL,
	`trigger_index` integer NOT NULL,
	`type` text NOT NULL,
	`endpoint_uuid` text,
	`detail` text NOT NULL,
	PRIMARY KEY(`org_uuid`, `workflow_uuid`, `trigger_index`)
);
--> statement-breakpoint
CREATE INDEX `workflow_triggers_type` ON `workflow_triggers` (`org_uuid`,`type`,`endpoint_uuid`);