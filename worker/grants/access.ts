/** What operations on rules act on: a subject, a resource, or all resources of a kind. */
import { type Access, demand } from '../access/access.ts';
import type { EntityKind } from '../access/explain.ts';
import { administering, policyOf, policyOn, widened } from '../access/policy.ts';
import { selectMembership, selectRules, selectRulesOnKind } from '../access/store.ts';
import type { Context } from '../context.ts';
import { effectiveLevel, type Level } from '../levels.ts';
import { isUuid } from '../shapes/ids.ts';
import { notFoundOf, resourceNotFound } from './kinds.ts';
import { type ResourceName, selectResource, selectResourceUuid } from './store.ts';
import { externalSelf, membersNamed, type Subject, subjectNamed } from './subjects.ts';

/** Parameter of a path that names a subject. */
interface SubjectParams {
  readonly subject: string;
}

/** What rules are held on. */
export interface Target {
  readonly uuid: string;
  readonly id: string;
}

/** The subject that the path names, and the caller's rights on the organization. */
async function findSubject(ctx: Context, { subject }: SubjectParams) {
  const [standing, rules, members] = await ctx.db.batch([
    selectMembership(ctx.db, ctx.caller),
    selectRules(ctx.db, ctx.caller),
    membersNamed(ctx, [subject]),
  ]);
  const policy = policyOf(ctx, standing, rules);
  return { resource: subjectNamed(subject, members), policy };
}

/**
 * Demands Admin of the organization for a change of a subject's rules.
 * @throws GatewayError USER_NOT_FOUND, KEY_NOT_FOUND
 */
export const onSubject: Access<SubjectParams, Subject> = {
  level: 'Admin',
  errors: ['USER_NOT_FOUND', 'KEY_NOT_FOUND'],
  find: findSubject,
};

/**
 * Demands nothing for the caller's own rules, and Admin of the organization for another's.
 * @throws GatewayError USER_NOT_FOUND, KEY_NOT_FOUND, FORBIDDEN
 */
export const ownOrAsAdmin: Access<SubjectParams, Subject> = {
  level: 'Member',
  errors: ['USER_NOT_FOUND', 'KEY_NOT_FOUND', 'FORBIDDEN'],
  async find(ctx, params) {
    const self = externalSelf(ctx, params.subject);
    if (self) return { resource: self, policy: await policyOn(ctx) };
    const found = await findSubject(ctx, params);
    const { policy, resource } = found;
    if (resource.key === ctx.caller.userUuid) return found;
    return {
      ...found,
      demands: [demand({ held: effectiveLevel(policy), policy, params }, 'Admin')],
    };
  },
};

/** Demands Admin of the organization or of one resource of the kind: which one, the request says. */
export function onSomeOfKind(kind: EntityKind): Access<unknown, undefined> {
  return {
    level: 'Admin',
    errors: [],
    async find(ctx) {
      const [standing, rules, onKind] = await ctx.db.batch([
        selectMembership(ctx.db, ctx.caller),
        selectRules(ctx.db, ctx.caller),
        selectRulesOnKind(ctx.db, ctx.caller, kind),
      ]);
      const policy = policyOf(ctx, standing, rules);
      return { resource: undefined, policy: widened(policy, 'Admin', onKind, kind) };
    },
  };
}

/** As `onSomeOfKind`, for the subject that the path names. */
export function onSubjectOfKind(kind: EntityKind): Access<SubjectParams, Subject> {
  return {
    level: 'Admin',
    errors: ['USER_NOT_FOUND', 'KEY_NOT_FOUND'],
    async find(ctx, params) {
      const { resource } = await findSubject(ctx, params);
      return { resource, policy: (await onSomeOfKind(kind).find(ctx, params)).policy };
    },
  };
}

/**
 * Demands `level` on the organization or on the resource that the path names.
 * @throws GatewayError 404 of the resource's sort
 */
export function onTarget(kind: EntityKind, level: Level): Access<Record<string, string>, Target> {
  return {
    level,
    errors: [notFoundOf(kind)],
    async find(ctx, params) {
      const { target, policy } = await findTarget(ctx, kind, params[kind] ?? '');
      return { resource: target, policy };
    },
  };
}

/**
 * A resource, and the caller's rights on its rules.
 * @throws GatewayError TOKEN_REVOKED, 404 of the resource's sort
 */
export async function findTarget(ctx: Context, kind: EntityKind, named: string) {
  const { db, caller } = ctx;
  const name = resourceName(named);
  const uuid = selectResourceUuid(db, caller.orgUuid, kind, name);
  const [standing, given, rows] = await db.batch([
    selectMembership(db, caller),
    selectRules(db, caller, uuid),
    selectResource(db, caller.orgUuid, kind, name),
  ]);
  const [target] = rows;
  const on = target && ({ kind, uuid: target.uuid, asRules: true } as const);
  const policy = policyOf(ctx, standing, given, on);
  if (!target) throw resourceNotFound(kind, named);
  return { target, policy: administering(policy) };
}

/** A value that parses as a UUID is one. Contract §1, "Ids in paths". */
function resourceName(named: string): ResourceName {
  return isUuid(named) ? { uuid: named.toLowerCase() } : { id: named };
}
