/** Forgets the runs and events of an organization that is gone, and looks for runs that nothing wakes. */
import { type Bindings, databaseOf } from '../../context.ts';
import { objectNameOf, objectNamesOf } from './names.ts';
import { selectObjectsWithRuns } from './store.ts';

/** Objects of one look; the next takes the others. */
const WOKEN_MAX = 500;

/** Empties all objects that the organization may have. */
export async function clearRuns(
  { WORKFLOW_RUNS, ORGANIZATION_EVENTS }: Bindings,
  orgUuid: string,
): Promise<void> {
  const names = objectNamesOf(orgUuid);
  await Promise.all(names.map((name) => WORKFLOW_RUNS.getByName(name).clear()));
  await ORGANIZATION_EVENTS.getByName(orgUuid).clear();
}

/** Wakes objects with runs that have not ended: for the clock, in case an alarm was lost. */
export async function wakeRuns(env: Bindings): Promise<void> {
  const rows = await selectObjectsWithRuns(databaseOf(env), WOKEN_MAX);
  const names = new Set(rows.map(({ orgUuid, digit }) => objectNameOf(orgUuid, digit)));
  await Promise.allSettled([...names].map((name) => env.WORKFLOW_RUNS.getByName(name).wake()));
}
