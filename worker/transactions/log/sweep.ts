/**
 * Looks for prepared transactions of ours that the log does not expect: what was still on its way to being prepared
 * when it was rolled back. The log's word decides; what bears another log's id is never touched. Spec: transactions.md §3.
 */
import { GatewayError } from '../../../proto/errors.ts';
import { prefixOf, readName } from '../../calls/transactions/names.ts';
import { loggedFault } from '../../db/fault.ts';
import { startDeadline } from '../../drivers/deadline.ts';
import { log } from '../../log.ts';
import { entryOf } from './entries.ts';
import type { Finisher } from './finish.ts';
import { endpointWas, sharesOn } from './reached.ts';
import type { LogStore } from './store.ts';

/** Milliseconds between two sweeps while something may still come to be prepared that was rolled back. */
export const SWEEP_SOON_MS = 2_000;
/** Milliseconds for which it may. */
export const UNSURE_FOR_MS = 30_000;
/** Milliseconds between two sweeps else. */
export const SWEEP_EVERY_MS = 60_000;
/** Milliseconds for which endpoints are looked at that no transaction uses any more. */
export const SWEPT_FOR_MS = 15 * 60_000;

/** Milliseconds that the look at one endpoint may take. */
const LOOK_MS = 10_000;

/** Asks every endpoint that transactions were under way with. It ends in silence where the log was cleared meanwhile. */
export async function sweep(finisher: Finisher, store: LogStore): Promise<void> {
  await sweepAll(finisher, store).catch((thrown: unknown) => {
    if (store.isOpen) throw thrown;
  });
}

async function sweepAll(finisher: Finisher, store: LogStore): Promise<void> {
  for (const { endpoint, snapshot } of store.endpoints.snapshots()) {
    await sweepOne(finisher, store, snapshot).catch((thrown: unknown) => {
      // A kind that prepares nothing, such as Redis, leaves nothing prepared.
      if (thrown instanceof GatewayError && thrown.code === 'NOT_SUPPORTED') return;
      // It is asked again with the next sweep.
      log('warn', 'an endpoint could not be swept', { endpoint, ...loggedFault(thrown) });
    });
  }
}

async function sweepOne(finisher: Finisher, store: LogStore, snapshot: string): Promise<void> {
  const ctx = finisher.context(crypto.randomUUID());
  const owner = store.owner();
  const shares = await sharesOn(ctx, endpointWas(ctx, owner, snapshot));
  if (!shares) return;
  const lasting = { now: Date.now, signal: new AbortController().signal };
  const deadline = startDeadline(lasting, LOOK_MS);
  try {
    for (const name of await shares.recover(prefixOf(store.log()), deadline)) {
      const read = readName(name);
      if (read?.log !== store.log() || isExpected(store, read.transaction)) continue;
      await shares.rollback(name, '', deadline);
      const { requestId } = ctx;
      const actor = { uuid: 'gateway', name: 'gateway', requestId, address: 'log of transactions' };
      store.entries.add(entryOf(owner, actor, 'transaction.sweep', read.transaction));
    }
  } finally {
    deadline.end();
  }
}

/** Whether the log itself, or somebody who works on it, ends the transaction. */
function isExpected(store: LogStore, transaction: string): boolean {
  const row = store.find(transaction);
  return row !== undefined && row.ended === null;
}
