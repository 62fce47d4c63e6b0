/** Conditions of statements that store something: they look when it is stored, so that they hold under concurrency. */
import type { SQL } from 'drizzle-orm';

/** What has to hold still when something is stored; undefined where nothing has. */
export type Guard = ((orgUuid: string) => readonly SQL[]) | undefined;
