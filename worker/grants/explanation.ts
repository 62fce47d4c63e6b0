/** What is asked of an explanation, and what it reports, as on the wire. Contract §13. */
import * as z from 'zod';
import type { ResourceKind } from '../db/schema.ts';
import { AccessLevel } from '../levels.ts';
import { SAMPLE } from '../shapes/sample.ts';
import { CHECK, SAMPLE_IDS } from './examples.ts';
import { AskedSubject, ShownSubject } from './subjects.ts';

/** Query of `GET /iam/rbac/check`. */
export const CheckQuery = z.strictObject({
  resource: z
    .string()
    .min(1)
    .optional()
    .meta({
      description:
        '`organization`, or a kind and an id such as `endpoint:shop`; left out, the organization',
      examples: [`endpoint:${SAMPLE.endpoint}`],
    }),
  operation: z
    .string()
    .min(1)
    .meta({
      description:
        'A method and path that `/help` lists, or in short `get`, `update`, `delete`, `run`, or the last word of such a path',
      examples: ['write'],
    }),
  subject: AskedSubject.optional().meta({
    description:
      'Username or UUID of whom to ask about, or `key:` and the name of an API key; yourself when left out, another needs Admin',
    examples: [SAMPLE.bruno],
  }),
});
export type CheckQuery = z.infer<typeof CheckQuery>;

const Considered = z
  .object({
    rule: z.string().meta({ description: 'The rule, in words', examples: [CHECK.rule] }),
    decides: z.boolean().meta({ description: 'Whether it is the one that decides' }),
    why: z.string().meta({
      description: 'Why it decides, or does not',
      examples: [CHECK.considered[0]?.why],
    }),
  })
  .meta({
    id: 'ConsideredRule',
    description: 'A rule that bears on it',
    examples: CHECK.considered,
  });

const idOf = (kind: ResourceKind) =>
  z
    .string()
    .optional()
    .meta({
      description: `Where the level is to be given: on this ${kind}`,
      examples: [SAMPLE_IDS[kind]],
    });
const Grant = z
  .object({
    access_level: AccessLevel.meta({ description: 'The lowest level that would do' }),
    subject: ShownSubject,
    endpoint_id: idOf('endpoint'),
    template_id: idOf('template'),
    workflow_id: idOf('workflow'),
  })
  .meta({
    id: 'SmallestGrant',
    description:
      'A body for `POST /iam/rbac/endpoints/subjects` and its like; without an id for that of organizations',
    examples: [CHECK.grant],
  });

/** What a check answers. */
export const CheckResult = z
  .object({
    allowed: z.boolean().meta({
      description:
        'Whether the operation would be let through; what its body may decide is not seen',
    }),
    level: AccessLevel.meta({ description: 'The level in force there' }),
    needed: AccessLevel.meta({ description: 'The level that the operation needs' }),
    rule: z.string().meta({
      description: 'The one of `considered` that decides; `no rule` where there is none',
      examples: [CHECK.rule],
    }),
    considered: z.array(Considered).meta({
      description:
        'Rules on the organization, then those on the resource, the most restrictive first',
    }),
    grant: Grant.optional().meta({
      description:
        'The smallest grant that would allow it; absent when it is allowed, and when no single one would do',
    }),
  })
  .meta({
    id: 'PermissionCheck',
    description: 'Whether a user may do something, why, and what would change it',
    examples: [CHECK],
  });
