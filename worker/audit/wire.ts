/** Entries and heads as the API shows them, which is also what is hashed and signed. Contract §13. */
import * as z from 'zod';
import type { AuditEntryRow, AuditHeadRow } from '../db/schema.ts';
import { PageQuery } from '../http/cursor.ts';
import type { AuditEntry, SignedHead } from './hash.ts';

const Instant = z.iso
  .datetime({ offset: true, error: 'is a time in ISO 8601, such as 2026-01-31T00:00:00Z' })
  .transform((text) => Date.parse(text));

/** Query of `GET /audit`; all that are given hold. */
export const AuditQuery = PageQuery.extend({
  actor: z.string().min(1).optional(),
  action: z.string().min(1).optional(),
  resource: z.string().min(1).optional(),
  outcome: z.enum(['success', 'denied', 'failed']).optional(),
  from: Instant.optional(),
  to: Instant.optional(),
});
export type AuditQuery = z.output<typeof AuditQuery>;

export const Head = z.object({
  seq: z.int(),
  hash: z.string(),
  time: z.string(),
  key_id: z.string(),
  signature: z.string(),
});

export const AuditPage = z.object({
  entries: z.array(
    z.object({
      org_uuid: z.string(),
      seq: z.int().nullable(),
      time: z.string(),
      actor: z.string(),
      action: z.string(),
      resource: z.string(),
      outcome: z.string(),
      address: z.string(),
      request_id: z.string(),
      details: z.record(z.string(), z.json()),
      repeats: z.int(),
      hash: z.string().nullable(),
    }),
  ),
  removed: Head.optional(),
  next_cursor: z.string().optional(),
});

/** An entry as it is shown. */
export function entryOnWire(row: AuditEntryRow): AuditEntry {
  return {
    org_uuid: row.orgUuid,
    seq: row.seq,
    time: new Date(row.time).toISOString(),
    actor: row.actor,
    action: row.action,
    resource: row.resource,
    outcome: row.outcome,
    address: row.address,
    request_id: row.requestId,
    details: row.details,
    repeats: row.repeats,
    hash: row.hash,
  };
}

/** A head as it is shown. */
export function headOnWire({ seq, hash, time, keyId, signature }: AuditHeadRow): SignedHead {
  return { seq, hash, time: new Date(time).toISOString(), key_id: keyId, signature };
}
