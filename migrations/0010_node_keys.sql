DROP INDEX `nodes_signing_key`;--> statement-breakpoint
CREATE UNIQUE INDEX `nodes_org_signing_key` ON `nodes` (`org_uuid`,`signing_key_id`);--> statement-breakpoint
CREATE INDEX `nodes_signing_key` ON `nodes` (`signing_key_id`);