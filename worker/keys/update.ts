/** Changes keys; a change of what a key may ends texts that were rotated. Spec: keys-and-doors.md §1. */
import { GatewayError } from '../../proto/errors.ts';
import type { Rights } from '../access/access.ts';
import { authorOf } from '../access/api-keys/identity.ts';
import { auditStatement } from '../audit/record.ts';
import type { Context } from '../context.ts';
import { NEVER } from '../db/held.ts';
import type { ApiKeyRow } from '../db/keys.ts';
import { raiseRules } from '../grants/changes/store.ts';
import { keyNotFound } from '../grants/subjects.ts';
import type { Level } from '../levels.ts';
import { demandStorage } from '../limits/quotas/demand.ts';
import type { Tagged } from '../outcome.ts';
import { hold, type IfMatch } from '../revision.ts';
import {
  deleteRotated,
  deleteRules,
  insertRules,
  isAsSeen,
  keptLevels,
  type RuleOfKey,
  updateKeyRow,
} from './changes/store.ts';
import { getKey } from './get.ts';
import { endOf } from './given.ts';
import { demandGrantingAll, levelsNamed, levelsNow, rulesOf, toldLevels } from './levels.ts';
import { tagOf } from './record.ts';
import type { KeyChanges } from './schema.ts';
import { type KeyRow, selectKey, selectNamesake } from './store.ts';

/** What is to change, and the caller's rights. */
interface KeyUpdate extends Rights {
  readonly body: KeyChanges;
  readonly ifMatch: IfMatch | undefined;
}

/** Members of a body that say what the key may. */
const RIGHTS = ['access_level', 'endpoints', 'templates', 'workflows'] as const;

/**
 * Changes what is given, or nothing; answers the key as it is then. Of an organization's key by who
 * may grant what it had and what it has then.
 * @throws GatewayError BAD_REQUEST, FORBIDDEN, KEY_EXISTS, KEY_NOT_FOUND, PRECONDITION_FAILED, EDIT_CONFLICT, QUOTA_EXCEEDED, 404 of a resource's sort
 */
export async function updateKey(ctx: Context, row: KeyRow, sent: KeyUpdate): Promise<Tagged> {
  const { body, ifMatch, ...rights } = sent;
  const before = await levelsNow(ctx, row.uuid);
  const after = await levelsNamed(ctx, body, before);
  const had = rulesOf(ctx.caller, row.accessLevel, before);
  const gets = rulesOf(ctx.caller, levelAfter(row, body), after);
  if (row.ownerUuid === '') {
    await demandGrantingAll(ctx, rights, row.uuid, { before: had, after: gets });
  }
  hold(tagOf(row, ctx.now()), ifMatch);
  await demandStorage(ctx, JSON.stringify(body).length);
  if (!(await store(ctx, row, body, gets))) await refuse(ctx, row, sent);
  return getKey(ctx, row.uuid);
}

/** Of an organization's key its rule; of a personal one what is kept. */
function levelAfter(row: KeyRow, { access_level: given }: KeyChanges): Level | null {
  if (given !== undefined) return given;
  return row.ownerUuid === '' ? row.accessLevel : row.ownLevel;
}

/** Whether it was stored: the key, its rules and its name were still as they were seen. */
async function store(
  ctx: Context,
  row: KeyRow,
  body: KeyChanges,
  rules: readonly RuleOfKey[],
): Promise<boolean> {
  const { db, caller } = ctx;
  const { orgUuid } = caller;
  const isOrganizations = row.ownerUuid === '';
  const seen = { ...row, orgUuid };
  const isHeld = isAsSeen(db, seen, body.name);
  const ofRights = RIGHTS.some((member) => body[member] !== undefined) ? isHeld : NEVER;
  const ofRules = isOrganizations ? ofRights : NEVER;
  const written = { orgUuid, uuid: row.uuid, by: authorOf(caller), at: ctx.now() };
  const own = isOrganizations
    ? {}
    : { accessLevel: levelAfter(row, body), levels: keptLevels(rules) };
  const told = ofRights === NEVER ? [] : toldLevels({ accessLevel: levelAfter(row, body) }, rules);
  const [, , , changed] = await db.batch([
    deleteRules(db, written, rules, ofRules),
    insertRules(db, written, rules, ofRules),
    deleteRotated(db, seen, 'all', ofRights),
    updateKeyRow(db, seen, { ...changesOf(ctx, body), ...own }, isHeld),
    auditStatement(ctx, {
      action: 'key.update',
      resource: `key:${row.uuid}`,
      details: { id: body.name ?? row.name, fields: [...Object.keys(body), ...told] },
    }),
    raiseRules(db, orgUuid),
  ]);
  return changed.length > 0;
}

function changesOf(ctx: Context, body: KeyChanges): Partial<ApiKeyRow> {
  const { name, description, expires, addresses } = body;
  return {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(addresses === undefined ? {} : { addresses }),
    ...(expires === undefined
      ? {}
      : { expiresAt: expires === null ? null : endOf(expires, ctx.now()) }),
  };
}

/** Others were faster: says at what. */
async function refuse(ctx: Context, row: KeyRow, { body, ifMatch }: KeyUpdate): Promise<never> {
  const { orgUuid } = ctx.caller;
  const [now] = await selectKey(ctx.db, orgUuid, row.uuid);
  if (!now) throw keyNotFound(row.uuid);
  const name = body.name ?? row.name;
  const [namesake] = await selectNamesake(ctx.db, orgUuid, { ...row, name });
  if (namesake) throw new GatewayError('KEY_EXISTS', `Key ${name} already exists`);
  hold(tagOf(now, ctx.now()), ifMatch);
  throw new GatewayError('EDIT_CONFLICT', 'The key or its rules were changed meanwhile: try again');
}
