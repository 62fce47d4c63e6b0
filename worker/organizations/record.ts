/** The organization's record, as on the wire. Spec: "Organization record". Contract §4. */
import * as z from 'zod';
import { AccessLevel } from '../levels.ts';
import { count, timestamp, timestampOrNull, uuid } from '../shapes/members.ts';
import { SAMPLE } from '../shapes/sample.ts';
import { RECORD } from './examples.ts';

const uuids = (description: string, example: string) =>
  z.array(uuid('UUID', example)).meta({ description, examples: [[example]] });

const Settings = z
  .object({
    defaultRegion: z.string().meta({
      description: "Where data belong, by the organization's own note",
      examples: [RECORD.settings.defaultRegion],
    }),
    enableAdvancedFeatures: z
      .boolean()
      .meta({ description: "The organization's own note", examples: [false] }),
    dataRetentionDays: count(
      'Days that runs, tasks and audit are kept; 0 keeps them',
      RECORD.settings.dataRetentionDays,
    ),
    maxEndpoints: count(
      'Most endpoints: the lower of what the organization chose and what the installation allows',
      RECORD.settings.maxEndpoints,
    ),
  })
  .meta({ description: 'What is in force, with defaults for what was never set' });

const usageOf = (things: string, { count: used, limit }: typeof RECORD.usage.endpoints) =>
  z
    .object({
      count: count('How many there are', used),
      limit: count('How many there may be', limit),
    })
    .meta({ description: `Of ${things}` });

const Usage = z
  .object({
    endpoints: usageOf('endpoints', RECORD.usage.endpoints),
    templates: usageOf('templates', RECORD.usage.templates),
    workflows: usageOf('workflows', RECORD.usage.workflows),
    storage: z
      .object({
        used: z.string().meta({
          description: 'What definitions and audit take',
          examples: [RECORD.usage.storage.used],
        }),
        limit: z.string().meta({
          description: 'What they may take',
          examples: [RECORD.usage.storage.limit],
        }),
      })
      .meta({ description: 'Bytes of definitions and audit, in B, KiB, MiB, GiB or TiB' }),
  })
  .meta({ description: 'What there is of each, and what there may be' });

const Resources = z
  .object({
    users: z
      .array(
        z
          .object({
            email: z.string().meta({ description: 'The username', examples: [SAMPLE.bruno] }),
            accessLevel: AccessLevel.meta({
              description: 'Level on the organization; `None` without a rule there',
            }),
            lastActive: timestampOrNull(
              'Last login, or call that needs a level, seconds late; null before any',
            ),
          })
          .meta({ description: 'One user' }),
      )
      .meta({ description: 'Users of the organization; below Admin you see yourself alone' }),
    resourceCounts: z
      .object({
        endpoints: count('Endpoints', RECORD.resources.resourceCounts.endpoints),
        templates: count('Templates', RECORD.resources.resourceCounts.templates),
        workflows: count('Workflows', RECORD.resources.resourceCounts.workflows),
      })
      .meta({ description: 'How many there are, whether you may read them or not' }),
  })
  .meta({ description: 'Who and what belongs to the organization' });

/** `name` is an addition. Lists hold at most 1,000 entries. */
export const OrganizationRecord = z
  .object({
    id: z
      .string()
      .meta({ description: 'What logins name in `X-Org-Id`', examples: [SAMPLE.orgId] }),
    uuid: uuid('Stays the same for the whole life of the organization', SAMPLE.orgUuid),
    name: z.string().meta({
      description: 'What people call it; the id where no other was given',
      examples: [RECORD.name],
    }),
    super_admin_uuids: uuids(
      'Accounts with SuperAdmin on the organization; empty for callers below Admin',
      SAMPLE.adaUuid,
    ),
    gateway_node_uuids: uuids('Nodes that can serve its endpoints', SAMPLE.nodeUuid),
    endpoint_uuids: uuids('Endpoints that you may read', SAMPLE.endpointUuid),
    description: z.string().meta({
      description: 'What it is for; empty when nobody said',
      examples: [RECORD.description],
    }),
    created_at: timestamp('When it was founded', RECORD.created_at),
    updated_at: timestamp(
      'When its name, description or settings were last changed',
      RECORD.updated_at,
    ),
    last_modified_by: z.string().meta({
      description: 'Username of who changed these last; the UUID of an account that is gone',
      examples: [SAMPLE.ada],
    }),
    settings: Settings,
    usage: Usage,
    resources: Resources,
  })
  .meta({
    id: 'Organization',
    description: 'The organization of the token; each list in it holds at most 1000 entries',
    examples: [RECORD],
  });
