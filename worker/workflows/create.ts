/** Makes a workflow: reads its definition, and stores it with its first version. */

import { GatewayError } from '../../proto/errors.ts';
import type { JsonObject } from '../../proto/json.ts';
import type { Demand } from '../access/demand.ts';
import type { Policy } from '../access/policy.ts';
import { tokenRevoked } from '../access/tokens.ts';
import { auditStatement } from '../audit/record.ts';
import { type Context, hasAccount } from '../context.ts';
import { prepareChanges } from '../data-changes/prepare.ts';
import type { WorkflowRow, WorkflowVersionRow } from '../db/workflows.ts';
import { dividedInTurn, mayStore } from '../limits/heavy-work.ts';
import { demandStorage } from '../limits/quotas/demand.ts';
import { seal } from '../secrets/seal.ts';
import { admitted } from './admit.ts';
import { asWritten, definitionIn, storedPart } from './body.ts';
import {
  insertReferences,
  insertVersion,
  insertWorkflowRow,
  isInForce,
  replaceHooks,
} from './changes/store.ts';
import { purposeOf } from './definition/secrets.ts';
import { ownerOf } from './executions/show.ts';
import { type NewWorkflow, selectRoom } from './store.ts';
import { definitionText, sealedDefinition } from './stored.ts';
import { changed } from './triggers/changed.ts';
import { insertNews, replaceTriggers } from './triggers/store.ts';

/** What a body asks for, and who sends it. */
interface WorkflowCreation {
  readonly body: JsonObject;
  readonly bytes: Uint8Array | undefined;
  readonly policy: Policy;
  /** Gets what is demanded of the caller. */
  readonly demands: Demand[];
}

/**
 * Stores a workflow that can be started at once.
 * @throws GatewayError BAD_REQUEST with all faults, FORBIDDEN, NOT_FOUND, WORKFLOW_EXISTS, WORKFLOW_PATH_TAKEN, QUOTA_EXCEEDED, PAYLOAD_TOO_LARGE, TOKEN_REVOKED;
 * what `prepareChanges` does
 */
export async function createWorkflow(
  ctx: Context,
  { body, bytes, policy, demands }: WorkflowCreation,
): Promise<WorkflowRow> {
  const { db, caller, settings } = ctx;
  const { orgUuid, userId } = caller;
  const size = bytes?.byteLength ?? 0;
  const { id, status, definition, added, faults } = definitionIn(
    await dividedInTurn(ctx, size, asWritten(body, bytes)),
    orgUuid,
  );
  const kept = await dividedInTurn(ctx, size, storedPart(definition, added));
  const uuid = crypto.randomUUID();
  const draft = { definition, faults, size };
  const { references, hooks, triggers, changes, runAs, guard } = await admitted(
    ctx,
    { id, uuid: undefined, wasDoor: false },
    draft,
    demands,
  );
  const sealed = await sealedFor(ctx, { uuid, policy }, kept);
  const text = await dividedInTurn(ctx, size, definitionText(sealed));
  const wanted = {
    id,
    uuid,
    hooks: hooks.map(({ path }) => path),
    quota: settings.QUOTAS.workflows,
  };
  await demandRoom(ctx, wanted, text.length);
  await mayStore(ctx, text.length);
  const owner = ownerOf(ctx, policy);
  if (status === 'active') {
    await prepareChanges(ctx, owner, { uuid, triggers: changes, activates: true });
  }
  const now = ctx.now();
  const { name, version } = kept as { name: string; version: string }; // Read, and so there.
  const row: WorkflowRow = {
    ...{ orgUuid, uuid, id, name, version, status, createdAt: now, createdBy: userId },
    ...{ updatedAt: now, lastModifiedBy: userId, revision: now, deletedAt: null, runAs },
  };
  const [inserted] = await db.batch([
    insertWorkflowRow(db, row, { quota: settings.QUOTAS.workflows, hooks, guard }),
    auditStatement(ctx, {
      action: 'workflow.create',
      resource: `workflow:${uuid}`,
      details: { id },
    }),
    insertVersion(db, row, versionOf(ctx, row, text)),
    insertReferences(db, row, references),
    ...replaceHooks(db, row, hooks),
    ...replaceTriggers(db, row, triggers, isInForce(db, row)),
    insertNews(db, row, { change: crypto.randomUUID(), at: now, when: isInForce(db, row) }),
  ]);
  if (inserted.length > 0) {
    await changed(ctx.env, owner);
    return row;
  }
  await demandRoom(ctx, wanted, text.length);
  throw new GatewayError('EDIT_CONFLICT', 'The organization was changed meanwhile: try again');
}

/** A definition with its secrets sealed: they open for this workflow alone. */
export function sealedFor(
  { settings, caller }: Context,
  { uuid, policy }: { readonly uuid: string; readonly policy: Policy },
  definition: JsonObject,
): Promise<JsonObject> {
  const context = {
    settings,
    orgUuid: caller.orgUuid,
    sealedDataKey: policy.sealedDataKey,
    purpose: purposeOf(uuid),
  };
  return sealedDefinition(definition, (secret) => seal(context, secret));
}

/** What is kept of the version that a row has in force. */
export function versionOf(
  { caller }: Context,
  row: WorkflowRow,
  definition: string,
): WorkflowVersionRow {
  const { orgUuid, uuid: workflowUuid, version, updatedAt, lastModifiedBy, runAs } = row;
  return {
    ...{ orgUuid, workflowUuid, version, definition },
    createdAt: updatedAt,
    createdBy: lastModifiedBy,
    authorUuid: hasAccount(caller) ? caller.userUuid : null,
    runAs,
  };
}

/** Storage is only asked here: what is made at the same time may go beyond it by that much. */
async function demandRoom(ctx: Context, wanted: NewWorkflow, bytes: number): Promise<void> {
  const [room] = await selectRoom(ctx.db, ctx.caller.orgUuid, wanted);
  if (!room) throw tokenRevoked();
  if (room.taken) {
    throw new GatewayError('WORKFLOW_EXISTS', `Workflow ${wanted.id} already exists`);
  }
  if (room.hook !== null) throw pathTaken(room.hook);
  if (room.full) {
    throw new GatewayError(
      'QUOTA_EXCEEDED',
      'The organization has as many workflows as it may have',
    );
  }
  await demandStorage(ctx, bytes);
}

/** Another workflow answers below that path. */
export function pathTaken(path: string): GatewayError {
  return new GatewayError('WORKFLOW_PATH_TAKEN', `Another workflow has the path ${path}`);
}
