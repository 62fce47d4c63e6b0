/** What operations on templates act on, and the caller's level there. */
import { GatewayError } from '../../proto/errors.ts';
import type { Access } from '../access/access.ts';
import { demandAccountToChange } from '../access/door/author.ts';
import { type Policy, policyOf, rememberedRights } from '../access/policy.ts';
import { selectMembership, selectRules } from '../access/store.ts';
import type { Context } from '../context.ts';
import type { TemplateRow } from '../db/templates.ts';
import type { Level } from '../levels.ts';
import { isUuid } from '../shapes/ids.ts';
import { selectTemplate, selectTemplateUuid, selectVersion, type TemplateName } from './store.ts';

/** A template as one request sees it; the row is at most `POLICY_TTL_MS` old. */
export interface Template {
  readonly row: TemplateRow;
  /** The caller's rules there, and the organization's sealed data key. */
  readonly policy: Policy;
}

/** Parameters of a path below `/templates/{template}`. */
interface TemplateParams {
  /** An id, or a UUID. */
  readonly template: string;
}

/**
 * Demands `level` on the template that the path names. Steady requests make no trip to D1.
 * @throws GatewayError TEMPLATE_NOT_FOUND for another organization's template too
 */
export function onTemplate<Params extends TemplateParams = TemplateParams>(
  level: Level,
): Access<Params, Template> {
  const errors = ['TEMPLATE_NOT_FOUND'] as const;
  return { level, errors, find: (ctx, { template }) => findTemplate(ctx, template) };
}

/**
 * Demands Write to change it. Who can be no author of what has `runAs: author` is told that, in place of a level.
 * @throws GatewayError TEMPLATE_NOT_FOUND, FORBIDDEN
 */
export function onTemplateToChange<Params extends TemplateParams = TemplateParams>(): Access<
  Params,
  Template
> {
  const access = onTemplate<Params>('Write');
  const find: typeof access.find = async (ctx, params) => {
    const found = await access.find(ctx, params);
    const { orgUuid, uuid, version } = found.resource.row;
    await demandAccountToChange(ctx, found.policy, async () => {
      const [inForce] = await selectVersion(ctx.db, orgUuid, uuid, version);
      return inForce?.runAs;
    });
    return found;
  };
  return { ...access, find };
}

async function findTemplate(ctx: Context, named: string) {
  const { caller } = ctx;
  const name = templateName(named);
  const read = await rememberedRights(ctx, `template:${named}`, async (db) => {
    const uuid = selectTemplateUuid(db, caller.orgUuid, name);
    const [standing, rows, rules] = await db.batch([
      selectMembership(db, caller),
      selectTemplate(db, caller.orgUuid, name),
      selectRules(db, caller, uuid),
    ]);
    return { standing, rows, rules };
  });
  const [row] = read.rows;
  const on = row && ({ kind: 'template', uuid: row.uuid } as const);
  const policy = policyOf(ctx, read.standing, read.rules, on);
  if (!row) throw templateNotFound(named);
  return { resource: { row, policy }, policy };
}

/** A value that parses as a UUID is one, in any letter case. Contract §1, "Ids in paths". */
function templateName(named: string): TemplateName {
  return isUuid(named) ? { uuid: named.toLowerCase() } : { id: named };
}

/** Says no more of another organization's template than of one that is nowhere. */
export function templateNotFound(named: string): GatewayError {
  return new GatewayError('TEMPLATE_NOT_FOUND', `Template ${named} does not exist`);
}

/** The template is there, the version is not. */
export function versionNotFound(id: string, version: string): GatewayError {
  return new GatewayError('TEMPLATE_NOT_FOUND', `Template ${id} has no version ${version}`);
}
