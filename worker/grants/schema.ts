/** Bodies and results of operations on rules, as on the wire. Spec: "RBAC". Contract §4. */
import * as z from 'zod';
import { LEVELS } from '../access/levels.ts';
import type { ResourceKind } from '../db/schema.ts';
import { either } from '../http/either.ts';
import { idMemberOf, resultMemberOf } from './kinds.ts';
import { SubjectName } from './subjects.ts';

/** One of the five levels, spelt as the specification does. */
export const AccessLevel = z.enum(LEVELS);
const LevelsById = z.record(z.string(), AccessLevel);

/** Most subjects of one request. Spec silent. */
const MOST_SUBJECTS = 100;
const Entity = z.string().min(1);

/** What an add-subject body asks for, whichever shape it has. */
export interface Additions {
  /** The id or UUID of what the levels are on; none for the organization. */
  readonly entity: string | undefined;
  readonly subjects: readonly (readonly [subject: string, level: z.infer<typeof AccessLevel>])[];
  /** Whether the body was a list, and so the result is one. */
  readonly isList: boolean;
}

/**
 * The three shapes: `{access_level, subject, endpoint_id}`, `{subject, entity, access}` and
 * `{subjects: [[subject, level], …]}` with either name of the entity. On the organization the
 * entity may be left out.
 */
export function additionsOn(kind: ResourceKind) {
  const idMember = idMemberOf(kind);
  const named = kind === 'organization' ? Entity.optional() : Entity;
  const record = z
    .strictObject({
      access_level: AccessLevel,
      subject: SubjectName,
      ...(kind === 'organization' ? {} : { [idMember]: named }),
    })
    .transform((body): Additions => {
      const members: Record<string, unknown> = body;
      const entity = members[idMember];
      return {
        entity: typeof entity === 'string' ? entity : undefined,
        subjects: [[body.subject, body.access_level]],
        isList: false,
      };
    });
  const triple = z
    .strictObject({ subject: SubjectName, entity: named, access: AccessLevel })
    .transform(
      ({ subject, entity, access }): Additions => ({
        entity,
        subjects: [[subject, access]],
        isList: false,
      }),
    );
  const single = either(record, triple, (body) => 'access' in body || 'entity' in body);
  return either(single, listOn(kind), (body) => 'subjects' in body);
}

function listOn(kind: ResourceKind) {
  const idMember = idMemberOf(kind);
  return z
    .strictObject({
      subjects: z
        .array(z.tuple([SubjectName, AccessLevel]))
        .min(1)
        .max(MOST_SUBJECTS),
      entity: Entity.optional(),
      ...(kind === 'organization' ? {} : { [idMember]: Entity.optional() }),
    })
    .transform((body, faults): Additions => {
      const members: Record<string, unknown> = body;
      const names = [members[idMember], body.entity].filter((each) => typeof each === 'string');
      if (names.length > 1 || (names.length === 0 && kind !== 'organization')) {
        const message = names.length > 1 ? 'is given twice' : 'is required';
        faults.issues.push({ code: 'custom', path: [idMember], message, input: body });
        return z.NEVER;
      }
      return { entity: names[0], subjects: body.subjects, isList: true };
    });
}

/** What adding answers: a record, or a list for a list. */
export function addedTo(kind: ResourceKind) {
  return z.union([
    z.object({
      message: z.string(),
      subject: z.string(),
      accessLevel: AccessLevel,
      [resultMemberOf(kind)]: z.string(),
    }),
    z.object({
      message: z.string(),
      subjects: z.array(z.object({ subject: z.string(), accessLevel: AccessLevel })),
    }),
  ]);
}

/** What taking a subject's rules away answers; `null` when all of that sort went. */
export function removedFrom(kind: ResourceKind) {
  return z.object({
    message: z.string(),
    subject: z.string(),
    [resultMemberOf(kind)]: z.string().nullable(),
  });
}

/** A configuration document. */
export function documentOf(kind: ResourceKind) {
  return z.object({ [idMemberOf(kind)]: z.string(), users: LevelsById, groups: LevelsById });
}

/** What deleting a document answers: the names of those it was about. */
export const RemovedDocument = z.object({
  message: z.string(),
  removed_subjects: z.object({ users: z.array(z.string()), groups: z.array(z.string()) }),
});

/** A subject's levels on the resources of one kind, by id. */
export function levelsOn<Kind extends string>(plural: Kind) {
  return z.object({ subject: z.string(), [plural]: LevelsById });
}

/** Spec: "Permission summary of a subject". */
export const Summary = z.object({
  subject: z.string(),
  organizations: LevelsById,
  endpoints: LevelsById,
  templates: LevelsById,
  workflows: LevelsById,
});

/** What taking all rules of a subject away answers. */
export const RemovedEverywhere = z.object({
  message: z.string(),
  subject: z.string(),
  organizationId: z.null(),
  endpointId: z.null(),
  templateId: z.null(),
  workflowId: z.null(),
});

/** Contract §13, `GET /iam/rbac/check`. */
export const CheckQuery = z.strictObject({
  resource: z.string().min(1),
  operation: z.string().min(1),
  subject: SubjectName.optional(),
});
export type CheckQuery = z.infer<typeof CheckQuery>;

/** What a check answers. */
export const CheckResult = z.object({
  allowed: z.boolean(),
  level: AccessLevel,
  needed: AccessLevel,
  rule: z.string(),
  considered: z.array(z.object({ rule: z.string(), decides: z.boolean(), why: z.string() })),
  grant: z.record(z.string(), z.string()).optional(),
});
