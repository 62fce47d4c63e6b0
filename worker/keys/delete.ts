/** Ends a key at once, with its rules. Spec: keys-and-doors.md §1. */
import { GatewayError } from '../../proto/errors.ts';
import type { Json } from '../../proto/json.ts';
import { auditStatement } from '../audit/record.ts';
import type { Context } from '../context.ts';
import { raiseRules } from '../grants/changes/store.ts';
import { keyNotFound } from '../grants/subjects.ts';
import { hold, type IfMatch } from '../revision.ts';
import { deleteDigestsOfGone, deleteKeyRow, deleteRulesOfGone, isAsSeen } from './changes/store.ts';
import { tagOf } from './record.ts';
import { type KeyRow, selectKey } from './store.ts';

/** @throws GatewayError KEY_NOT_FOUND when it is gone already, PRECONDITION_FAILED, EDIT_CONFLICT */
export async function deleteKey(
  ctx: Context,
  row: KeyRow,
  ifMatch: IfMatch | undefined,
): Promise<Json> {
  const { db, caller } = ctx;
  const { orgUuid } = caller;
  hold(tagOf(row, ctx.now()), ifMatch);
  const own = { ...row, orgUuid };
  const [removed] = await db.batch([
    deleteKeyRow(db, own, ifMatch === undefined ? undefined : isAsSeen(db, own)),
    auditStatement(ctx, {
      action: 'key.delete',
      resource: `key:${row.uuid}`,
      details: { id: row.name },
    }),
    raiseRules(db, orgUuid),
    deleteRulesOfGone(db, own),
    deleteDigestsOfGone(db, orgUuid),
  ]);
  if (removed.length > 0) return { message: `Key ${row.name} deleted`, id: row.uuid };
  const [there] = await selectKey(db, orgUuid, row.uuid);
  if (!there) throw keyNotFound(row.uuid);
  hold(tagOf(there, ctx.now()), ifMatch);
  throw new GatewayError('EDIT_CONFLICT', 'The key or its rules were changed meanwhile: try again');
}
