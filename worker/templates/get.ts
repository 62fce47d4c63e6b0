/** A template with all that may be shown of it. Spec: "Template detail response". */

import { GatewayError } from '../../proto/errors.ts';
import type { JsonObject } from '../../proto/json.ts';
import { bytesInPieces } from '../../proto/json-bytes.ts';
import type { Context } from '../context.ts';
import { dividedInTurn } from '../limits/heavy-work.ts';
import { JsonBytes, Tagged } from '../outcome.ts';
import { isoTime } from '../shapes/iso-time.ts';
import { selectUsers as selectWorkflows } from '../workflows/store.ts';
import { type Template, templateNotFound, versionNotFound } from './access.ts';
import { definitionOf } from './read.ts';
import { tagOf } from './record.ts';
import {
  selectTemplate,
  selectUsage,
  selectUsers,
  selectVersion,
  selectVersionNames,
} from './store.ts';
import { dayOf } from './usage/count.ts';

/** Days of usage that are told of, today's included. Spec: `invocationsLast30Days`. */
const USAGE_DAYS = 30;

/**
 * The definition of a version, with what became of the template.
 * @param version the one in force, when left out
 * @throws GatewayError TEMPLATE_NOT_FOUND when it is gone since it was looked up, or has no such version
 */
export async function getTemplate(
  ctx: Context,
  { row: found }: Template,
  version?: string,
): Promise<Tagged> {
  const { db } = ctx;
  const { orgUuid, uuid, id } = found;
  const since = dayOf(ctx.now()) - USAGE_DAYS + 1;
  const [[row], versions, users, flows, [usage], [shown]] = await db.batch([
    selectTemplate(db, orgUuid, { uuid }),
    selectVersionNames(db, orgUuid, uuid),
    selectUsers(db, orgUuid, { uuid, id }),
    selectWorkflows(db, orgUuid, 'template', { uuid, id }),
    selectUsage(db, orgUuid, uuid, since),
    selectVersion(db, orgUuid, uuid, version ?? found.version),
  ]);
  if (!row) throw templateNotFound(id);
  if (!shown) throw version === undefined ? changedMeanwhile(id) : versionNotFound(id, version);
  const { invocations = 0, durationMs = 0 } = usage ?? {};
  const size = shown.definition.length;
  const definition: JsonObject = await dividedInTurn(ctx, size, definitionOf(shown.definition));
  const told: JsonObject = {
    id,
    ...definition,
    uuid,
    created: isoTime(row.createdAt),
    createdBy: row.createdBy,
    lastModified: isoTime(row.updatedAt),
    lastModifiedBy: row.lastModifiedBy,
    usage: {
      directReferences: users.length + flows.length,
      invocationsLast30Days: invocations,
      averageProcessingTime: invocations === 0 ? 0 : Math.round(durationMs / invocations),
    },
    versions: versions.map((each) => ({
      version: each.version,
      created: isoTime(each.createdAt),
      active: each.version === row.version,
    })),
  };
  const bytes = await dividedInTurn(ctx, size, bytesInPieces(told));
  return new Tagged(tagOf(row), new JsonBytes(bytes));
}

/** Another version was put in force between two looks. */
function changedMeanwhile(id: string): GatewayError {
  return new GatewayError('EDIT_CONFLICT', `Template ${id} was changed in the meantime`);
}
