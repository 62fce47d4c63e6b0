/** Makes an endpoint: checks it, connects, stores it. */

import { GatewayError } from '../../proto/errors.ts';
import type { Policy } from '../access/policy.ts';
import { tokenRevoked } from '../access/tokens.ts';
import { auditStatement } from '../audit/record.ts';
import type { Context } from '../context.ts';
import type { EndpointRow } from '../db/schema.ts';
import { selectStored } from '../limits/quotas/store.ts';
import { sealConfig } from './config.ts';
import { connectAll } from './connect.ts';
import { oncePlaceIn } from './once.ts';
import { parseConfig, parseKind } from './parse-config.ts';
import type { Connected } from './record.ts';
import { capsOf } from './record.ts';
import type { CreateBody } from './schema.ts';
import { insertEndpoint, noteConnection, selectRoom } from './store.ts';
import { callerSettingsIn, transportsOf, vpnRouteOf } from './transport.ts';

/**
 * Stores an endpoint whose backend answers; otherwise nothing is stored.
 * @throws GatewayError ENDPOINT_EXISTS, QUOTA_EXCEEDED, TOKEN_REVOKED, what `parseKind`, `parseConfig`, `transportsOf`, `oncePlaceIn` and `connectAll` throw
 */
export async function createEndpoint(
  ctx: Context,
  policy: Policy,
  body: CreateBody,
): Promise<Connected> {
  const kind = parseKind(body.kind);
  const config = parseConfig(kind, body.config);
  const transports = transportsOf(kind, config);
  const oncePlace = oncePlaceIn(kind, config, transports);
  await demandRoom(ctx, body.endpoint);
  const warnings = await connectAll(ctx, policy, { kind, config, transports });
  const uuid = crypto.randomUUID();
  const now = ctx.now();
  const row: EndpointRow = {
    orgUuid: ctx.caller.orgUuid,
    uuid,
    id: body.endpoint,
    kind,
    description: body.description,
    sealedConfig: await sealConfig(ctx, { uuid, sealedDataKey: policy.sealedDataKey }, config),
    hasDevelopmentConn: config.development_conn !== undefined,
    backendProfile: body.backend_profile ?? null,
    poolLimits: capsOf(body.backend_pool_limits),
    transports,
    vpnRoute: vpnRouteOf(config),
    numbersAsStrings: config.numbers === 'string',
    callerSettings: callerSettingsIn(config),
    oncePlace,
    revision: now,
    poolRevision: 1,
    createdAt: now,
    updatedAt: now,
  };
  const { db, settings, caller } = ctx;
  const seen = { connectionStatus: 'available', at: now } as const;
  const [inserted] = await db.batch([
    insertEndpoint(db, row, settings.QUOTAS.endpoints),
    auditStatement(ctx, {
      action: 'endpoint.create',
      resource: `endpoint:${uuid}`,
      details: { id: row.id },
    }),
    noteConnection(db, caller.orgUuid, uuid, seen),
  ]);
  if (inserted.length === 0) await refuse(ctx, row.id);
  return { row, warnings };
}

/**
 * Refuses before any backend is asked what storing would refuse. Storage is only asked here: what
 * is created at the same time may go beyond it by that much, and audit goes on beyond it too.
 */
async function demandRoom(ctx: Context, id: string): Promise<void> {
  const { db, caller } = ctx;
  const { orgUuid } = caller;
  const { endpoints, storage } = ctx.settings.QUOTAS;
  const [[room], [stored]] = await db.batch([
    selectRoom(db, orgUuid, id, endpoints),
    selectStored(db, orgUuid),
  ]);
  if (!room) throw tokenRevoked();
  if (room.taken) throw endpointExists(id);
  if (room.full) throw quotaExceeded();
  if ((stored?.bytes ?? 0) >= storage) throw storageUsedUp();
}

/** Others were faster: says at what. Also when that was deleting the organization. */
async function refuse(ctx: Context, id: string): Promise<never> {
  const { db, settings, caller } = ctx;
  const [room] = await selectRoom(db, caller.orgUuid, id, settings.QUOTAS.endpoints);
  if (!room) throw tokenRevoked();
  throw room.taken ? endpointExists(id) : quotaExceeded();
}

function endpointExists(id: string): GatewayError {
  return new GatewayError('ENDPOINT_EXISTS', `Endpoint ${id} already exists`);
}

function storageUsedUp(): GatewayError {
  return new GatewayError('QUOTA_EXCEEDED', "The organization's storage is used up");
}

function quotaExceeded(): GatewayError {
  return new GatewayError(
    'QUOTA_EXCEEDED',
    'The organization has as many endpoints as it may have',
  );
}
