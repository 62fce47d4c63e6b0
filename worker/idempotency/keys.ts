/**
 * The one owner of a part of an organization's idempotency keys: of any number of calls with one
 * key, one begins. That it began is on disk before it runs, so neither a crash of the worker nor
 * one of the object makes it run again. Architecture: "State at the edge".
 */
import { DurableObject } from 'cloudflare:workers';
import { type Bindings, databaseOf } from '../context.ts';
import { CallerRoom } from '../limits/quotas/caller-room.ts';
import type { Keeper } from '../limits/quotas/keeper.ts';
import type { Begun, Claim, Fact, IdempotencyKeysObject, KeyState } from './object.ts';
import {
  bytesOf,
  type CallRow,
  createTable,
  deleteCall,
  deleteExpired,
  type Ending,
  endCall,
  hasTable,
  nextExpiry,
  replaceCall,
  selectCall,
} from './store.ts';

/** Milliseconds from a call's begin for which its key stands for it. Contract: "Retries by the client". */
export const KEPT_FOR_MS = 24 * 3600 * 1000;
/** Milliseconds between two rounds of removing what has expired. */
const SWEEP_EVERY_MS = 60_000;
/** Calls of one round: each may hold a reply of 1 MiB. */
const SWEEP_STEP = 200;

/** What calls take, by caller. */
const KEPT_BYTES = 'SELECT coalesce(sum(bytes), 0) FROM calls WHERE calls.caller = rooms.caller';

/** Sixteen per organization, by the name that location.ts gives. All times are the object's own clock's. */
export class IdempotencyKeys extends DurableObject<Bindings> implements IdempotencyKeysObject {
  readonly #room = new CallerRoom(this.ctx.storage.sql, () => databaseOf(this.env), KEPT_BYTES);

  async begin(claim: Claim): Promise<Begun> {
    const { name, attempt, body, lastsMs, keeper } = claim;
    const { sql } = this.ctx.storage;
    const planned = await this.ctx.storage.getAlarm();
    createTable(sql);
    const earlier = this.#standing(claim);
    if (earlier) return earlier;
    const bytes = keeper ? bytesOf(claim) : 0;
    if (keeper && !(await this.#room.take(keeper, bytes, 'fact'))) return { state: 'no room' };
    // Another may have begun meanwhile.
    const meanwhile = this.#standing(claim);
    if (meanwhile) {
      if (keeper) this.#room.free(keeper.caller, bytes);
      return meanwhile;
    }
    const since = Date.now();
    const expires = since + KEPT_FOR_MS;
    const before = selectCall(sql, name);
    if (before) this.#room.free(before.caller, before.bytes);
    const caller = keeper?.caller ?? '';
    replaceCall(sql, {
      name,
      attempt,
      body,
      since,
      until: since + lastsMs,
      expires,
      caller,
      bytes,
    });
    if (planned === null) await this.ctx.storage.setAlarm(expires);
    return { state: 'begun' };
  }

  look(name: string): KeyState | undefined {
    if (!hasTable(this.ctx.storage.sql)) return undefined;
    const now = Date.now();
    const known = this.#call(name, now);
    return known && standingOf(known, now);
  }

  async finish(
    call: Pick<Claim, 'name' | 'attempt'>,
    outcome: Uint8Array | Fact,
    kept?: { readonly keeper: Keeper; readonly fact: Fact },
  ): Promise<void> {
    const { sql } = this.ctx.storage;
    if (!this.#runs(call)) return;
    const ending = endingOf(outcome);
    if (kept && !(await this.#hasRoom(kept.keeper, ending))) {
      const instead = endingOf({ ...kept.fact, because: 'storage' });
      if (this.#runs(call)) endCall(sql, call, { ...instead, bytes: 0 });
      return;
    }
    if (this.#runs(call)) endCall(sql, call, { ...ending, bytes: kept ? ending.bytes : 0 });
    else if (kept) this.#room.free(kept.keeper.caller, ending.bytes);
  }

  /** A fact that finds no room is kept all the same: it is small, and is where the call did. */
  async #hasRoom(keeper: Keeper, { bytes, reply }: Ending): Promise<boolean> {
    const sort = reply === null ? 'fact' : 'content';
    return this.#room.take(keeper, bytes, sort).catch(() => false);
  }

  #runs({ name, attempt }: Pick<Claim, 'name' | 'attempt'>): boolean {
    const { sql } = this.ctx.storage;
    const known = hasTable(sql) ? selectCall(sql, name) : undefined;
    return known?.attempt === attempt && known.fact === null && known.reply === null;
  }

  /** The state of an earlier call; undefined where this one may begin. */
  #standing({ name, attempt, reads }: Claim): KeyState | undefined {
    const now = Date.now();
    const known = this.#call(name, now);
    if (!known || known.attempt === attempt) return undefined;
    const standing = standingOf(known, now);
    return standing.state === 'lost' && reads ? undefined : standing;
  }

  forget(call: Pick<Claim, 'name' | 'attempt'>): void {
    const { sql } = this.ctx.storage;
    if (!this.#runs(call)) return;
    const known = selectCall(sql, call.name);
    if (known) this.#room.free(known.caller, known.bytes);
    deleteCall(sql, call);
  }

  async clear(): Promise<void> {
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  /** Removes what has expired; with the last of it all that the object has. */
  override async alarm(): Promise<void> {
    const { storage } = this.ctx;
    const now = Date.now();
    if (hasTable(storage.sql)) {
      createTable(storage.sql);
      deleteExpired(storage.sql, now, SWEEP_STEP);
      await this.#room.giveBack();
    }
    const next = hasTable(storage.sql) ? nextExpiry(storage.sql) : undefined;
    if (next === undefined) return storage.deleteAll();
    await storage.setAlarm(next <= now ? now : Math.max(next, now + SWEEP_EVERY_MS));
  }

  #call(name: string, now: number): CallRow | undefined {
    const known = selectCall(this.ctx.storage.sql, name);
    return known && known.expires > now ? known : undefined;
  }
}

function endingOf(outcome: Uint8Array | Fact): Ending {
  if (outcome instanceof Uint8Array)
    return { fact: null, reply: outcome, bytes: outcome.byteLength };
  const fact = JSON.stringify(outcome);
  return { fact, reply: null, bytes: fact.length };
}

function standingOf({ body, since, until, fact, reply }: CallRow, now: number): KeyState {
  if (reply !== null) return { state: 'answered', body, reply };
  // Written by `finish`.
  if (fact !== null) return { state: 'not kept', body, fact: JSON.parse(fact) as Fact };
  if (until <= now) return { state: 'lost', body };
  return { state: 'running', body, ageMs: now - since, leftMs: until - now };
}
