/** What runs reach outside of their object: others' objects, and how they are told there. */
import type { Bindings } from '../../context.ts';
import { childEnded } from '../engine/arrivals.ts';
import type { Driver } from './driver.ts';
import { objectNameOf } from './names.ts';
import type { ChildOutcome, WorkflowRunsObject } from './object.ts';

/** What deliveries reach. */
export interface Reachable {
  readonly env: Bindings;
  readonly driver: Driver;
}

/** The object that a run, a key or a gate lies in. */
export function runsObject(
  env: Bindings,
  orgUuid: string,
  id: string,
): DurableObjectStub<WorkflowRunsObject> {
  return env.WORKFLOW_RUNS.getByName(objectNameOf(orgUuid, id));
}

/** Takes in what a child told. */
export async function takeChild(
  { driver }: Reachable,
  run: number,
  path: string,
  child: string,
  outcome: ChildOutcome,
): Promise<void> {
  await driver.act(run, (turn, journal) => {
    if ('reached' in outcome) journal.reach(outcome.reached ?? []);
    if (outcome.is === 'started') return childEnded(turn, path, child, { is: 'started' });
    if (outcome.is === 'failed') {
      const { code, message } = outcome;
      const action = turn.journal.node(path)?.action ?? '';
      return childEnded(turn, path, child, { is: 'failed', failure: { code, message, action } });
    }
    const output = outcome.text === undefined ? undefined : turn.journal.keep(outcome.text);
    return childEnded(turn, path, child, { is: 'succeeded', output });
  });
}
