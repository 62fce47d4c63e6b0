/** Changes a workflow: the members that are given make a new version, the others are kept; a status alone makes no version. */
import { GatewayError } from '../../proto/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../proto/json.ts';
import type { Demand } from '../access/demand.ts';
import { auditStatement } from '../audit/record.ts';
import type { Context } from '../context.ts';
import { prepareChanges } from '../data-changes/prepare.ts';
import type { WorkflowRow } from '../db/workflows.ts';
import { dividedInTurn, inItsTurn, mayStore } from '../limits/heavy-work.ts';
import { demandStorage } from '../limits/quotas/demand.ts';
import { demandRemoval, reachLeftUnder } from '../reach/doors/keep.ts';
import { hold, type IfMatch, preconditionFailed } from '../revision.ts';
import { refusal } from '../shapes/definition.ts';
import { nextVersion } from '../templates/version.ts';
import { changedMeanwhile, type Workflow, workflowNotFound } from './access.ts';
import { type Admitted, admitted } from './admit.ts';
import { asWritten, type NewDefinition, storedPart } from './body.ts';
import {
  insertReferences,
  insertVersion,
  isInForce,
  replaceHooks,
  updateWorkflowRow,
} from './changes/store.ts';
import { pathTaken, sealedFor, versionOf } from './create.ts';
import type { Fault } from './definition/findings.ts';
import { ownerOf } from './executions/show.ts';
import { tagOf } from './record.ts';
import { selectRoom, selectVersion, selectVersionNames, selectWorkflow } from './store.ts';
import { definitionText, hasSealed, SCHEMA, storedInPieces, withKeptSecrets } from './stored.ts';
import { changed as tellChanged } from './triggers/changed.ts';
import { storedFollowing } from './triggers/following.ts';
import { insertNews, replaceTriggers } from './triggers/store.ts';

/** A workflow after a change, and the names of the members that the request gave. */
interface UpdatedWorkflow {
  readonly row: WorkflowRow;
  readonly updatedFields: readonly string[];
}

/** The members that are to change. */
interface WorkflowUpdate {
  readonly body: JsonObject;
  readonly bytes: Uint8Array | undefined;
  readonly ifMatch: IfMatch | undefined;
  /** Gets what is demanded of the caller. */
  readonly demands: Demand[];
}

/** Members that a definition cannot be without. */
const NEEDED = ['name', 'version', 'actions', 'status'];

/**
 * Puts a new version in force, made of the one in force and the members given; of `status` alone,
 * only that is changed. Spec: "Versioning"; workflows.md §1, "PATCH".
 * @throws GatewayError BAD_REQUEST with all faults, WORKFLOW_VERSION_EXISTS, WORKFLOW_PATH_TAKEN, EDIT_CONFLICT when another
 * change came between, PRECONDITION_FAILED, WORKFLOW_NOT_FOUND, FORBIDDEN, QUOTA_EXCEEDED; what `prepareChanges` does
 */
export async function updateWorkflow(
  ctx: Context,
  workflow: Workflow,
  { body, bytes, ifMatch, demands }: WorkflowUpdate,
): Promise<UpdatedWorkflow> {
  const { db } = ctx;
  const { orgUuid, uuid, id } = workflow.row;
  const [row] = await selectWorkflow(db, orgUuid, { uuid });
  if (!row || row.deletedAt !== null) throw workflowNotFound(id);
  const size = bytes?.byteLength ?? 0;
  const patch = await dividedInTurn(ctx, size, asWritten(body, bytes));
  const updatedFields = Object.keys(patch);
  if (updatedFields.length === 0) {
    throw refusal([{ path: 'body', message: 'names nothing that is to change' }]);
  }
  const { status, ...members } = patch;
  if (Object.keys(members).length > 0) {
    return changeDefinition(ctx, { ...workflow, row }, { patch, size, ifMatch, demands });
  }
  if (status !== 'active' && status !== 'paused') {
    throw refusal([{ path: 'status', message: 'must be one of active, paused' }]);
  }
  if (row.runAs === 'author') {
    demands.push(...demandRemoval(workflow.policy, await reachLeftUnder(ctx, [uuid])));
  }
  hold(tagOf(row), ifMatch);
  const next = { ...changedBy(ctx, row), status } as const;
  await store(ctx, { ...workflow, row }, { next, updatedFields, ifMatch });
  return { row: next, updatedFields };
}

/** What a definition is called. */
type WorkflowLabel = Pick<WorkflowRow, 'name' | 'version'>;

interface Patch {
  readonly patch: JsonObject;
  readonly size: number;
  readonly ifMatch: IfMatch | undefined;
  readonly demands: Demand[];
}

async function changeDefinition(
  ctx: Context,
  { row, policy }: Workflow,
  { patch, size: bytes, ifMatch, demands }: Patch,
): Promise<UpdatedWorkflow> {
  const { db } = ctx;
  const { orgUuid, uuid, id } = row;
  const [[stored], names] = await db.batch([
    selectVersion(db, orgUuid, uuid, row.version),
    selectVersionNames(db, orgUuid, uuid),
  ]);
  if (!stored) throw otherRevision(row, ifMatch);
  const size = Math.max(stored.definition.length, bytes);
  const versions = names.map(({ version }) => version);
  const before = await dividedInTurn(ctx, size, storedInPieces(stored.definition));
  const { definition, added, faults } = await inItsTurn(ctx, size, () =>
    merged(before, { patch, versions, inForce: row.version }),
  );
  hold(tagOf(row), ifMatch);
  const kept = await dividedInTurn(ctx, size, storedPart(definition, added));
  if (versions.includes(String(kept.version))) throw versionExists(id, String(kept.version));
  const draft = { definition, faults, size };
  const holder = { id, uuid, wasDoor: row.runAs === 'author' };
  const made = await admitted(ctx, holder, draft, demands);
  const sealed = await sealedFor(ctx, { uuid, policy }, kept);
  const text = await dividedInTurn(ctx, size, definitionText(sealed));
  await demandStorage(ctx, text.length);
  await mayStore(ctx, text.length);
  // Read, and so of these types.
  const { name, version, status = row.status } = definition as Partial<WorkflowRow> & WorkflowLabel;
  const next = { ...changedBy(ctx, row), name, version, status, runAs: made.runAs };
  const updatedFields = Object.keys(patch);
  await store(ctx, { row, policy }, { next, updatedFields, ifMatch, made: { text, ...made } });
  return { row: next, updatedFields };
}

/** The definition in force with what is given instead of its own; null takes away. */
function merged(
  before: JsonObject,
  {
    patch,
    versions,
    inForce,
  }: { readonly patch: JsonObject; readonly versions: readonly string[]; readonly inForce: string },
): Pick<NewDefinition, 'definition' | 'added' | 'faults'> {
  const faults: Fault[] = [];
  if (Object.hasOwn(patch, 'id')) faults.push({ path: 'id', message: 'cannot be changed' });
  if (hasSealed(patch)) faults.push({ path: 'trigger', message: 'has a secret that is no text' });
  const { [SCHEMA]: schema, ...rest } = before;
  const isKept = isJsonObject(schema) && patch.actions === undefined;
  const members = new Map<string, Json>(
    Object.entries({ ...rest, ...(isKept ? { [SCHEMA]: schema } : {}), ...patch }),
  );
  members.delete('id');
  for (const [name, value] of members) {
    if (value === null && !NEEDED.includes(name)) members.delete(name);
  }
  members.set('description', members.get('description') ?? '');
  members.set('version', patch.version ?? nextVersion(inForce, versions));
  const definition = withKeptSecrets(Object.fromEntries(members), before);
  // Of what is kept nobody knows any more whether it was sent: it does not count where it is as it is without.
  const added = [
    ...(patch.version === undefined ? ['version'] : []),
    ...(definition.description === '' ? ['description'] : []),
    ...(Array.isArray(definition[SCHEMA]) ? [SCHEMA] : []),
  ];
  return { definition, added, faults };
}

/** What every change sets. */
function changedBy({ caller, now }: Context, row: WorkflowRow): WorkflowRow {
  const { revision } = row;
  return { ...row, updatedAt: now(), lastModifiedBy: caller.userId, revision: revision + 1 };
}

/** A change that is to be stored. */
interface Storing {
  readonly next: WorkflowRow;
  readonly updatedFields: readonly string[];
  readonly ifMatch: IfMatch | undefined;
  /** Of a new version. */
  readonly made?: Admitted & { readonly text: string };
}

async function store(
  ctx: Context,
  { row, policy }: Workflow,
  { next, updatedFields, ifMatch, made }: Storing,
): Promise<void> {
  const { db } = ctx;
  const owner = ownerOf(ctx, policy);
  if (next.status === 'active') {
    const triggers = made?.changes ?? (await storedFollowing(db, row));
    const activates = updatedFields.includes('status');
    await prepareChanges(ctx, owner, { uuid: row.uuid, triggers, activates });
  }
  const isDone = isInForce(db, next);
  const news = { change: crypto.randomUUID(), at: next.updatedAt, when: isDone };
  const { name, version, status, updatedAt, lastModifiedBy, runAs } = next;
  const changes = { name, version, status, updatedAt, lastModifiedBy, runAs };
  const [changed] = await db.batch([
    updateWorkflowRow(db, row, { changes, hooks: made?.hooks, guard: made?.guard }),
    auditStatement(ctx, {
      action: 'workflow.update',
      resource: `workflow:${row.uuid}`,
      details: { id: row.id, fields: updatedFields },
    }),
    ...(made
      ? [
          insertVersion(db, next, versionOf(ctx, next, made.text)),
          insertReferences(db, next, made.references),
          ...replaceHooks(db, next, made.hooks),
          insertNews(db, row, news),
          ...replaceTriggers(db, next, made.triggers, isDone),
        ]
      : []),
    insertNews(db, row, news),
  ]);
  if (changed.length > 0) return tellChanged(ctx.env, owner);
  const { orgUuid, uuid, id } = row;
  const hooks = (made?.hooks ?? []).map(({ path }) => path);
  const [room] = await selectRoom(db, orgUuid, { id, uuid, hooks, quota: 0 });
  throw typeof room?.hook === 'string' ? pathTaken(room.hook) : otherRevision(row, ifMatch);
}

function versionExists(id: string, version: string): GatewayError {
  return new GatewayError(
    'WORKFLOW_VERSION_EXISTS',
    `Workflow ${id} has a version ${version} already`,
  );
}

/** A caller that named a revision learns that the workflow has another one. */
function otherRevision({ id }: WorkflowRow, ifMatch: IfMatch | undefined): GatewayError {
  return ifMatch !== undefined && ifMatch !== 'any' ? preconditionFailed() : changedMeanwhile(id);
}
