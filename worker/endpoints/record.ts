/** Endpoints as replies show them. */

import { kindSpec } from '../../kinds/index.ts';
import type { Caps, Warning } from '../../proto/driver.ts';
import type { Json } from '../../proto/json.ts';
import type { EndpointRow } from '../db/schema.ts';
import { isoTime } from '../shapes/iso-time.ts';
import type { PoolLimits } from './schema.ts';

/** A stored endpoint, and what there is to warn of since it was last connected. */
export interface Connected {
  readonly row: EndpointRow;
  readonly warnings: readonly Warning[];
}

/** A reply's object. */
type EndpointObject = { [member: string]: Json };

/** The endpoint's ETag: of its row, so neither of counters nor of what was seen of its backend. */
export function tagOf({ revision }: EndpointRow): string {
  return String(revision);
}

/** Spec: "Endpoint record". */
export function recordOf(row: EndpointRow, warnings: readonly Warning[] = []): EndpointObject {
  const created_at = isoTime(row.createdAt);
  return { ...identityOf(row), created_at, ...profileOf(row), ...warningsShown(warnings) };
}

/** The record that a change answers. */
export function updatedRecordOf({ row, warnings }: Connected): EndpointObject {
  const updated_at = isoTime(row.updatedAt);
  return { ...identityOf(row), updated_at, ...profileOf(row), ...warningsShown(warnings) };
}

/** The member `warnings`, where there is something to warn of. Spec silent on nothing. */
export function warningsShown(warnings: readonly Warning[]): {
  warnings?: { code: string; message: string }[];
} {
  if (warnings.length === 0) return {};
  return { warnings: warnings.map(({ code, message }) => ({ code, message })) };
}

function identityOf({ id, uuid, kind }: EndpointRow): EndpointObject {
  return { id, uuid, kind: kindSpec(kind).label };
}

/** Only what was set: `production` is in force without a word. */
function profileOf({ backendProfile }: EndpointRow): EndpointObject {
  return backendProfile === null ? {} : { backend_profile: backendProfile };
}

/** Caps as the wire names them; 0 stands for one that is not set. */
export function limitsOf({ total, production, development }: Caps): EndpointObject {
  return {
    ...(total === 0 ? {} : { total_max_connections: total }),
    ...(production === 0 ? {} : { production_max_connections: production }),
    ...(development === 0 ? {} : { development_max_connections: development }),
  };
}

/** The other way round. */
export function capsOf(limits: PoolLimits): Caps {
  return {
    total: limits.total_max_connections ?? 0,
    production: limits.production_max_connections ?? 0,
    development: limits.development_max_connections ?? 0,
  };
}
