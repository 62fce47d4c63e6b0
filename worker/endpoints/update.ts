/** Changes an endpoint: merges, connects when the configuration is touched, stores. */

import { kindNamed, kindSpec } from '../../kinds/index.ts';
import type { Warning } from '../../proto/driver.ts';
import { badRequest, GatewayError } from '../../proto/errors.ts';
import type { Json } from '../../proto/json.ts';
import { fieldsOf } from '../audit/fields.ts';
import { auditStatement } from '../audit/record.ts';
import type { Context } from '../context.ts';
import { tellFollower } from '../data-changes/tell.ts';
import type { EndpointRow } from '../db/schema.ts';
import { demandStorage } from '../limits/quotas/demand.ts';
import { hold, type IfMatch, preconditionFailed } from '../revision.ts';
import { parse } from '../shapes/parse.ts';
import { type Endpoint, endpointNotFound } from './access.ts';
import { type EndpointConfig, openConfig, sealConfig } from './config.ts';
import { connectAll } from './connect.ts';
import { mergeConfig, mergePatch } from './merge-config.ts';
import { oncePlaceIn } from './once.ts';
import { parseConfig } from './parse-config.ts';
import type { Connected } from './record.ts';
import { capsOf, limitsOf, tagOf } from './record.ts';
import { refuseRedacted } from './redact.ts';
import { releaseEndpoint } from './release.ts';
import { Changeable, type PatchBody } from './schema.ts';
import {
  type EndpointChanges,
  noteConnection,
  selectEndpoint,
  updateEndpointRow,
} from './store.ts';
import { callerSettingsIn, transportsOf, vpnRouteOf } from './transport.ts';

/**
 * Applies a JSON Merge Patch; when it fails, the old configuration goes on serving. Contract §5.
 * @throws GatewayError EDIT_CONFLICT when another change came between, PRECONDITION_FAILED,
 * ENDPOINT_NOT_FOUND, BAD_REQUEST, what `parseConfig`, `transportsOf`, `oncePlaceIn` and `connectAll` throw
 */
export async function updateEndpoint(
  ctx: Context,
  found: Endpoint,
  patch: PatchBody,
  ifMatch: IfMatch | undefined,
): Promise<Connected> {
  const { db, caller } = ctx;
  refuseOtherKind(found.row, patch.kind);
  // What was remembered may be older than another isolate's change.
  const [row] = await selectEndpoint(db, caller.orgUuid, { uuid: found.row.uuid });
  if (!row) throw endpointNotFound(found.row.id);
  const endpoint = { ...found, row };
  const members = changedMembers(row, patch);
  const config = patch.config && (await mergedConfig(ctx, endpoint, patch.config));
  hold(tagOf(row), ifMatch);
  const { stored: storedConfig, warnings } = config
    ? await connectedConfig(ctx, endpoint, config)
    : { stored: configOf(row), warnings: [] };
  const changes: EndpointChanges = {
    ...members,
    ...storedConfig,
    poolRevision: row.poolRevision + (config || isPooledOtherwise(row, members) ? 1 : 0),
    updatedAt: ctx.now(),
  };
  await demandGrowth(ctx, row, changes);
  const [[stored]] = await db.batch([
    updateEndpointRow(db, row, changes),
    auditStatement(ctx, {
      action: 'endpoint.update',
      resource: `endpoint:${row.uuid}`,
      details: { id: row.id, fields: fieldsOf(patch) },
    }),
  ]);
  if (!stored) throw changedMeanwhile(row, ifMatch);
  if (stored.poolRevision !== row.poolRevision) {
    ctx.afterReply(releaseEndpoint(ctx, endpoint, stored.poolRevision));
    ctx.afterReply(tellFollower(ctx, endpoint));
  }
  if (config) {
    const seen = { connectionStatus: 'available', at: stored.updatedAt } as const;
    ctx.afterReply(noteConnection(db, caller.orgUuid, stored.uuid, seen).execute());
  }
  return { row: stored, warnings };
}

/** What becomes smaller needs no room: that is how there comes to be some. */
async function demandGrowth(
  ctx: Context,
  before: EndpointRow,
  { description = before.description, sealedConfig = before.sealedConfig }: Partial<EndpointRow>,
): Promise<void> {
  const growth =
    sealedConfig.length -
    before.sealedConfig.length +
    description.length -
    before.description.length;
  if (growth > 0) await demandStorage(ctx, growth);
}

function refuseOtherKind(row: EndpointRow, kind: string | undefined): void {
  if (kind === undefined || kindNamed(kind) === row.kind) return;
  const { label } = kindSpec(row.kind);
  throw badRequest('kind', `expected ${label}`, `This endpoint is of kind ${label}`);
}

/** The error for a revision that has changed: of `If-Match` where the request named one. */
function changedMeanwhile({ id }: EndpointRow, ifMatch: IfMatch | undefined): GatewayError {
  if (ifMatch !== undefined && ifMatch !== 'any') return preconditionFailed();
  return new GatewayError('EDIT_CONFLICT', `Endpoint ${id} was changed in the meantime`);
}

/** Whether pools of other connections or caps are needed: a description closes none. */
function isPooledOtherwise(row: EndpointRow, { backendProfile, poolLimits }: Members): boolean {
  const { total, production, development } = row.poolLimits;
  return (
    backendProfile !== row.backendProfile ||
    poolLimits.total !== total ||
    poolLimits.production !== production ||
    poolLimits.development !== development
  );
}

type StoredConfig = Pick<
  EndpointRow,
  | 'sealedConfig'
  | 'hasDevelopmentConn'
  | 'transports'
  | 'vpnRoute'
  | 'numbersAsStrings'
  | 'callerSettings'
  | 'oncePlace'
>;
type Members = Pick<EndpointRow, 'description' | 'backendProfile' | 'poolLimits'>;

function configOf(row: EndpointRow): StoredConfig {
  const { sealedConfig, hasDevelopmentConn, transports, vpnRoute, numbersAsStrings } = row;
  const { callerSettings, oncePlace } = row;
  return {
    ...{ sealedConfig, hasDevelopmentConn, transports, vpnRoute },
    ...{ numbersAsStrings, callerSettings, oncePlace },
  };
}

/** The members besides `config`, merged and checked as a whole. */
function changedMembers(row: EndpointRow, patch: PatchBody): Members {
  const now = {
    description: row.description,
    ...(row.backendProfile === null ? {} : { backend_profile: row.backendProfile }),
    backend_pool_limits: limitsOf(row.poolLimits),
  };
  const merged = parse(Changeable, mergePatch(now, changesOf(patch)), 'body');
  return {
    description: merged.description,
    backendProfile: merged.backend_profile ?? null,
    poolLimits: capsOf(merged.backend_pool_limits),
  };
}

/** The patch without what is not merged here; it was JSON, so nothing in it is undefined. */
function changesOf(patch: PatchBody): Json {
  const { config: _config, kind: _kind, ...members } = patch;
  return members as Json;
}

async function mergedConfig(
  ctx: Context,
  endpoint: Endpoint,
  patch: NonNullable<PatchBody['config']>,
): Promise<EndpointConfig> {
  refuseRedacted(patch);
  return parseConfig(endpoint.row.kind, mergeConfig(await openConfig(ctx, endpoint), patch));
}

/** The configuration sealed, once its backend has answered. */
async function connectedConfig(
  ctx: Context,
  endpoint: Endpoint,
  config: EndpointConfig,
): Promise<{ stored: StoredConfig; warnings: readonly Warning[] }> {
  const { row, policy } = endpoint;
  const transports = transportsOf(row.kind, config);
  const oncePlace = oncePlaceIn(row.kind, config, transports);
  const warnings = await connectAll(ctx, policy, { kind: row.kind, config, transports }, endpoint);
  const { sealedDataKey } = policy;
  const stored = {
    sealedConfig: await sealConfig(ctx, { uuid: row.uuid, sealedDataKey }, config),
    hasDevelopmentConn: config.development_conn !== undefined,
    transports,
    vpnRoute: vpnRouteOf(config),
    numbersAsStrings: config.numbers === 'string',
    callerSettings: callerSettingsIn(config),
    oncePlace,
  };
  return { stored, warnings };
}
