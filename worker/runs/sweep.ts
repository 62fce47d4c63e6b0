/** What the timer does for templates: removes runs and usage that are no longer shown. */
import { type Bindings, databaseOf } from '../context.ts';
import { dayOf } from '../templates/usage/count.ts';
import { KEPT_FOR_MS } from './run.ts';
import { deleteOld } from './store.ts';

/** Rows of one sweep; the next takes the others. */
const STEP = 10_000;
/** Days of usage that are kept: those that are shown, and one. */
const USAGE_DAYS = 31;
/** A run may have begun so much earlier than it ended. */
const LONGEST_MS = 3600 * 1000;

/** @param now Unix epoch milliseconds */
export async function sweepRuns(env: Bindings, now: number): Promise<void> {
  const db = databaseOf(env);
  const before = { startedAt: now - KEPT_FOR_MS - LONGEST_MS, day: dayOf(now) - USAGE_DAYS };
  await db.batch(deleteOld(db, before, STEP));
}
