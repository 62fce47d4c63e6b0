/** Results that a log keeps for a repeat count to the organization's storage, and to their caller's share. Contract §5, "Quotas". */
import type { KeptReply } from '../../calls/transactions/object.ts';
import { type Bindings, databaseOf } from '../../context.ts';
import { CallerRoom } from '../../limits/quotas/caller-room.ts';
import type { LogStore, TransactionRow } from './store.ts';

/** The log, as `storage_holdings` names it. */
const HOLDER = 'transactions';
/** By the index of rows.ts: replies themselves are not read. */
const KEPT_BYTES =
  'SELECT coalesce(sum(length(reply)), 0) FROM transactions WHERE transactions.caller = rooms.caller AND reply IS NOT NULL';

/** The results of one log. */
export class Replies {
  readonly #store: LogStore;
  readonly #room: CallerRoom;

  constructor(env: Bindings, store: LogStore, sql: SqlStorage) {
    this.#store = store;
    this.#room = new CallerRoom(sql, () => databaseOf(env), KEPT_BYTES);
  }

  /** As it is kept; undefined where there is none, or no room for it: the transaction goes on without. */
  async roomFor(
    row: TransactionRow,
    reply: KeptReply | undefined,
  ): Promise<ArrayBuffer | undefined> {
    if (reply === undefined) return undefined;
    const { bytes, quota } = reply;
    const { orgUuid } = this.#store.owner();
    const keeper = { orgUuid, holder: HOLDER, caller: row.head.caller.uuid, quota };
    const hasRoom = await this.#room.take(keeper, bytes.byteLength, 'content').catch(() => false);
    return hasRoom ? new Uint8Array(bytes).buffer : undefined;
  }

  /** Gives back what expired replies took, and what was taken for ones that nobody kept. */
  giveBack(): Promise<void> {
    return this.#room.giveBack();
  }
}
