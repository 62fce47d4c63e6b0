/** Whether a definition may be stored: what it names is there, and its author may use it. */

import { GatewayError } from '../../proto/errors.ts';
import { isJsonObject, type JsonObject } from '../../proto/json.ts';
import { demand } from '../access/access.ts';
import type { Demand } from '../access/demand.ts';
import { demandAccount } from '../access/door/author.ts';
import { policyOf } from '../access/policy.ts';
import { selectMembership, selectRules } from '../access/store.ts';
import { type Context, hasAccount } from '../context.ts';
import type { FollowingTrigger } from '../data-changes/prepare.ts';
import type { Guard } from '../db/guard.ts';
import type { RunAs } from '../db/templates.ts';
import { effectiveLevel } from '../levels.ts';
import { dividedInTurn } from '../limits/heavy-work.ts';
import { demandDoors } from '../reach/doors/keep.ts';
import { loadReachOf } from '../reach/load.ts';
import type { Reach } from '../reach/reach.ts';
import { refusal } from '../shapes/definition.ts';
import { comparedName } from '../shapes/ids.ts';
import type { Hook } from './changes/store.ts';
import type { Fault, Reference } from './definition/findings.ts';
import { readWorkflowInPieces } from './definition/read.ts';
import type { Workflow } from './definition/tree.ts';
import { namesIn, type ReachedResource } from './named.ts';
import { selectByNames, selectLeadingTo, selectUuidsByNames } from './store.ts';
import { runnable, SCHEMA } from './stored.ts';
import { type StoredTrigger, triggerRows } from './triggers/rows.ts';

/** What is known of the workflow that is to have the definition. */
interface AdmittedWorkflow {
  readonly id: string;
  /** Undefined before it is stored. */
  readonly uuid: string | undefined;
  /** Whether its version in force runs with its author's rights. */
  readonly wasDoor: boolean;
}

/** A definition that may be stored. */
export interface Admitted {
  readonly references: readonly Reference[];
  readonly hooks: readonly Hook[];
  readonly triggers: readonly StoredTrigger[];
  /** Of the triggers those that follow changes of data. */
  readonly changes: readonly FollowingTrigger[];
  readonly runAs: RunAs;
  /** What has to hold still until it is stored. */
  readonly guard: Guard;
}

/** Everything that is wrong, beside what is found here. */
interface Draft {
  readonly definition: JsonObject;
  readonly faults: readonly Fault[];
  /** Bytes of it, for turns. */
  readonly size: number;
}

/**
 * Reads a definition within its organization. Contract §1 ("Order of refusals"), §4, §9.
 * @param demands gets what is demanded of the caller
 * @throws GatewayError BAD_REQUEST with every fault and its path, FORBIDDEN
 */
export async function admitted(
  ctx: Context,
  holder: AdmittedWorkflow,
  { definition, faults: known, size }: Draft,
  demands: Demand[],
): Promise<Admitted> {
  const whole = runnable(definition);
  const names = await dividedInTurn(ctx, size, namesIn(whole));
  const reach = await loadReachOf(ctx, names);
  const { workflow, faults, references } = await dividedInTurn(
    ctx,
    size,
    readWorkflowInPieces(whole, { kindOf: (endpoint) => reach.kindOf(endpoint) }),
  );
  const others = await loadWorkflows(ctx, holder, references);
  const missing = references.flatMap((each) => faultOf(each, { reach, others, holder }));
  const told = new Set(known.map(({ path }) => path));
  // A fault of a node is a fault of its action as well.
  const asGiven = writtenPaths(definition);
  const found = [...faults, ...missing].map(asGiven);
  const all = [...known, ...found.filter(({ path }) => !told.has(path))];
  if (all.length > 0 || workflow === undefined) throw refusal(all);
  const runAs = definition.runAs === 'author' ? 'author' : 'caller';
  // Ahead of levels on what it reaches: no grant of those makes a key an author.
  if (runAs === 'author') demandAccount(ctx);
  demands.push(...reach.demandAll(references.filter(isReached)));
  demands.push(...others.demands(references));
  demandAuthor(ctx, workflow);
  const guard = await demandDoors(
    ctx,
    {
      ...{ kind: 'workflow', id: holder.id, uuid: holder.uuid, wasDoor: holder.wasDoor },
      isDoor: runAs === 'author',
      workflows: references.flatMap(({ kind, id }) => (kind === 'workflow' ? [id] : [])),
    },
    await reachOfAll(ctx, reach, names, references.filter(isReached)),
    demands,
  );
  const uuidOf = (endpoint: string) => reach.endpoint(endpoint).row.uuid;
  const triggers = triggerRows(workflow.triggers, uuidOf);
  const changes = changesOf(workflow, definition, uuidOf);
  return { references, hooks: hooksOf(workflow, holder.id), triggers, changes, runAs, guard };
}

/** Whether it is an endpoint or a template. */
export function isReached<Each extends Pick<Reference, 'kind'>>(
  reference: Each,
): reference is Each & Pick<ReachedResource, 'kind'> {
  return reference.kind !== 'workflow';
}

/** What its actions and triggers reach, without what only looks as if they did. */
async function reachOfAll(
  ctx: Context,
  reach: Reach,
  names: readonly ReachedResource[],
  references: readonly ReachedResource[],
): Promise<Reach> {
  const reached = new Set(references.map(({ kind, id }) => `${kind}:${comparedName(id)}`));
  const isSame = names.every(({ kind, id }) => reached.has(`${kind}:${id}`));
  return isSame ? reach : loadReachOf(ctx, references);
}

type NamedReference = Pick<Reference, 'kind' | 'id'>;

/** Other workflows that a definition names. */
interface OtherWorkflows {
  has(id: string): boolean;
  /** Whether it leads back to the workflow itself. */
  leadsBack(id: string): boolean;
  demands(references: readonly NamedReference[]): Demand[];
}

/** Loads the other workflows that a definition names, and the caller's rights there. */
export async function loadWorkflows(
  ctx: Context,
  { uuid }: { readonly uuid: string | undefined },
  references: readonly NamedReference[],
): Promise<OtherWorkflows> {
  const names = references.flatMap(({ kind, id }) => (kind === 'workflow' ? [id] : []));
  if (names.length === 0) return { has: () => true, leadsBack: () => false, demands: () => [] };
  const { db, caller } = ctx;
  const { orgUuid } = caller;
  const [standing, rows, rules, leading] = await db.batch([
    selectMembership(db, caller),
    selectByNames(db, orgUuid, names),
    selectRules(db, caller, selectUuidsByNames(orgUuid, names)),
    selectLeadingTo(db, orgUuid, names, { uuid: uuid ?? '' }),
  ]);
  const byName = new Map(rows.flatMap((row) => [[row.id, row] as const, [row.uuid, row] as const]));
  const back = new Set(leading.map((each) => each.uuid));
  const demandOn = (id: string): Demand[] => {
    const row = byName.get(id);
    if (row === undefined) return [];
    const own = rules.filter(
      ({ resourceUuid }) => resourceUuid === orgUuid || resourceUuid === row.uuid,
    );
    const policy = policyOf(ctx, standing, own, { kind: 'workflow', uuid: row.uuid });
    return [demand({ held: effectiveLevel(policy), policy, params: { workflow: id } }, 'Read')];
  };
  return {
    has: (id) => byName.has(id),
    leadsBack: (id) => back.has(byName.get(id)?.uuid ?? ''),
    demands: (all) => all.flatMap(({ kind, id }) => (kind === 'workflow' ? demandOn(id) : [])),
  };
}

function faultOf(
  { kind, id, path }: Reference,
  {
    reach,
    others,
    holder,
  }: { readonly reach: Reach; readonly others: OtherWorkflows; readonly holder: AdmittedWorkflow },
): Fault[] {
  // The reader of the request reports an endpoint that does not exist.
  if (kind === 'endpoint') return [];
  if (kind === 'template') {
    const message = `names no template of the organization: ${id}`;
    return reach.template(id) ? [] : [{ path, message }];
  }
  if (id === holder.id || id === holder.uuid) {
    return [{ path, message: 'names the workflow itself: it would never end' }];
  }
  if (!others.has(id)) return [{ path, message: `names no workflow of the organization: ${id}` }];
  return others.leadsBack(id)
    ? [{ path, message: `leads back to the workflow itself: ${id}` }]
    : [];
}

/** For the insert shape, the path of a fault is where the client wrote the wrong value. */
function writtenPaths({ [SCHEMA]: schema }: JsonObject): (fault: Fault) => Fault {
  const nodes = isJsonObject(schema) && isJsonObject(schema.dag) ? schema.dag.nodes : undefined;
  const ids = isJsonObject(nodes) ? Object.keys(nodes) : [];
  return (fault) => {
    if (fault.path.startsWith(SCHEMA)) return fault;
    if (Array.isArray(schema)) return { ...fault, path: `${SCHEMA}.${fault.path}` };
    const [member, index, name = '', ...rest] = fault.path.split('.');
    const id = ids[Number(index)];
    if (member !== 'actions' || id === undefined) return fault;
    const told = NODE_MEMBERS[name] ?? name;
    return { ...fault, path: [SCHEMA, 'dag', 'nodes', id, told, ...rest].join('.') };
  };
}

/** Which member of a node an action's is made of. */
const NODE_MEMBERS: Readonly<Record<string, string>> = {
  template: 'template_uuid',
  after: 'source',
  input: 'input_op',
  output: 'output_op',
};

/** A caller without an account cannot be the author of a workflow that starts by itself. Contract §9. */
function demandAuthor({ caller }: Context, { triggers }: Workflow): void {
  if (hasAccount(caller)) return;
  const own = triggers.find((each) => each.type !== 'api' || !each.required);
  if (own === undefined) return;
  throw new GatewayError(
    'FORBIDDEN',
    `A trigger of type ${own.type} needs an author with an account here: its runs have the rights of that account`,
  );
}

/** Triggers that follow changes of data, each with its path in what the client sent. */
function changesOf(
  { triggers }: Workflow,
  definition: JsonObject,
  uuidOf: (endpoint: string) => string,
): FollowingTrigger[] {
  const isList = Array.isArray(runnable(definition).trigger);
  return triggers.flatMap((trigger) => {
    if (trigger.type !== 'dataChange') return [];
    const { index, endpoint, collection, operations } = trigger;
    const at = isList ? `trigger.${index}` : 'trigger';
    const { path } = writtenPaths(definition)({ path: at, message: '' });
    return [{ path, endpoint: uuidOf(endpoint), collection, operations: [...operations] }];
  });
}

/** Paths below `/hooks/{org}` that a workflow takes. @throws GatewayError WORKFLOW_PATH_TAKEN for one that two triggers have */
function hooksOf({ triggers }: Workflow, id: string): Hook[] {
  const hooks = triggers.flatMap((trigger) => {
    if (trigger.type === 'webhook') return [{ path: trigger.path, trigger: trigger.index }];
    return trigger.type === 'api' && !trigger.required
      ? [{ path: id, trigger: trigger.index }]
      : [];
  });
  const known = new Set<string>();
  for (const { path } of hooks) {
    if (known.has(path)) {
      const message = `Two triggers of the workflow have the path ${path}`;
      throw new GatewayError('WORKFLOW_PATH_TAKEN', message);
    }
    known.add(path);
  }
  return hooks;
}
