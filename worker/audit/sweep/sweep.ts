/** What the clock does for audits: chains that were not woken, and entries that are too old. */
import { type Bindings, databaseOf } from '../../context.ts';
import { pokeChains } from '../journal.ts';
import { selectExpiringOrganizations, selectUnchainedOrganizations } from './store.ts';

/** Organizations of one sweep; the next takes the others. */
const STEP = 500;

/** Wakes the chain of every organization that has entries without a number. */
export async function sweepUnchained(env: Bindings): Promise<void> {
  const rows = await selectUnchainedOrganizations(databaseOf(env), STEP);
  await pokeChains(
    env,
    rows.map(({ orgUuid }) => orgUuid),
  );
}

/**
 * Removes entries that are older than their organization keeps them. Contract §5,
 * `dataRetentionDays`.
 * @param now Unix epoch milliseconds
 */
export async function sweepExpired(env: Bindings, now: number): Promise<void> {
  const rows = await selectExpiringOrganizations(databaseOf(env), now, STEP);
  for (const { orgUuid, cutoff } of rows) {
    await env.AUDIT_CHAIN.getByName(orgUuid).removeOlderThan(orgUuid, cutoff);
  }
}
