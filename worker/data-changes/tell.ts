/** What others tell the objects that follow changes, and ask them. Spec: workflows.md §5, `dataChange`. */
import { type Bindings, type Context, databaseOf } from '../context.ts';
import type { Endpoint } from '../endpoints/access.ts';
import type { TriggerState } from '../workflows/triggers/state.ts';
import { type ChangesOwner, changesNameOf } from './object.ts';
import { GONE, selectWatched, selectWatchedBy } from './store.ts';

/** Objects that are woken at a time. */
const WOKEN_MAX = 500;

/** An endpoint, or triggers on it, have changed. Answers once its changes are followed as D1 has it, or that is tried again. */
export async function changesChanged(
  { DATA_CHANGES }: Bindings,
  owner: ChangesOwner,
): Promise<void> {
  await DATA_CHANGES.getByName(changesNameOf(owner.orgUuid, owner.endpoint)).changed(owner);
}

/** For `afterReply`: an endpoint has changed, or is gone. Where nobody follows, nothing happens; what is not told is seen half a minute later. */
export function tellFollower(
  { env, caller }: Context,
  { row, policy }: Pick<Endpoint, 'row' | 'policy'>,
): Promise<void> {
  const { orgUuid, orgId } = caller;
  const { sealedDataKey } = policy;
  return changesChanged(env, { orgUuid, orgId, sealedDataKey, endpoint: row.uuid });
}

/** The state of the data change triggers of a workflow; those of a paused workflow are none. @param workflow UUID */
export async function changeStatesOf(
  env: Bindings,
  orgUuid: string,
  workflow: string,
): Promise<readonly TriggerState[]> {
  const rows = await selectWatchedBy(databaseOf(env), orgUuid, workflow);
  const there = new Set(rows.flatMap(({ endpoint, isThere }) => (isThere ? [endpoint] : [])));
  const states = await Promise.all(
    [...there].map((endpoint) =>
      env.DATA_CHANGES.getByName(changesNameOf(orgUuid, endpoint)).stateOf(workflow),
    ),
  );
  // The object of an endpoint that is gone forgets all.
  const orphans = rows
    .filter(({ isThere }) => !isThere)
    .map(({ index }) => ({ index, state: 'failing', error: GONE }) as const);
  return [...states.flat(), ...orphans];
}

/** Wakes objects that should follow: for the clock, in case an alarm was lost. */
export async function wakeChanges(env: Bindings): Promise<void> {
  const db = databaseOf(env);
  for (let after = ''; ; ) {
    const rows = await selectWatched(db, after, WOKEN_MAX);
    const names = rows.map(({ orgUuid, endpoint }) => changesNameOf(orgUuid, endpoint));
    await Promise.allSettled(names.map((name) => env.DATA_CHANGES.getByName(name).wake()));
    const last = rows.at(-1);
    if (rows.length < WOKEN_MAX || !last) return;
    after = last.endpoint;
  }
}

/** The organization of these endpoints is gone: what backends keep for them is dropped. @param endpoints UUIDs */
export async function clearChanges(
  { DATA_CHANGES }: Bindings,
  orgUuid: string,
  endpoints: readonly string[],
): Promise<void> {
  await Promise.allSettled(
    endpoints.map((uuid) => DATA_CHANGES.getByName(changesNameOf(orgUuid, uuid)).clear()),
  );
}
