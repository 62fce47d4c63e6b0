ALTER TABLE `organizations` ADD `members_ended_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `password_resets` ADD `username` text DEFAULT '' NOT NULL;--> statement-breakpoint
-- So far a rename kept what was proven of the name before it.
UPDATE `accounts` SET `verified_at` = NULL, `created_by_org` = '' WHERE EXISTS (
  SELECT 1 FROM `audit_entries`
  WHERE `resource` = 'user:' || `accounts`.`uuid` AND `action` = 'user.update' AND `outcome` = 'success'
    AND `time` >= coalesce(`accounts`.`verified_at`, 0) AND `details` LIKE '%"username"%'
);
