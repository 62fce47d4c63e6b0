/** Refuses what an organization's storage has no room for. Contract §5, "Quotas". */
import { GatewayError } from '../../../proto/errors.ts';
import type { Context } from '../../context.ts';
import { selectStored } from './store.ts';

/**
 * Storage is only asked here: what is stored at the same time may go beyond it by that much, and
 * audit goes on beyond it too.
 * @throws GatewayError QUOTA_EXCEEDED
 */
export async function demandStorage(ctx: Context, bytes: number): Promise<void> {
  const { db, caller, settings } = ctx;
  const [stored] = await selectStored(db, caller.orgUuid);
  if ((stored?.bytes ?? 0) + bytes > settings.QUOTAS.storage) {
    throw new GatewayError('QUOTA_EXCEEDED', "The organization's storage is used up");
  }
}
