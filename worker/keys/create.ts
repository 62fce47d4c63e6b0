/** Makes keys: of the organization, and personal ones. Spec: keys-and-doors.md §1. */

import { GatewayError } from '../../proto/errors.ts';
import type { Json } from '../../proto/json.ts';
import type { Rights } from '../access/access.ts';
import { newKey } from '../access/api-keys/form.ts';
import { authorOf } from '../access/api-keys/identity.ts';
import { tokenRevoked } from '../access/tokens.ts';
import { auditStatement } from '../audit/record.ts';
import type { Context } from '../context.ts';
import type { ApiKeyRow } from '../db/keys.ts';
import { raiseRules } from '../grants/changes/store.ts';
import { demandStorage } from '../limits/quotas/demand.ts';
import { textDigest } from '../secrets/digest.ts';
import { insertDigest, insertKey, insertRules, isThere, keptLevels } from './changes/store.ts';
import { endOf } from './given.ts';
import { demandGrantingAll, levelsNamed, NO_LEVELS, rulesOf, toldLevels } from './levels.ts';
import { madeOf } from './record.ts';
import type { NewKey } from './schema.ts';
import { selectKey, selectNamesake } from './store.ts';

/**
 * Makes a key of the organization, whose levels are rules; by who may grant each of them.
 * @throws GatewayError BAD_REQUEST, FORBIDDEN, KEY_EXISTS, QUOTA_EXCEEDED, 404 of the resource's sort
 */
export async function createKey(ctx: Context, rights: Rights, body: NewKey): Promise<Json> {
  const row = rowOf(ctx, '', body);
  const levels = await levelsNamed(ctx, body, NO_LEVELS);
  const after = rulesOf(ctx.caller, body.access_level ?? null, levels);
  await demandGrantingAll(ctx, rights, row.uuid, { before: [], after });
  return store(ctx, { ...row, accessLevel: null, levels: [] }, after);
}

/**
 * Makes a personal key of the caller, which has at most what they have.
 * @throws GatewayError BAD_REQUEST, KEY_EXISTS, QUOTA_EXCEEDED, 404 of the resource's sort
 */
export async function createOwnKey(ctx: Context, body: NewKey): Promise<Json> {
  const row = rowOf(ctx, ctx.caller.userUuid, body);
  const levels = await levelsNamed(ctx, body, NO_LEVELS);
  const kept = keptLevels(rulesOf(ctx.caller, null, levels));
  return store(ctx, { ...row, accessLevel: body.access_level ?? null, levels: kept }, []);
}

function rowOf(
  ctx: Context,
  ownerUuid: string,
  body: NewKey,
): Omit<ApiKeyRow, 'accessLevel' | 'levels'> {
  const now = ctx.now();
  return {
    orgUuid: ctx.caller.orgUuid,
    uuid: crypto.randomUUID(),
    name: body.name,
    ownerUuid,
    description: body.description ?? '',
    addresses: body.addresses ?? null,
    expiresAt: body.expires === undefined ? null : endOf(body.expires, now),
    lastUsedAt: null,
    createdAt: now,
    createdBy: authorOf(ctx.caller),
    revision: now,
  };
}

async function store(
  ctx: Context,
  row: ApiKeyRow,
  levels: ReturnType<typeof rulesOf>,
): Promise<Json> {
  const { db } = ctx;
  const { orgUuid, uuid, name } = row;
  await demandStorage(ctx, JSON.stringify([row, levels]).length);
  const key = newKey();
  const digest = await textDigest(key);
  const made = isThere(row);
  const written = { orgUuid, uuid, by: row.createdBy, at: row.createdAt };
  const [inserted, , , , , [shown]] = await db.batch([
    insertKey(db, row),
    auditStatement(ctx, {
      action: row.ownerUuid === '' ? 'key.create' : 'key.self',
      resource: `key:${uuid}`,
      details: { id: name, fields: toldLevels(row, levels) },
    }),
    insertDigest(db, row, digest, made),
    insertRules(db, written, levels, made),
    raiseRules(db, orgUuid),
    selectKey(db, orgUuid, uuid),
  ]);
  if (inserted.length > 0 && shown) return madeOf(shown, key);
  const [namesake] = await selectNamesake(db, orgUuid, row);
  if (!namesake) throw tokenRevoked();
  throw new GatewayError('KEY_EXISTS', `Key ${name} already exists`);
}
