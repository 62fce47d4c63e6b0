/** What operations on workflows act on, and the caller's level there. */
import { GatewayError } from '../../proto/errors.ts';
import type { Access } from '../access/access.ts';
import { demandAccountToChange } from '../access/door/author.ts';
import { type Policy, policyOf, rememberedRights } from '../access/policy.ts';
import { selectMembership, selectRules } from '../access/store.ts';
import type { Context } from '../context.ts';
import type { WorkflowRow } from '../db/workflows.ts';
import type { Level } from '../levels.ts';
import { isUuid } from '../shapes/ids.ts';
import { selectWorkflow, selectWorkflowUuid, type WorkflowName } from './store.ts';

/** A workflow as one request sees it; the row is at most `POLICY_TTL_MS` old. */
export interface Workflow {
  readonly row: WorkflowRow;
  /** The caller's rules there, and the organization's sealed data key. */
  readonly policy: Policy;
}

/** Parameters of a path below `/workflows/{workflow}`. */
interface WorkflowParams {
  /** An id, or a UUID. */
  readonly workflow: string;
}

/** Which workflows are found besides those that exist. */
interface Also {
  /** A deleted one too, by its UUID: its runs are still kept. */
  readonly deleted?: boolean;
}

/**
 * Demands `level` on the workflow that the path names. Steady requests make no trip to D1.
 * @throws GatewayError WORKFLOW_NOT_FOUND for another organization's workflow too
 */
export function onWorkflow<Params extends WorkflowParams = WorkflowParams>(
  level: Level,
  also: Also = {},
): Access<Params, Workflow> {
  const errors = ['WORKFLOW_NOT_FOUND'] as const;
  return { level, errors, find: (ctx, { workflow }) => findWorkflow(ctx, workflow, also) };
}

/**
 * Demands Write to change it. Who can be no author of what has `runAs: author` is told that, in place of a level.
 * @throws GatewayError WORKFLOW_NOT_FOUND, FORBIDDEN
 */
export function onWorkflowToChange<Params extends WorkflowParams = WorkflowParams>(): Access<
  Params,
  Workflow
> {
  const access = onWorkflow<Params>('Write');
  const find: typeof access.find = async (ctx, params) => {
    const found = await access.find(ctx, params);
    const { runAs } = found.resource.row;
    await demandAccountToChange(ctx, found.policy, () => Promise.resolve(runAs));
    return found;
  };
  return { ...access, find };
}

async function findWorkflow(ctx: Context, named: string, { deleted = false }: Also) {
  const { caller } = ctx;
  const name = workflowName(named);
  const read = await rememberedRights(ctx, `workflow:${named}`, async (db) => {
    const uuid = selectWorkflowUuid(db, caller.orgUuid, name);
    const [standing, rows, rules] = await db.batch([
      selectMembership(db, caller),
      selectWorkflow(db, caller.orgUuid, name),
      selectRules(db, caller, uuid),
    ]);
    return { standing, rows, rules };
  });
  const [row] = read.rows;
  const on = row && ({ kind: 'workflow', uuid: row.uuid } as const);
  const policy = policyOf(ctx, read.standing, read.rules, on);
  if (!row || (row.deletedAt !== null && !deleted)) throw workflowNotFound(named);
  return { resource: { row, policy }, policy };
}

/** A value that parses as a UUID is one, in any letter case. Contract §1, "Ids in paths". */
function workflowName(named: string): WorkflowName {
  return isUuid(named) ? { uuid: named.toLowerCase() } : { id: named };
}

/** The same for a workflow of another organization as for one that does not exist. */
export function workflowNotFound(named: string): GatewayError {
  return new GatewayError('WORKFLOW_NOT_FOUND', `Workflow ${named} does not exist`);
}

/** The workflow exists, but not in that version. */
export function versionNotFound(id: string, version: string): GatewayError {
  return new GatewayError('WORKFLOW_NOT_FOUND', `Workflow ${id} has no version ${version}`);
}

/** Another request has changed the workflow between two reads of it. */
export function changedMeanwhile(id: string): GatewayError {
  return new GatewayError('EDIT_CONFLICT', `Workflow ${id} was changed in the meantime`);
}
