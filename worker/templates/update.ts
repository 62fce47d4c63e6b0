/** Changes a template: what is given makes a new version, the others are kept. */
import { GatewayError } from '../../proto/errors.ts';
import type { JsonObject } from '../../proto/json.ts';
import type { Demand } from '../access/demand.ts';
import { auditStatement } from '../audit/record.ts';
import type { Context } from '../context.ts';
import type { TemplateRow } from '../db/templates.ts';
import { dividedInTurn, inItsTurn, mayStore } from '../limits/heavy-work.ts';
import { demandStorage } from '../limits/quotas/demand.ts';
import { hold, type IfMatch, preconditionFailed } from '../revision.ts';
import { type Template, templateNotFound } from './access.ts';
import { admitted } from './admit.ts';
import { asWritten, definitionText, parsed } from './body.ts';
import { insertReferences, insertVersion, updateTemplateRow } from './changes/store.ts';
import { versionOf } from './create.ts';
import { type Definition, isDataAccess } from './definition.ts';
import { definitionOf } from './read.ts';
import { tagOf } from './record.ts';
import { DataAccessPatch, TransformationPatch } from './schema.ts';
import { selectTemplate, selectVersion, selectVersionNames } from './store.ts';
import { nextVersion } from './version.ts';

/** A template after a change, and the members that the new version has otherwise. */
interface UpdatedTemplate {
  readonly row: TemplateRow;
  readonly updatedFields: readonly string[];
}

/** The members that are to change. */
interface TemplateUpdate {
  readonly body: JsonObject;
  readonly bytes: Uint8Array | undefined;
  readonly ifMatch: IfMatch | undefined;
  /** Gets what is demanded of the caller. */
  readonly demands: Demand[];
}

/**
 * Puts a new version in force, made of the one in force and the members given. Spec: "Versioning".
 * @throws GatewayError BAD_REQUEST with all faults, TEMPLATE_VERSION_EXISTS, EDIT_CONFLICT when another
 * change came between, PRECONDITION_FAILED, TEMPLATE_NOT_FOUND, FORBIDDEN, QUOTA_EXCEEDED
 */
export async function updateTemplate(
  ctx: Context,
  { row: found }: Template,
  { body, bytes, ifMatch, demands }: TemplateUpdate,
): Promise<UpdatedTemplate> {
  const { db, caller } = ctx;
  const { orgUuid, uuid, id } = found;
  const [[row], names] = await db.batch([
    selectTemplate(db, orgUuid, { uuid }),
    selectVersionNames(db, orgUuid, uuid),
  ]);
  if (!row) throw templateNotFound(id);
  const [stored] = await selectVersion(db, orgUuid, uuid, row.version);
  if (!stored) throw changedMeanwhile(row, ifMatch);
  const size = Math.max(stored.definition.length, bytes?.byteLength ?? 0);
  const versions = names.map(({ version }) => version);
  const before = await dividedInTurn(ctx, size, definitionOf(stored.definition));
  const written = await dividedInTurn(ctx, size, asWritten(body, bytes));
  const { definition, updatedFields } = await inItsTurn(ctx, size, () =>
    merged(before, written, versions),
  );
  hold(tagOf(row), ifMatch);
  if (versions.includes(definition.version)) throw versionExists(id, definition.version);
  const text = await dividedInTurn(ctx, size, definitionText(definition));
  const holder = { id, uuid, wasDoor: stored.runAs === 'author' };
  const { compiled, guard } = await admitted(ctx, holder, definition, demands);
  await demandStorage(ctx, text.length);
  await mayStore(ctx, text.length);
  const next = {
    ...row,
    name: definition.name,
    version: definition.version,
    updatedAt: ctx.now(),
    lastModifiedBy: caller.userId,
    revision: row.revision + 1,
  };
  const { name, version, updatedAt, lastModifiedBy } = next;
  const [changed] = await db.batch([
    updateTemplateRow(db, row, { name, version, updatedAt, lastModifiedBy }, guard),
    auditStatement(ctx, {
      action: 'template.update',
      resource: `template:${uuid}`,
      details: { id, fields: updatedFields },
    }),
    insertVersion(db, next, versionOf(ctx, next, definition, text)),
    insertReferences(db, next, compiled.references),
  ]);
  if (changed.length === 0) throw changedMeanwhile(row, ifMatch);
  return { row: next, updatedFields };
}

/** The version in force with what is given instead of its own; null takes away. */
function merged(
  before: Definition & JsonObject,
  patch: JsonObject,
  versions: readonly string[],
): { definition: Definition; updatedFields: readonly string[] } {
  const schema = isDataAccess(before) ? DataAccessPatch : TransformationPatch;
  const given = parsed<JsonObject>(schema as never, patch); // Members of JSON are JSON.
  const { version } = given;
  const updatedFields = Object.keys(given);
  if (updatedFields.length === 0) {
    const message = 'names nothing that is to change';
    throw new GatewayError('BAD_REQUEST', `body: ${message}`, {
      details: [{ path: 'body', message }],
    });
  }
  const members = new Map(Object.entries({ ...before, ...given }));
  for (const [member, value] of members) if (value === null) members.delete(member);
  members.set('version', version ?? nextVersion(before.version, versions));
  return { definition: Object.fromEntries(members) as unknown as Definition, updatedFields };
}

function versionExists(id: string, version: string): GatewayError {
  return new GatewayError(
    'TEMPLATE_VERSION_EXISTS',
    `Template ${id} has a version ${version} already`,
  );
}

/** Who named the revision that it was learns that it is another. */
function changedMeanwhile({ id }: TemplateRow, ifMatch: IfMatch | undefined): GatewayError {
  if (ifMatch !== undefined && ifMatch !== 'any') return preconditionFailed();
  return new GatewayError('EDIT_CONFLICT', `Template ${id} was changed in the meantime`);
}
