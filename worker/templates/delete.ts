/** Removes a template with all its versions. */
import { GatewayError } from '../../proto/errors.ts';
import type { Demand } from '../access/demand.ts';
import { auditStatement } from '../audit/record.ts';
import type { Context } from '../context.ts';
import { raiseRules } from '../grants/changes/store.ts';
import { demandRemoval } from '../reach/doors/keep.ts';
import { loadReachLeft } from '../reach/load.ts';
import { type IfMatch, isHeld, preconditionFailed } from '../revision.ts';
import { selectUsers as selectWorkflows } from '../workflows/store.ts';
import { type Template, templateNotFound } from './access.ts';
import { deleteRemains, deleteTemplateRow } from './changes/store.ts';
import { tagOf } from './record.ts';
import { selectTemplate, selectUsers } from './store.ts';

/** Ids of what used a template: it fails from then on. */
interface Affected {
  readonly workflows: readonly string[];
  readonly templates: readonly string[];
}

/** What a request brings besides. */
interface TemplateDeletion {
  readonly ifMatch: IfMatch | undefined;
  /** Gets what is demanded of the caller: of a door what granting needs, else what storing it needed. Contract §4. */
  readonly demands: Demand[];
}

/**
 * Removes versions, references, usage and rules at once.
 * @param confirmed whether it may go although it is used
 * @throws GatewayError TEMPLATE_IN_USE with what uses it, TEMPLATE_NOT_FOUND when it is gone already, PRECONDITION_FAILED, FORBIDDEN
 */
export async function deleteTemplate(
  ctx: Context,
  { row, policy }: Template,
  confirmed: boolean,
  { ifMatch, demands }: TemplateDeletion,
): Promise<Affected> {
  const { db } = ctx;
  const { orgUuid, uuid, id } = row;
  const reach = await loadReachLeft(ctx, [{ kind: 'template', id: uuid }]);
  const isDoor = !reach || reach.isDoor(uuid);
  demands.push(...(isDoor ? demandRemoval(policy, reach) : reach.demandLeft(reach.stepsOf(uuid))));
  const [users, flows, deleted] = await db.batch([
    selectUsers(db, orgUuid, row),
    selectWorkflows(db, orgUuid, 'template', row),
    deleteTemplateRow(db, row, ifMatch, confirmed),
    auditStatement(ctx, {
      action: 'template.delete',
      resource: `template:${uuid}`,
      details: { id },
    }),
    ...deleteRemains(db, orgUuid, uuid),
    raiseRules(db, orgUuid),
  ]);
  const templates = users.map((each) => each.id);
  const workflows = flows.map((each) => each.id);
  if (deleted.length > 0) return { workflows, templates };
  const [left] = await selectTemplate(db, orgUuid, { uuid });
  if (!left) throw templateNotFound(id);
  if (!isHeld(tagOf(left), ifMatch)) throw preconditionFailed();
  throw new GatewayError(
    'TEMPLATE_IN_USE',
    `Template ${id} is in use: delete it with ?confirm=true`,
    { details: [{ rule: 'in use', templates, workflows }] },
  );
}
