ALTER TABLE `template_versions` ADD `author_uuid` text;--> statement-breakpoint
ALTER TABLE `template_versions` ADD `run_as` text DEFAULT 'caller' NOT NULL;--> statement-breakpoint
ALTER TABLE `workflow_versions` ADD `run_as` text DEFAULT 'caller' NOT NULL;--> statement-breakpoint
ALTER TABLE `workflows` ADD `run_as` text DEFAULT 'caller' NOT NULL;