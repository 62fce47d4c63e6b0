/** Makes a template: reads its definition, and stores it with its first version. */

import { GatewayError } from '../../proto/errors.ts';
import type { JsonObject } from '../../proto/json.ts';
import type { Demand } from '../access/demand.ts';
import { tokenRevoked } from '../access/tokens.ts';
import { auditStatement } from '../audit/record.ts';
import { type Context, hasAccount } from '../context.ts';
import type { TemplateRow, TemplateVersionRow } from '../db/templates.ts';
import { dividedInTurn, inItsTurn, mayStore } from '../limits/heavy-work.ts';
import { demandStorage } from '../limits/quotas/demand.ts';
import { admitted } from './admit.ts';
import { asWritten, definitionIn, definitionText } from './body.ts';
import { insertReferences, insertTemplate, insertVersion } from './changes/store.ts';
import type { Definition } from './definition.ts';
import { selectRoom } from './store.ts';

/**
 * Stores a template that can be run at once.
 * @param demands gets what is demanded of the caller
 * @throws GatewayError BAD_REQUEST with all faults, FORBIDDEN, TEMPLATE_EXISTS, QUOTA_EXCEEDED, PAYLOAD_TOO_LARGE, TOKEN_REVOKED
 */
export async function createTemplate(
  ctx: Context,
  body: JsonObject,
  bytes: Uint8Array | undefined,
  demands: Demand[],
): Promise<TemplateRow> {
  const size = bytes?.byteLength ?? 0;
  const written = await dividedInTurn(ctx, size, asWritten(body, bytes));
  const { id, definition } = await inItsTurn(ctx, size, () => definitionIn(written));
  const text = await dividedInTurn(ctx, size, definitionText(definition));
  const holder = { id, uuid: undefined, wasDoor: false };
  const { compiled, guard } = await admitted(ctx, holder, definition, demands);
  await demandRoom(ctx, id, text.length);
  await mayStore(ctx, text.length);
  const { db, caller, settings } = ctx;
  const now = ctx.now();
  const row: TemplateRow = {
    orgUuid: caller.orgUuid,
    uuid: crypto.randomUUID(),
    id,
    name: definition.name,
    version: definition.version,
    createdAt: now,
    createdBy: caller.userId,
    updatedAt: now,
    lastModifiedBy: caller.userId,
    revision: now,
  };
  const [inserted] = await db.batch([
    insertTemplate(db, row, settings.QUOTAS.templates, guard),
    auditStatement(ctx, {
      action: 'template.create',
      resource: `template:${row.uuid}`,
      details: { id },
    }),
    insertVersion(db, row, versionOf(ctx, row, definition, text)),
    insertReferences(db, row, compiled.references),
  ]);
  if (inserted.length > 0) return row;
  await demandRoom(ctx, id, text.length);
  throw new GatewayError('EDIT_CONFLICT', 'The organization was changed meanwhile: try again');
}

/** What is kept of the version that a row has in force. */
export function versionOf(
  { caller }: Context,
  row: TemplateRow,
  { runAs = 'caller' }: Definition,
  definition: string,
): TemplateVersionRow {
  const { orgUuid, uuid: templateUuid, version, updatedAt, lastModifiedBy } = row;
  return {
    orgUuid,
    templateUuid,
    version,
    definition,
    createdAt: updatedAt,
    createdBy: lastModifiedBy,
    authorUuid: hasAccount(caller) ? caller.userUuid : null,
    runAs,
  };
}

/** Storage is only asked here: what is made at the same time may go beyond it by that much. */
async function demandRoom(ctx: Context, id: string, bytes: number): Promise<void> {
  const { db, caller, settings } = ctx;
  const [room] = await selectRoom(db, caller.orgUuid, id, settings.QUOTAS.templates);
  if (!room) throw tokenRevoked();
  if (room.taken) {
    throw new GatewayError('TEMPLATE_EXISTS', `Template ${id} already exists`);
  }
  if (room.full) {
    throw new GatewayError(
      'QUOTA_EXCEEDED',
      'The organization has as many templates as it may have',
    );
  }
  await demandStorage(ctx, bytes);
}
