/** Entries and heads as the API shows them, which is also what is hashed and signed. Contract §13. */
import * as z from 'zod';
import type { AuditEntryRow, AuditHeadRow } from '../db/audit.ts';
import { AccessLevel } from '../levels.ts';
import { PageQuery } from '../shapes/cursor.ts';
import { count, GivenTime, NextCursor, timestamp, uuid } from '../shapes/members.ts';
import { SAMPLE } from '../shapes/sample.ts';
import { visible } from '../shapes/visible.ts';
import type { AuditEntry, SignedHead } from './hash.ts';

const SAMPLE_HEAD: SignedHead = {
  seq: 58,
  hash: '6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b',
  time: SAMPLE.now,
  key_id: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  signature:
    'hCUyXBXVZhpD0PQ1o5wEqBEl7SqkO0bRo1bSpyW3yYdRzVwq2yRkCwzQe0qfZpFzVZkq6C9wJg8dXm9u3yVtDA',
};
const SAMPLE_ENTRY: AuditEntry = {
  org_uuid: SAMPLE.orgUuid,
  seq: 57,
  time: SAMPLE.changed,
  actor: SAMPLE.ada,
  action: 'endpoint.update',
  resource: `endpoint:${SAMPLE.endpointUuid}`,
  outcome: 'success',
  address: '203.0.113.7',
  request_id: SAMPLE.requestId,
  details: { actor_uuid: SAMPLE.adaUuid, id: SAMPLE.endpoint, fields: ['config.write_conn'] },
  repeats: 1,
  hash: '4e07408562bedb8b60ce05c1decfe3ad16b72230967de01f640b7e4729b49fce',
};

const Instant = GivenTime.meta({
  examples: ['2026-03-09T00:00:00Z'],
  override: {
    pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d+)?)?(?:Z|[+-]\\d\\d:\\d\\d)$',
  },
}).transform((text) => Date.parse(text));
const Outcomes = z.enum(['success', 'denied', 'failed']).meta({
  description:
    '`denied` was refused for want of a right or a valid token, `failed` is a login with wrong credentials',
  examples: ['success'],
});
const filter = (description: string, example: string) =>
  z
    .string()
    .min(1)
    .optional()
    .meta({ description: `${description}, in exactly these letters`, examples: [example] });

/** Query of `GET /audit`; all that are given hold. */
export const AuditQuery = PageQuery.extend({
  actor: filter('Only what this user did', SAMPLE.ada),
  action: filter('Only this action', SAMPLE_ENTRY.action),
  resource: filter('Only what was done on this', SAMPLE_ENTRY.resource),
  outcome: Outcomes.optional().meta({ description: 'Only what ended so' }),
  from: Instant.optional().meta({ description: 'Only what happened then or later' }),
  to: Instant.optional().meta({ description: 'Only what happened then or earlier' }),
});
export type AuditQuery = z.output<typeof AuditQuery>;

const Hash = z.string().regex(/^[0-9a-f]{64}$/);

export const Head = z
  .object({
    seq: count('Number of the last entry that it covers; 0 before the first', SAMPLE_HEAD.seq),
    hash: Hash.meta({
      description: 'The `hash` of that entry; zeros before the first',
      examples: [SAMPLE_HEAD.hash],
    }),
    time: timestamp('When it was signed', SAMPLE_HEAD.time),
    key_id: z.string().meta({
      description: "Thumbprint of the gateway's public key (RFC 7638)",
      examples: [SAMPLE_HEAD.key_id],
    }),
    signature: z.string().meta({
      description:
        "Ed25519 in base64url, over the canonical JSON of these members with the organization's UUID; `npm run audit:verify` checks it",
      examples: [SAMPLE_HEAD.signature],
    }),
  })
  .meta({
    id: 'AuditHead',
    description: 'A place in the chain of entries that the gateway vouches for',
    examples: [SAMPLE_HEAD],
  });

const detail = (description: string, example: string) =>
  z
    .string()
    .optional()
    .meta({ description, examples: [example] });
const Details = z
  .object({
    actor_uuid: detail(
      'UUID of the account that acted, or that a login was tried for',
      SAMPLE.adaUuid,
    ),
    author: detail(
      'Username of the author whose rights it had, or lacked, where these were not the rights of who called: `runAs`',
      SAMPLE.ada,
    ),
    id: detail("The resource's id as its owners know it", SAMPLE.endpoint),
    fields: z
      .array(z.string())
      .optional()
      .meta({
        description: 'What was changed, as dotted paths, at most 50; never a value',
        examples: [['config.write_conn']],
      }),
    subject: detail(
      'Whose rights were changed: the UUID of an account, or `group:<name>`',
      SAMPLE.brunoUuid,
    ),
    level: AccessLevel.optional().meta({ description: 'The level that was given' }),
    node: detail('UUID of the node that was placed', SAMPLE.nodeUuid),
    code: detail('Why it was refused, as errors name it', 'FORBIDDEN'),
  })
  .meta({ description: 'What more is told of it: names, levels and codes, never a secret' });

const Entry = z
  .object({
    org_uuid: uuid('The organization', SAMPLE.orgUuid),
    seq: z
      .int()
      .min(1)
      .nullable()
      .meta({
        description: 'Number in the chain, from 1; null for the moment until it has one',
        examples: [57],
      }),
    time: timestamp('When it happened', SAMPLE_ENTRY.time),
    actor: z.string().meta({
      description: 'Username at the time; `unknown` for a login that named no member',
      examples: [SAMPLE.ada],
    }),
    action: z
      .string()
      .meta({ description: 'What was done or tried', examples: [SAMPLE_ENTRY.action] }),
    resource: z.string().meta({
      description: 'On what: its sort and UUID, or the name that the request had for it',
      examples: [SAMPLE_ENTRY.resource],
    }),
    outcome: Outcomes,
    address: z.string().meta({
      description: 'Where the request came from; `local` on a server bound to loopback',
      examples: [SAMPLE_ENTRY.address],
    }),
    request_id: z.string().meta({ description: "The request's id", examples: [SAMPLE.requestId] }),
    details: Details,
    repeats: z
      .int()
      .min(1)
      .meta({
        description: 'How often it happened; above 1 the other members tell of the first time',
        examples: [1],
      }),
    hash: Hash.nullable().meta({
      description:
        'SHA-256 over this entry and the hash of the one before; null for the moment until it is chained',
      examples: [SAMPLE_ENTRY.hash],
    }),
  })
  .meta({
    id: 'AuditEntry',
    description: 'One thing that was done, refused or tried',
    examples: [SAMPLE_ENTRY],
  });

export const AuditPage = z
  .object({
    entries: z.array(Entry).meta({ description: 'Newest first' }),
    removed: Head.optional().meta({
      description:
        'Head of the last entry that went with age: the chain goes on after it. Absent while none has',
    }),
    not_kept: z
      .int()
      .min(1)
      .optional()
      .meta({
        description:
          'How often something was refused or tried, or an account changed, of which no entry was kept as the audit was full; an entry `audit.not_kept` tells it once there is room. Absent when never',
        examples: [3],
      }),
    next_cursor: NextCursor,
  })
  .meta({
    id: 'AuditPage',
    description: 'A page of what was done, refused or tried in the organization',
    examples: [{ entries: [SAMPLE_ENTRY], next_cursor: SAMPLE.cursor }],
  });

/** An entry as it is shown; texts from before hidden characters were written out when stored are so here. */
export function entryOnWire(row: AuditEntryRow): AuditEntry {
  return {
    org_uuid: row.orgUuid,
    seq: row.seq,
    time: new Date(row.time).toISOString(),
    actor: visible(row.actor),
    action: row.action,
    resource: visible(row.resource),
    outcome: row.outcome,
    address: row.address,
    request_id: row.requestId,
    details: detailsOnWire(row.details),
    repeats: row.repeats,
    hash: row.hash,
  };
}

function detailsOnWire(details: AuditEntryRow['details']): AuditEntryRow['details'] {
  const { subject, id } = details;
  return {
    ...details,
    ...(id === undefined ? {} : { id: visible(id) }),
    ...(subject === undefined ? {} : { subject: visible(subject) }),
  };
}

/** A head as it is shown. */
export function headOnWire({ seq, hash, time, keyId, signature }: AuditHeadRow): SignedHead {
  return { seq, hash, time: new Date(time).toISOString(), key_id: keyId, signature };
}
