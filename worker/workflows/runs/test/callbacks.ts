/** The token of a callback, as the URL that a run gives ends with it. */
import { env, runInDurableObject } from 'cloudflare:test';
import { objectNameOf, tokenOf } from '../names.ts';
import type { WorkflowRuns } from '../workflow-runs.ts';
import type { startRunner } from './runner.ts';

/** @param path of the wait */
export async function callbackToken(
  runner: Pick<Awaited<ReturnType<typeof startRunner>>, 'organization'>,
  run: string,
  path: string,
): Promise<string> {
  const name = objectNameOf(runner.organization.uuid, run);
  const object = env.WORKFLOW_RUNS.getByName(name);
  return runInDurableObject(object, (instance: WorkflowRuns) => tokenOf(instance.vault, run, path));
}
