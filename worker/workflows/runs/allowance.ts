/** What an object's runs take of their organization's storage. Contract §5, "Quotas". */
import type { Bindings } from '../../context.ts';
import { ObjectRoom } from '../../limits/quotas/object-room.ts';
import type { Keeper } from './keeper.ts';

/** The bytes count for the organization as a whole, not for one account. Spec silent. */
const CALLER = 'workflows';
/** Bytes that an object's database takes before anything is in it. */
const EMPTY_BYTES = 256 * 1024;
/** Milliseconds for which the size of the database holds: to ask for it costs as much as a statement. */
const SIZE_FOR_MS = 20;

/** The room of the runs that a keeper keeps. */
export function allowanceOf(keeper: Keeper, env: Bindings): ObjectRoom {
  let known = { bytes: 0, at: Number.NEGATIVE_INFINITY };
  const size = () => {
    const now = Date.now();
    if (now - known.at > SIZE_FOR_MS) known = { bytes: keeper.sql.databaseSize, at: now };
    return known.bytes;
  };
  return new ObjectRoom(env, {
    size,
    emptyBytes: EMPTY_BYTES,
    holding() {
      const shard = keeper.name.slice(-1);
      return { orgUuid: keeper.owner.orgUuid, holder: `workflow-runs:${shard}`, caller: CALLER };
    },
  });
}
