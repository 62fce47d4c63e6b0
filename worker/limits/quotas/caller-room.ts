/**
 * What an object keeps of replies takes of its organization's storage, by caller: room is taken in D1 before
 * anything is written here, some at a time, and given back when what was written has expired.
 */
import type { Database } from '../../context.ts';
import {
  createRooms,
  type RoomRow,
  recountRooms,
  selectRoom,
  selectRooms,
  setRoom,
} from './caller-room-rows.ts';
import type { Keeper } from './keeper.ts';
import { limitsOf, roundedUp, type Sort } from './share.ts';
import { giveBack, holdBytes } from './store.ts';

/** The room of one object. */
export class CallerRoom {
  readonly #sql: SqlStorage;
  readonly #db: () => Database;
  readonly #kept: string;
  #last: Promise<unknown> = Promise.resolve();

  /** @param kept a scalar of SQL: the bytes that are kept for `rooms.caller` */
  constructor(sql: SqlStorage, db: () => Database, kept: string) {
    this.#sql = sql;
    this.#db = db;
    this.#kept = kept;
  }

  /**
   * Takes room; answers whether there is.
   * @throws what D1 fails with
   */
  take(keeper: Keeper, bytes: number, sort: Sort): Promise<boolean> {
    return this.#inTurn(async () => {
      createRooms(this.#sql);
      const known = selectRoom(this.#sql, keeper.caller);
      const used = (known?.used ?? 0) + bytes;
      let held = known?.held ?? 0;
      if (used > held) {
        // Near the limit the last bytes count.
        const more =
          (await this.#hold(keeper, roundedUp(used, keeper.quota), sort)) ??
          (await this.#hold(keeper, used, sort));
        if (more === undefined) return false;
        held = more;
      }
      const { orgUuid, holder, caller, quota } = keeper;
      // What was freed meanwhile is counted from what is there now.
      const now = (selectRoom(this.#sql, caller)?.used ?? 0) + bytes;
      setRoom(this.#sql, { orgUuid, holder, caller, quota, used: now, held });
      return true;
    });
  }

  /** Frees room for what the same caller writes next. */
  free(caller: string, bytes: number): void {
    if (bytes === 0) return;
    createRooms(this.#sql);
    const known = selectRoom(this.#sql, caller);
    if (known) setRoom(this.#sql, { ...known, used: Math.max(0, known.used - bytes) });
  }

  /** Counts again what is there, and gives back what is not needed. */
  giveBack(): Promise<void> {
    return this.#inTurn(async () => {
      createRooms(this.#sql);
      recountRooms(this.#sql, this.#kept);
      for (const room of selectRooms(this.#sql)) await this.#giveBackOf(room);
    });
  }

  async #giveBackOf(room: RoomRow): Promise<void> {
    const bytes = roundedUp(room.used, room.quota);
    if (bytes >= room.held) return;
    const { orgUuid, holder, caller } = room;
    await giveBack(this.#db(), { orgUuid, holder, caller, bytes });
    const { used } = selectRoom(this.#sql, caller) ?? room;
    setRoom(this.#sql, { ...room, used, held: bytes });
  }

  async #hold(keeper: Keeper, bytes: number, sort: Sort): Promise<number | undefined> {
    const { orgUuid, holder, caller, quota } = keeper;
    const limits = limitsOf(quota, sort);
    const [row] = await holdBytes(this.#db(), { orgUuid, holder, caller, bytes }, limits);
    return row?.bytes;
  }

  /** What one asks for rests on what the one before was given. */
  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const turn = this.#last.then(work, work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}
