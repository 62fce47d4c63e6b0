/** Bodies that give subjects a level, in the three shapes that are taken. Spec: "RBAC". Contract §4. */
import * as z from 'zod';
import type { ResourceKind } from '../db/schema.ts';
import { AccessLevel, type Level } from '../levels.ts';
import { either } from '../shapes/either.ts';
import { exactlyOne } from '../shapes/exactly-one.ts';
import { SAMPLE } from '../shapes/sample.ts';
import { componentOf, SAMPLE_IDS } from './examples.ts';
import { idMemberOf } from './kinds.ts';
import { SubjectName } from './subjects.ts';

/** Most subjects of one request. Spec silent. */
const MOST_SUBJECTS = 100;

/** What an add-subject body asks for, whichever shape it has. */
export interface Additions {
  /** The id or UUID of what the levels are on; none for the organization. */
  readonly entity: string | undefined;
  readonly subjects: readonly (readonly [subject: string, level: Level])[];
  /** Whether the body was a list, and so the result is one. */
  readonly isList: boolean;
}

/**
 * The three shapes: `{access_level, subject, endpoint_id}`, `{subject, entity, access}` and
 * `{subjects: [[subject, level], …]}` with either name of the entity. On the organization the
 * entity may be left out.
 */
export function additionsOn(kind: ResourceKind) {
  const single = either(
    recordOn(kind),
    tripleOn(kind),
    (body) => 'access' in body || 'entity' in body,
  );
  return either(single, listOn(kind), (body) => 'subjects' in body).meta({
    description: `Levels for subjects on one ${kind}, in any of three shapes; each replaces the subject's earlier one there`,
  });
}

const GivenLevel = AccessLevel.meta({ description: 'The level that the subject gets there' });

/** Names what the levels are on. */
function entityOn(kind: ResourceKind) {
  const description =
    kind === 'organization'
      ? "The organization's own id or UUID; it may as well be left out"
      : `Id or UUID of the ${kind}`;
  return z
    .string()
    .min(1)
    .meta({ description, examples: [SAMPLE_IDS[kind]] });
}

function recordOn(kind: ResourceKind) {
  const idMember = idMemberOf(kind);
  const entity = kind === 'organization' ? {} : { [idMember]: entityOn(kind) };
  const example = {
    access_level: 'Write',
    subject: SAMPLE.bruno,
    ...(kind === 'organization' ? {} : { [idMember]: SAMPLE_IDS[kind] }),
  };
  return z
    .strictObject({ access_level: GivenLevel, subject: SubjectName, ...entity })
    .meta({
      id: `${componentOf(kind)}Grant`,
      description: 'A level for one subject',
      examples: [example],
    })
    .transform((body): Additions => {
      const members: Record<string, unknown> = body;
      const named = members[idMember];
      return {
        entity: typeof named === 'string' ? named : undefined,
        subjects: [[body.subject, body.access_level]],
        isList: false,
      };
    });
}

function tripleOn(kind: ResourceKind) {
  const entity = kind === 'organization' ? entityOn(kind).optional() : entityOn(kind);
  return z
    .strictObject({ subject: SubjectName, entity, access: GivenLevel })
    .meta({
      id: `${componentOf(kind)}GrantByEntity`,
      description: 'The same, with other names of the members',
      examples: [{ subject: SAMPLE.bruno, entity: SAMPLE_IDS[kind], access: 'Write' }],
    })
    .transform(
      ({ subject, entity, access }): Additions => ({
        entity,
        subjects: [[subject, access]],
        isList: false,
      }),
    );
}

function listOn(kind: ResourceKind) {
  const idMember = idMemberOf(kind);
  const oneOfTwo = entityOn(kind).optional();
  const example = {
    subjects: [
      [SAMPLE.bruno, 'Write'],
      [`group:${SAMPLE.group}`, 'Read'],
    ],
    ...(kind === 'organization' ? {} : { [idMember]: SAMPLE_IDS[kind] }),
  };
  return z
    .strictObject({
      subjects: z
        .array(
          z
            .tuple([SubjectName, GivenLevel])
            .meta({ description: 'A subject and its level', examples: [[SAMPLE.bruno, 'Write']] }),
        )
        .min(1)
        .max(MOST_SUBJECTS)
        .meta({ description: 'Each subject once; all are given their level, or none' }),
      entity: oneOfTwo,
      ...(kind === 'organization' ? {} : { [idMember]: oneOfTwo }),
    })
    .meta({
      id: `${componentOf(kind)}GrantList`,
      description:
        kind === 'organization'
          ? 'Levels for several subjects'
          : `Levels for several subjects; the ${kind} is named by one of the two members`,
      examples: [example],
      ...(kind === 'organization' ? {} : { override: exactlyOne([idMember, 'entity']) }),
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
