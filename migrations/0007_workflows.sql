CREATE TABLE `workflow_dead_letters` (
	`org_uuid` text NOT NULL,
	`uuid` text NOT NULL,
	`workflow_uuid` text NOT NULL,
	`run_uuid` text NOT NULL,
	`version` text NOT NULL,
	`sealed_error` text NOT NULL,
	`failed_action` text,
	`destination` text,
	`retryable` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`redriven_at` integer,
	PRIMARY KEY(`org_uuid`, `uuid`)
);
--> statement-breakpoint
CREATE INDEX `workflow_dead_letters_list` ON `workflow_dead_letters` (`org_uuid`,`workflow_uuid`,`created_at`,`uuid`);--> statement-breakpoint
CREATE INDEX `workflow_dead_letters_run` ON `workflow_dead_letters` (`org_uuid`,`run_uuid`);--> statement-breakpoint
CREATE INDEX `workflow_dead_letters_expiry` ON `workflow_dead_letters` (`expires_at`);--> statement-breakpoint
CREATE TABLE `workflow_hooks` (
	`org_uuid` text NOT NULL,
	`path` text NOT NULL,
	`workflow_uuid` text NOT NULL,
	`trigger` integer NOT NULL,
	PRIMARY KEY(`org_uuid`, `path`)
);
--> statement-breakpoint
CREATE INDEX `workflow_hooks_workflow` ON `workflow_hooks` (`org_uuid`,`workflow_uuid`);--> statement-breakpoint
CREATE TABLE `workflow_references` (
	`org_uuid` text NOT NULL,
	`workflow_uuid` text NOT NULL,
	`version` text NOT NULL,
	`kind` text NOT NULL,
	`target` text NOT NULL,
	`level` text NOT NULL,
	PRIMARY KEY(`org_uuid`, `workflow_uuid`, `version`, `kind`, `target`, `level`)
);
--> statement-breakpoint
CREATE INDEX `workflow_references_target` ON `workflow_references` (`org_uuid`,`kind`,`target`);--> statement-breakpoint
CREATE TABLE `workflow_runs` (
	`org_uuid` text NOT NULL,
	`uuid` text NOT NULL,
	`workflow_uuid` text NOT NULL,
	`version` text NOT NULL,
	`status` text NOT NULL,
	`cause` text NOT NULL,
	`trigger_index` integer,
	`trigger_id` text,
	`key` text,
	`started_by` text NOT NULL,
	`started_by_name` text NOT NULL,
	`parent_uuid` text,
	`forked_from` text,
	`compensation` text,
	`error_code` text,
	`started_at` integer NOT NULL,
	`ended_at` integer,
	`expires_at` integer,
	PRIMARY KEY(`org_uuid`, `uuid`)
);
--> statement-breakpoint
CREATE INDEX `workflow_runs_list` ON `workflow_runs` (`org_uuid`,`workflow_uuid`,`started_at`,`uuid`);--> statement-breakpoint
CREATE INDEX `workflow_runs_status` ON `workflow_runs` (`org_uuid`,`workflow_uuid`,`status`,`started_at`);--> statement-breakpoint
CREATE INDEX `workflow_runs_key` ON `workflow_runs` (`org_uuid`,`workflow_uuid`,`key`,`started_at`);--> statement-breakpoint
CREATE INDEX `workflow_runs_parent` ON `workflow_runs` (`org_uuid`,`parent_uuid`,`started_at`);--> statement-breakpoint
CREATE INDEX `workflow_runs_ended` ON `workflow_runs` (`org_uuid`,`workflow_uuid`,`ended_at`,`status`);--> statement-breakpoint
CREATE INDEX `workflow_runs_expiry` ON `workflow_runs` (`expires_at`) WHERE "expires_at" is not null;--> statement-breakpoint
CREATE TABLE `workflow_tasks` (
	`org_uuid` text NOT NULL,
	`uuid` text NOT NULL,
	`workflow_uuid` text NOT NULL,
	`run_uuid` text NOT NULL,
	`action` text NOT NULL,
	`path` text NOT NULL,
	`status` text NOT NULL,
	`sealed_content` text NOT NULL,
	`created_at` integer NOT NULL,
	`due_at` integer,
	`escalated` integer DEFAULT false NOT NULL,
	`completed_by` text,
	`completed_at` integer,
	PRIMARY KEY(`org_uuid`, `uuid`)
);
--> statement-breakpoint
CREATE INDEX `workflow_tasks_list` ON `workflow_tasks` (`org_uuid`,`status`,`created_at`,`uuid`);--> statement-breakpoint
CREATE INDEX `workflow_tasks_workflow` ON `workflow_tasks` (`org_uuid`,`workflow_uuid`,`status`,`created_at`);--> statement-breakpoint
CREATE INDEX `workflow_tasks_run` ON `workflow_tasks` (`org_uuid`,`run_uuid`);--> statement-breakpoint
CREATE TABLE `workflow_totals` (
	`org_uuid` text NOT NULL,
	`workflow_uuid` text NOT NULL,
	`executions` integer DEFAULT 0 NOT NULL,
	`ended` integer DEFAULT 0 NOT NULL,
	`succeeded` integer DEFAULT 0 NOT NULL,
	`duration_ms` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`org_uuid`, `workflow_uuid`)
);
--> statement-breakpoint
CREATE TABLE `workflow_versions` (
	`org_uuid` text NOT NULL,
	`workflow_uuid` text NOT NULL,
	`version` text NOT NULL,
	`definition` text NOT NULL,
	`created_at` integer NOT NULL,
	`created_by` text NOT NULL,
	`author_uuid` text,
	PRIMARY KEY(`org_uuid`, `workflow_uuid`, `version`)
);
--> statement-breakpoint
CREATE TABLE `workflows` (
	`org_uuid` text NOT NULL,
	`uuid` text NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`version` text NOT NULL,
	`status` text NOT NULL,
	`created_at` integer NOT NULL,
	`created_by` text NOT NULL,
	`updated_at` integer NOT NULL,
	`last_modified_by` text NOT NULL,
	`revision` integer DEFAULT 1 NOT NULL,
	`deleted_at` integer,
	PRIMARY KEY(`org_uuid`, `uuid`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `workflows_org_id` ON `workflows` (`org_uuid`,`id`) WHERE "deleted_at" is null;--> statement-breakpoint
-- What a GET of a workflow tells of its runs is summed up as they are written, so that none counts them.
CREATE TRIGGER `workflow_runs_added` AFTER INSERT ON `workflow_runs` BEGIN
	INSERT INTO `workflow_totals` (`org_uuid`, `workflow_uuid`, `executions`, `ended`, `succeeded`, `duration_ms`)
	VALUES (new.`org_uuid`, new.`workflow_uuid`, 1, new.`ended_at` IS NOT NULL, new.`ended_at` IS NOT NULL AND new.`status` = 'succeeded', coalesce(new.`ended_at` - new.`started_at`, 0))
	ON CONFLICT (`org_uuid`, `workflow_uuid`) DO UPDATE SET
		`executions` = `executions` + 1,
		`ended` = `ended` + excluded.`ended`,
		`succeeded` = `succeeded` + excluded.`succeeded`,
		`duration_ms` = `duration_ms` + excluded.`duration_ms`;
END;
--> statement-breakpoint
-- A run that is retried has not ended any more.
CREATE TRIGGER `workflow_runs_ended` AFTER UPDATE OF `ended_at`, `status` ON `workflow_runs`
WHEN old.`ended_at` IS NOT new.`ended_at` OR old.`status` IS NOT new.`status` BEGIN
	UPDATE `workflow_totals` SET
		`ended` = `ended` + (new.`ended_at` IS NOT NULL) - (old.`ended_at` IS NOT NULL),
		`succeeded` = `succeeded` + (new.`ended_at` IS NOT NULL AND new.`status` = 'succeeded') - (old.`ended_at` IS NOT NULL AND old.`status` = 'succeeded'),
		`duration_ms` = `duration_ms` + coalesce(new.`ended_at` - new.`started_at`, 0) - coalesce(old.`ended_at` - old.`started_at`, 0)
	WHERE `org_uuid` = new.`org_uuid` AND `workflow_uuid` = new.`workflow_uuid`;
END;
