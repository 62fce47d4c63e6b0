/** Keys of transactions: a repeat is answered from the log. Spec: transactions.md §1, `Idempotency-Key`. */
import { ERRORS } from '../../../proto/errors.ts';
import type { Begun, NewTransaction } from '../../calls/transactions/object.ts';
import { shown } from './shown.ts';
import type { LogStore } from './store.ts';

type Key = NonNullable<NewTransaction['key']>;

export class Keys {
  readonly #store: LogStore;
  /** Of transactions that wait for their turn, and so are not on disk yet, with digests of their bodies. */
  readonly #waiting = new Map<string, string>();

  constructor(store: LogStore) {
    this.#store = store;
  }

  /** A transaction with this key waits from now on. */
  wait({ name, body }: Key): void {
    this.#waiting.set(name, body);
  }

  /** It waits no more: it has begun, or will not. */
  enter({ name }: Key): void {
    this.#waiting.delete(name);
  }

  /** What is known of a key; undefined where a transaction may begin with it. */
  standingOf({ name, body }: Key): Begun | undefined {
    const waiting = this.#waiting.get(name);
    if (waiting !== undefined) return { is: waiting === body ? 'running' : 'reused' };
    const row = this.#store.findByKey(name);
    if (!row) return undefined;
    if (row.head.body !== body) return { is: 'reused' };
    if (row.sequence !== null || row.status === 'committed') {
      return { is: 'answered', shown: shown(this.#store, row), reply: this.#store.reply(row.id) };
    }
    if (row.isDoubtful) return { is: 'doubt', holder: row.id };
    if (row.ended === null || !row.error) return { is: 'running' };
    if (ERRORS[row.error.code].status < 500) {
      return { is: 'failed', failure: row.error, requestId: row.head.requestId };
    }
    this.#store.freeKey(row.id);
    return undefined;
  }
}
