/** Bodies and results of operations on rules, as on the wire. Spec: "RBAC". Contract §4. */
import * as z from 'zod';
import type { ResourceKind } from '../db/schema.ts';
import { AccessLevel } from '../levels.ts';
import { message } from '../shapes/members.ts';
import { SAMPLE } from '../shapes/sample.ts';
import { componentOf, SAMPLE_IDS, SUMMARY } from './examples.ts';
import { idMemberOf, pluralOf, resultMemberOf } from './kinds.ts';
import { asWritten, isPersonalKey, ShownSubject } from './subjects.ts';

export { type Additions, additionsOn } from './additions.ts';
export { CheckQuery, CheckResult } from './explanation.ts';

/** Parameter of every path below `…/subjects/{subject}`. */
export const SubjectPath = z.object({
  subject: z
    .string()
    .min(1)
    .overwrite(asWritten)
    .refine((name) => !isPersonalKey(name), 'may not be a personal key: no rules are for it')
    .meta({
      description: 'A username, the UUID of an account, `group:<name>`, or `key:<name>`',
      examples: [SAMPLE.bruno],
    }),
});

/** Parameter of a path that names one resource of a kind: its id or UUID. */
export function pathTo(kind: ResourceKind) {
  return z.object({
    [kind]: z
      .string()
      .min(1)
      .meta({ description: `The ${kind}'s id or UUID`, examples: [SAMPLE_IDS[kind]] }),
  });
}

/** Query that names one resource of a kind; left out, all are meant. */
export function oneOrAll(kind: ResourceKind) {
  return z.strictObject({
    [idMemberOf(kind)]: z
      .string()
      .min(1)
      .optional()
      .meta({
        description: `Id or UUID of the one ${kind}; left out, the level goes on every ${kind}`,
        examples: [SAMPLE_IDS[kind]],
      }),
  });
}

const levelsById = (description: string, example: Readonly<Record<string, string>>) =>
  z.record(z.string(), AccessLevel).meta({ description, examples: [example] });

const GRANTED = {
  message: `2 subjects added to endpoint ${SAMPLE.endpoint}`,
  subjects: [
    { subject: SAMPLE.bruno, accessLevel: 'Write' },
    { subject: `group:${SAMPLE.group}`, accessLevel: 'Read' },
  ],
};
const SubjectsGranted = z
  .object({
    message: message(GRANTED.message),
    subjects: z
      .array(
        z
          .object({
            subject: ShownSubject,
            accessLevel: AccessLevel.meta({ description: 'The level that it has there now' }),
          })
          .meta({ description: 'One subject' }),
      )
      .meta({ description: 'In the order of the request' }),
  })
  .meta({ id: 'SubjectsGranted', description: 'What a list was answered', examples: [GRANTED] });

/** What adding answers: a record, or a list for a list. */
export function addedTo(kind: ResourceKind) {
  const id = SAMPLE_IDS[kind];
  const example = {
    message: `${SAMPLE.bruno} has Write on ${kind} ${id}`,
    subject: SAMPLE.bruno,
    accessLevel: 'Write',
    [resultMemberOf(kind)]: id,
  };
  const single = z
    .object({
      message: message(example.message),
      subject: ShownSubject,
      accessLevel: AccessLevel.meta({ description: 'The level that it has there now' }),
      [resultMemberOf(kind)]: z.string().meta({ description: `Id of the ${kind}`, examples: [id] }),
    })
    .meta({
      id: `${componentOf(kind)}Granted`,
      description: 'What one subject was answered',
      examples: [example],
    });
  return z
    .union([single, SubjectsGranted])
    .meta({ description: 'What was granted: of a list of subjects, a list' });
}

/** What taking a subject's rules away answers; `null` when all of that sort went. */
export function removedFrom(kind: ResourceKind) {
  const id = SAMPLE_IDS[kind];
  const example = {
    message: `Permissions of ${SAMPLE.bruno} on ${kind} ${id} removed`,
    subject: SAMPLE.bruno,
    [resultMemberOf(kind)]: id,
  };
  return z
    .object({
      message: message(example.message),
      subject: ShownSubject,
      [resultMemberOf(kind)]: z
        .string()
        .nullable()
        .meta({
          description: `Id of the ${kind}; null where the level went on every ${kind}`,
          examples: [id],
        }),
    })
    .meta({
      id: `${componentOf(kind)}GrantRemoved`,
      description: 'What was taken away, whether there was a rule or not',
      examples: [example],
    });
}

/** A configuration document. */
export function documentOf(kind: ResourceKind) {
  const example = {
    [idMemberOf(kind)]: SAMPLE_IDS[kind],
    users: { [SAMPLE.ada]: 'SuperAdmin', [SAMPLE.bruno]: 'Read' },
    groups: { [SAMPLE.group]: 'Read' },
  };
  return z
    .object({
      [idMemberOf(kind)]: z
        .string()
        .meta({ description: `Id of the ${kind}`, examples: [SAMPLE_IDS[kind]] }),
      users: levelsById('Levels by username', example.users),
      groups: levelsById('Levels by the names of groups of identity providers', example.groups),
    })
    .meta({
      id: `${componentOf(kind)}Rules`,
      description: `All rules on one ${kind}`,
      examples: [example],
    });
}

const REMOVED = {
  message: `Permissions on endpoint ${SAMPLE.endpoint} removed`,
  removed_subjects: { users: [SAMPLE.bruno], groups: [SAMPLE.group] },
};
/** What deleting a document answers: the names of those it was about. */
export const RemovedDocument = z
  .object({
    message: message(REMOVED.message),
    removed_subjects: z
      .object({
        users: z.array(z.string()).meta({ description: 'Usernames', examples: [[SAMPLE.bruno]] }),
        groups: z
          .array(z.string())
          .meta({ description: 'Names of groups', examples: [[SAMPLE.group]] }),
      })
      .meta({ description: 'Who had a rule there' }),
  })
  .meta({ id: 'RulesRemoved', description: 'The rules that were taken away', examples: [REMOVED] });

function levelsOnAll<Kind extends ResourceKind>(kind: Kind) {
  const plural = pluralOf(kind);
  const levels = { [SAMPLE_IDS[kind]]: kind === 'endpoint' ? 'Write' : 'Read' };
  const example = { subject: SAMPLE.bruno, [plural]: levels };
  return z
    .object({
      subject: ShownSubject,
      [plural]: levelsById(`Levels by the ids of ${plural}`, levels),
    })
    .meta({
      id: `LevelsOn${componentOf(kind)}s`,
      description: `A subject's levels on ${plural}`,
      examples: [example],
    });
}
const LEVELS_ON = {
  organizations: levelsOnAll('organization'),
  endpoints: levelsOnAll('endpoint'),
  templates: levelsOnAll('template'),
  workflows: levelsOnAll('workflow'),
};
/** A subject's levels on the resources of one kind, by id. */
export function levelsOn(plural: keyof typeof LEVELS_ON) {
  return LEVELS_ON[plural];
}

/** Spec: "Access record (RBAC)". */
export const Summary = z
  .object({
    subject: ShownSubject,
    organizations: levelsById(
      'The level on the organization of the token, by its id; empty without a rule',
      SUMMARY.organizations,
    ),
    endpoints: levelsById('Levels by rules on endpoints, by their ids', SUMMARY.endpoints),
    templates: levelsById('Levels by rules on templates, by their ids', SUMMARY.templates),
    workflows: levelsById('Levels by rules on workflows, by their ids', SUMMARY.workflows),
  })
  .meta({
    id: 'PermissionSummary',
    description: 'All rules for a subject in the organization',
    examples: [SUMMARY],
  });

const NOTHING_LEFT = {
  message: `All permissions of ${SAMPLE.bruno} removed`,
  subject: SAMPLE.bruno,
  organizationId: null,
  endpointId: null,
  templateId: null,
  workflowId: null,
};
const all = (things: string) => z.null().meta({ description: `Null, which stands for ${things}` });
/** What taking all rules of a subject away answers. */
export const RemovedEverywhere = z
  .object({
    message: message(NOTHING_LEFT.message),
    subject: ShownSubject,
    organizationId: all('the organization'),
    endpointId: all('all endpoints'),
    templateId: all('all templates'),
    workflowId: all('all workflows'),
  })
  .meta({
    id: 'PermissionsRemoved',
    description: 'All rules for the subject are gone; a user stays a member',
    examples: [NOTHING_LEFT],
  });
