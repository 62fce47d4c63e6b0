/** Endpoints as they are asked for: one with all that may be shown of it, or a page of them. */

import type { Json } from '../../proto/json.ts';
import type { Readable } from '../access/access.ts';
import type { Context } from '../context.ts';
import type { ConnectionStatus, EndpointUsageRow } from '../db/schema.ts';
import { Tagged } from '../outcome.ts';
import { listContext, readPage } from '../shapes/cursor.ts';
import { isoTime } from '../shapes/iso-time.ts';
import { type Endpoint, endpointNotFound } from './access.ts';
import { openConfig } from './config.ts';
import { limitsOf, recordOf, tagOf } from './record.ts';
import { redactConfig } from './redact.ts';
import { selectEndpointWithUsage, selectReadable } from './store.ts';

/**
 * The record with description, redacted configuration, and what was counted and seen. Contract §5.
 * @throws GatewayError ENDPOINT_NOT_FOUND when it is gone since it was looked up
 */
export async function getEndpoint(ctx: Context, found: Endpoint): Promise<Tagged> {
  const [read] = await selectEndpointWithUsage(ctx.db, found.row.orgUuid, found.row.uuid);
  if (!read) throw endpointNotFound(found.row.id);
  const { row, usage } = read;
  const config = await openConfig(ctx, { ...found, row });
  const lastConnectedAt = usage?.lastConnectedAt ?? null;
  return new Tagged(tagOf(row), {
    ...recordOf(row),
    updated_at: isoTime(row.updatedAt),
    description: row.description,
    config: redactConfig(config),
    backend_pool_limits: limitsOf(row.poolLimits),
    connection_status: statusOf(usage),
    last_connected_at: lastConnectedAt === null ? null : isoTime(lastConnectedAt),
    usage: { reads: usage?.reads ?? 0, writes: usage?.writes ?? 0, errors: usage?.errors ?? 0 },
  });
}

/** A server that is reached, and keeps too much of its log for changes that are followed, is degraded. Spec: workflows.md §5. */
function statusOf(usage: EndpointUsageRow | null): ConnectionStatus {
  if (usage === null) return 'unknown';
  const { connectionStatus, degradedAt } = usage;
  return degradedAt !== null && connectionStatus !== 'unavailable' ? 'degraded' : connectionStatus;
}

/**
 * A page of the endpoints that the caller may read, by id. Contract §1, "Lists".
 * @throws GatewayError BAD_REQUEST for a cursor that is not of this list
 */
export async function listEndpoints(
  ctx: Context,
  { byDefault, policy }: Readable,
  page: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<Json> {
  const list = listContext(ctx, policy.sealedDataKey, 'endpoints');
  const { rows, next } = await readPage(list, page, {
    select: (after) => selectReadable(ctx.db, ctx.caller, { byDefault, after, limit: page.limit }),
    nameOf: ({ row }) => row.id,
  });
  return { endpoints: rows.map(({ row }) => recordOf(row)), ...next };
}
