/** Gives a key a new text; the old one serves on for a while. Spec: keys-and-doors.md §1. */

import { GatewayError } from '../../proto/errors.ts';
import type { Rights } from '../access/access.ts';
import { newKey } from '../access/api-keys/form.ts';
import { auditStatement } from '../audit/record.ts';
import type { Context } from '../context.ts';
import { raiseRules } from '../grants/changes/store.ts';
import { keyNotFound } from '../grants/subjects.ts';
import { demandStorage } from '../limits/quotas/demand.ts';
import { Tagged } from '../outcome.ts';
import { hold, type IfMatch } from '../revision.ts';
import { textDigest } from '../secrets/digest.ts';
import { deleteRotated, endDigest, insertDigest, isAsSeen, updateKeyRow } from './changes/store.ts';
import { demandGrantingAll, levelsNow, rulesOf } from './levels.ts';
import { madeOf, tagOf } from './record.ts';
import type { Rotation } from './schema.ts';
import { type KeyRow, selectKey } from './store.ts';

/** How to rotate, and the caller's rights. */
interface KeyRotation extends Rights {
  readonly body: Rotation;
  readonly ifMatch: IfMatch | undefined;
}

/**
 * Texts that were rotated before go on as they were told. Of an organization's key by who may grant
 * what it has.
 * @throws GatewayError FORBIDDEN, KEY_NOT_FOUND, PRECONDITION_FAILED, EDIT_CONFLICT, QUOTA_EXCEEDED
 */
export async function rotateKey(ctx: Context, row: KeyRow, sent: KeyRotation): Promise<Tagged> {
  const { body, ifMatch, ...rights } = sent;
  const { db, caller } = ctx;
  const { orgUuid } = caller;
  if (row.ownerUuid === '') {
    const rules = rulesOf(caller, row.accessLevel, await levelsNow(ctx, row.uuid));
    await demandGrantingAll(ctx, rights, row.uuid, { before: rules, after: rules });
  }
  hold(tagOf(row, ctx.now()), ifMatch);
  await demandStorage(ctx, 0);
  const key = newKey();
  const digest = await textDigest(key);
  const now = ctx.now();
  const seen = { ...row, orgUuid };
  const isHeld = isAsSeen(db, seen);
  const [, , , rotated, , , [shown]] = await db.batch([
    endDigest(db, seen, now + body.grace_s * 1000, isHeld),
    deleteRotated(db, seen, now, isHeld),
    insertDigest(db, seen, digest, isHeld),
    updateKeyRow(db, seen, {}, isHeld),
    auditStatement(ctx, {
      action: 'key.rotate',
      resource: `key:${row.uuid}`,
      details: { id: row.name },
    }),
    raiseRules(db, orgUuid),
    selectKey(db, orgUuid, row.uuid),
  ]);
  if (!shown) throw keyNotFound(row.uuid);
  if (rotated.length > 0) return new Tagged(tagOf(shown, now), madeOf(shown, key));
  hold(tagOf(shown, now), ifMatch);
  throw new GatewayError('EDIT_CONFLICT', 'The key or its rules were changed meanwhile: try again');
}
