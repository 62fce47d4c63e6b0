ALTER TABLE `workflow_tasks` ADD `audience_rank` integer;--> statement-breakpoint
ALTER TABLE `workflow_tasks` ADD `audience` text;