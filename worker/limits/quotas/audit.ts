/**
 * How much audits take beyond an organization's storage, and which calls are refused then. Contract §5,
 * "Quotas", silent on what is full.
 */
import { GatewayError } from '../../../proto/errors.ts';
import type { Context } from '../../context.ts';
import type { Settings } from '../../settings.ts';
import { selectAuditRoom } from './store.ts';

/** Bytes: that an audit has for itself, and that it and all else may take together. */
export interface AuditLimits {
  readonly own: number;
  readonly all: number;
}

/** How a change helps out of a full audit: by removing something, by the days that entries are kept; or it is taken always. */
export type Relief = 'removal' | { readonly retentionDays: number | null } | 'always';

/** Days that an organization's entries are kept. Contract §5, `dataRetentionDays`. */
export const RETENTION_DAYS = 90;
/** What helps out goes on for this part of the audit's bytes more. Spec silent. */
const RELIEF_PART = 4;

/** What entries of changes, refusals and logins may take; beyond it the latter two are only counted. */
export function auditLimits({ QUOTAS: { storage, audit } }: Settings): AuditLimits {
  return { own: audit, all: storage + audit };
}

/** What entries of changes that help out may take. */
function reliefLimits(settings: Settings): AuditLimits {
  const { own, all } = auditLimits(settings);
  const more = Math.floor(own / RELIEF_PART);
  return { own: own + more, all: all + more };
}

/**
 * Refuses a change whose entry has no room. The days that entries are kept can always be made fewer,
 * which comes to an end; other changes that help out go on for a while.
 * @throws GatewayError QUOTA_EXCEEDED
 */
export async function demandAuditRoom(ctx: Context, relief: Relief | undefined): Promise<void> {
  if (relief === 'always') return;
  const { db, caller, settings } = ctx;
  const limits = relief ? reliefLimits(settings) : auditLimits(settings);
  const [found] = await selectAuditRoom(db, caller.orgUuid, limits);
  if (found?.room !== 0) return;
  if (typeof relief === 'object' && isShorter(relief.retentionDays, found.days)) return;
  throw new GatewayError(
    'QUOTA_EXCEEDED',
    "The organization's storage and audit are full. Export the audit, lower settings.dataRetentionDays and wait until older entries are gone; or delete what is not needed",
  );
}

function isShorter(days: number | null, before: number | null): boolean {
  return lasting(days) < lasting(before);
}

/** 0 keeps entries for ever. */
function lasting(days: number | null): number {
  return (days ?? RETENTION_DAYS) || Number.POSITIVE_INFINITY;
}
