CREATE TABLE `audit_totals` (
	`org_uuid` text PRIMARY KEY NOT NULL,
	`bytes` integer DEFAULT 0 NOT NULL,
	`not_kept` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
INSERT INTO `audit_totals` (`org_uuid`, `bytes`)
SELECT `org_uuid`, sum(length(cast(`details` as blob)) + length(cast(`actor` as blob)) + length(cast(`resource` as blob)) + length(cast(`request_id` as blob)) + 400) FROM `audit_entries` GROUP BY `org_uuid`;
--> statement-breakpoint
-- Beside its texts an entry takes 400 bytes: two hashes, and three indexes that begin with the organization.
CREATE TRIGGER `audit_entries_added` AFTER INSERT ON `audit_entries` BEGIN
	INSERT INTO `audit_totals` (`org_uuid`, `bytes`)
	VALUES (new.`org_uuid`, length(cast(new.`details` as blob)) + length(cast(new.`actor` as blob)) + length(cast(new.`resource` as blob)) + length(cast(new.`request_id` as blob)) + 400)
	ON CONFLICT (`org_uuid`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`;
END;
--> statement-breakpoint
CREATE TRIGGER `audit_entries_removed` AFTER DELETE ON `audit_entries` BEGIN
	UPDATE `audit_totals` SET `bytes` = `bytes` - (length(cast(old.`details` as blob)) + length(cast(old.`actor` as blob)) + length(cast(old.`resource` as blob)) + length(cast(old.`request_id` as blob)) + 400)
	WHERE `org_uuid` = old.`org_uuid`;
END;
