/** Forgets the runs and events of an organization that is gone, and looks for runs that nothing wakes. */
import { type Bindings, databaseOf } from '../../context.ts';
import { objectNameOf, objectNamesOf } from './names.ts';
import { selectObjectsWithRuns, selectOrganizationsWithWorkflows } from './store.ts';

/** Objects of one look; the next takes the others. */
const WOKEN_MAX = 500;

/** Empties all objects that the organization may have. */
export async function clearRuns(
  { WORKFLOW_RUNS, ORGANIZATION_EVENTS, WORKFLOW_SCHEDULES }: Bindings,
  orgUuid: string,
): Promise<void> {
  const names = objectNamesOf(orgUuid);
  await Promise.all(names.map((name) => WORKFLOW_RUNS.getByName(name).clear()));
  await ORGANIZATION_EVENTS.getByName(orgUuid).clear();
  await WORKFLOW_SCHEDULES.getByName(orgUuid).clear();
}

/** Wakes objects with runs that have not ended: for the clock, in case an alarm was lost. */
export async function wakeRuns(env: Bindings): Promise<void> {
  const rows = await selectObjectsWithRuns(databaseOf(env), WOKEN_MAX);
  const names = new Set(rows.map(({ orgUuid, digit }) => objectNameOf(orgUuid, digit)));
  const organizations = new Set(rows.map(({ orgUuid }) => orgUuid));
  await Promise.allSettled([
    ...[...names].map((name) => env.WORKFLOW_RUNS.getByName(name).wake()),
    ...[...organizations].map((uuid) => env.ORGANIZATION_EVENTS.getByName(uuid).wake()),
  ]);
}

/** Has objects write again what the index in D1 has lost: for the clock, some organizations at a time. */
export async function remakeIndex(env: Bindings): Promise<void> {
  const rows = await selectOrganizationsWithWorkflows(databaseOf(env), WOKEN_MAX);
  const names = rows.flatMap(({ orgUuid }) => objectNamesOf(orgUuid));
  await Promise.allSettled(names.map((name) => env.WORKFLOW_RUNS.getByName(name).remakeIndex()));
}
