/** What an object's runs take of their organization's storage. Contract §5, "Quotas". */
import type { Bindings } from '../../context.ts';
import { ObjectRoom } from '../../limits/quotas/object-room.ts';
import type { Keeper } from './keeper.ts';

/** The bytes count for the organization as a whole, not for one account. Spec silent. */
const CALLER = 'workflows';
/** Bytes that an object's database takes before anything is in it. */
const EMPTY_BYTES = 256 * 1024;

/** The room of the runs that a keeper keeps. */
export function allowanceOf(keeper: Keeper, env: Bindings): ObjectRoom {
  return new ObjectRoom(env, {
    size: () => keeper.sql.databaseSize,
    emptyBytes: EMPTY_BYTES,
    holding() {
      const shard = keeper.name.slice(-1);
      return { orgUuid: keeper.owner.orgUuid, holder: `workflow-runs:${shard}`, caller: CALLER };
    },
  });
}
