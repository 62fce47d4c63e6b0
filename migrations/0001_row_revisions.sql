ALTER TABLE `accounts` ADD `revision` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `endpoints` ADD `pool_revision` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `memberships` ADD `revision` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `organizations` ADD `revision` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `organizations` ADD `rules_revision` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
-- So far one number named both: what relays hold open keeps its name.
UPDATE `endpoints` SET `pool_revision` = `revision`;
