CREATE TABLE `storage_holdings` (
	`org_uuid` text NOT NULL,
	`holder` text NOT NULL,
	`caller` text NOT NULL,
	`bytes` integer NOT NULL,
	PRIMARY KEY(`org_uuid`, `caller`, `holder`)
);
