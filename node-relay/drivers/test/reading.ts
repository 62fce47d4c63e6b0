/** A subscription to changes whose batches a test asks for one by one. */
import {
  CHANGE_OPERATIONS,
  type Change,
  type ChangeBatch,
  type ChangeFault,
  type Changes,
  type WatchedCollection,
} from '../../../proto/changes.ts';
import { callOf, jsonOf } from './host.ts';

/** Collections whose every change is told. */
export function all(...names: string[]): WatchedCollection[] {
  return names.map((name) => ({ name, operations: CHANGE_OPERATIONS }));
}

/** A change as values, without its id, time and mark. */
function toldOf({ key, before, after, id: _id, time: _time, mark: _mark, ...rest }: Change) {
  return {
    ...rest,
    key: jsonOf(key),
    ...(before && { before: jsonOf(before) }),
    ...(after && { after: jsonOf(after) }),
  };
}

/** What is read from. */
interface Reader {
  readonly client: Changes;
  readonly slot: string;
}

/** One subscription. */
export class Reading {
  readonly leaving = new AbortController();
  /** After all that was taken. */
  position = '';
  readonly faults: ChangeFault[] = [];
  readonly taken: Change[] = [];
  readonly #batches: AsyncIterator<ChangeBatch>;

  constructor({ client, slot }: Reader, collections: WatchedCollection[], position?: string) {
    const call = callOf('write', { signal: this.leaving.signal });
    this.#batches = client.changes({ slot, collections }, position, call)[Symbol.asyncIterator]();
  }

  /** Prepares, and answers a subscription that is active. */
  static async standing(reader: Reader, collections: WatchedCollection[]): Promise<Reading> {
    await reader.client.prepareChanges({ slot: reader.slot, collections }, callOf('write'));
    const reading = new Reading(reader, collections);
    await reading.batch();
    return reading;
  }

  /** The next batch. @throws Error when the subscription has ended */
  async batch(): Promise<ChangeBatch> {
    const { value, done } = await this.#batches.next();
    if (done === true) throw new Error('It has ended');
    const batch: ChangeBatch = value;
    this.position = batch.position;
    this.faults.push(...batch.faults);
    this.taken.push(...batch.changes);
    return batch;
  }

  /** The next so many changes, or a few more that came with them. */
  async changes(count: number) {
    const found: ReturnType<typeof toldOf>[] = [];
    while (found.length < count) found.push(...(await this.batch()).changes.map(toldOf));
    return found;
  }

  async end(): Promise<void> {
    await this.#batches.return?.();
  }
}
