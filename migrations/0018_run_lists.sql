DROP INDEX `workflow_tasks_workflow`;--> statement-breakpoint
CREATE INDEX `workflow_tasks_all` ON `workflow_tasks` (`org_uuid`,`created_at`,`uuid`);--> statement-breakpoint
CREATE INDEX `workflow_tasks_of` ON `workflow_tasks` (`org_uuid`,`workflow_uuid`,`created_at`,`uuid`);--> statement-breakpoint
CREATE INDEX `workflow_tasks_workflow` ON `workflow_tasks` (`org_uuid`,`workflow_uuid`,`status`,`created_at`,`uuid`);--> statement-breakpoint
DROP INDEX `workflow_runs_status`;--> statement-breakpoint
DROP INDEX `workflow_runs_key`;--> statement-breakpoint
DROP INDEX `workflow_runs_parent`;--> statement-breakpoint
CREATE INDEX `workflow_runs_version` ON `workflow_runs` (`org_uuid`,`workflow_uuid`,`version`,`started_at`,`uuid`);--> statement-breakpoint
CREATE INDEX `workflow_runs_cause` ON `workflow_runs` (`org_uuid`,`workflow_uuid`,`cause`,`started_at`,`uuid`);--> statement-breakpoint
CREATE INDEX `workflow_runs_trigger` ON `workflow_runs` (`org_uuid`,`workflow_uuid`,`trigger_index`,`started_at`,`uuid`) WHERE "trigger_index" is not null;--> statement-breakpoint
CREATE INDEX `workflow_runs_active` ON `workflow_runs` (`org_uuid`,`uuid`) WHERE "ended_at" is null;--> statement-breakpoint
CREATE INDEX `workflow_runs_status` ON `workflow_runs` (`org_uuid`,`workflow_uuid`,`status`,`started_at`,`uuid`);--> statement-breakpoint
CREATE INDEX `workflow_runs_key` ON `workflow_runs` (`org_uuid`,`workflow_uuid`,`key`,`started_at`,`uuid`) WHERE "key" is not null;--> statement-breakpoint
CREATE INDEX `workflow_runs_parent` ON `workflow_runs` (`org_uuid`,`workflow_uuid`,`parent_uuid`,`started_at`,`uuid`) WHERE "parent_uuid" is not null;