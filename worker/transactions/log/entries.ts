/** Entries of the audit that the log owes: on disk with what they tell of, and from there written to D1. */
import type { NewEntry } from '../../audit/entry.ts';
import { pokeChains } from '../../audit/journal.ts';
import { insertEntries } from '../../audit/write/store.ts';
import type { LogOwner } from '../../calls/transactions/object.ts';
import { type Bindings, databaseOf } from '../../context.ts';
import { auditLimits } from '../../limits/quotas/audit.ts';
import { settingsOf } from '../../settings.ts';
import type { LogStore } from './store.ts';

/** Entries of one batch. */
const BATCH_MAX = 100;

/** Who has a transaction decided: its caller, or a person who says what they found. */
export interface Actor {
  /** UUID of an account, or the name of an external caller. */
  readonly uuid: string;
  readonly name: string;
  readonly requestId: string;
  readonly address: string;
}

/** The entry as it waits. @param action for example `transaction.commit` */
export function entryOf(
  { orgUuid }: LogOwner,
  { uuid, name, requestId, address }: Actor,
  action: string,
  transaction: string,
): string {
  const entry: NewEntry = {
    ...{ orgUuid, time: Date.now(), actor: name, action, outcome: 'success', address, requestId },
    resource: `transaction:${transaction}`,
    details: uuid === name ? {} : { actor_uuid: uuid },
    repeats: 1,
  };
  return JSON.stringify(entry);
}

/** Writes what waits; what D1 does not take waits on. An entry that is written as the object ends may be told twice. */
export async function writeEntries(env: Bindings, store: LogStore): Promise<void> {
  const waiting = store.entries.list(BATCH_MAX);
  const last = waiting.at(-1);
  if (!last) return;
  const db = databaseOf(env);
  const { orgUuid } = store.owner();
  // As `entryOf` wrote them.
  const entries = waiting.map(({ entry }) => JSON.parse(entry) as NewEntry);
  await db.batch(insertEntries(db, orgUuid, entries, auditLimits(settingsOf(env))));
  store.entries.drop(last.at);
  await pokeChains(env, [orgUuid]);
}
