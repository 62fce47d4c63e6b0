/**
 * The one owner of a part of an organization's idempotency keys: of any number of calls with one
 * key, one begins. That it began is on disk before it runs, so neither a crash of the worker nor
 * one of the object makes it run again. Architecture: "State at the edge".
 */
import { DurableObject } from 'cloudflare:workers';
import type { Bindings } from '../context.ts';
import type { Claim, Fact, IdempotencyKeysObject, Standing } from './object.ts';
import {
  type CallRow,
  createTable,
  deleteCall,
  deleteExpired,
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

/** Sixteen per organization, by the name that place.ts gives. All times are the object's own clock's. */
export class IdempotencyKeys extends DurableObject<Bindings> implements IdempotencyKeysObject {
  async begin({ name, attempt, body, lastsMs, reads }: Claim): Promise<Standing> {
    const { sql } = this.ctx.storage;
    const planned = await this.ctx.storage.getAlarm();
    const since = Date.now();
    createTable(sql);
    const known = this.#call(name, since);
    if (known && known.attempt !== attempt) {
      const standing = standingOf(known, since);
      if (standing.state !== 'lost' || !reads) return standing;
    }
    const expires = since + KEPT_FOR_MS;
    replaceCall(sql, { name, attempt, body, since, until: since + lastsMs, expires });
    if (planned === null) await this.ctx.storage.setAlarm(expires);
    return { state: 'begun' };
  }

  look(name: string): Standing | undefined {
    if (!hasTable(this.ctx.storage.sql)) return undefined;
    const now = Date.now();
    const known = this.#call(name, now);
    return known && standingOf(known, now);
  }

  finish(call: Pick<Claim, 'name' | 'attempt'>, outcome: Uint8Array | Fact): void {
    const { sql } = this.ctx.storage;
    if (!hasTable(sql)) return;
    const ended =
      outcome instanceof Uint8Array
        ? { fact: null, reply: outcome }
        : { fact: JSON.stringify(outcome), reply: null };
    endCall(sql, call, ended);
  }

  forget(call: Pick<Claim, 'name' | 'attempt'>): void {
    const { sql } = this.ctx.storage;
    if (hasTable(sql)) deleteCall(sql, call);
  }

  async clear(): Promise<void> {
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  /** Removes what has expired; with the last of it all that the object has. */
  override async alarm(): Promise<void> {
    const { storage } = this.ctx;
    const now = Date.now();
    if (hasTable(storage.sql)) deleteExpired(storage.sql, now, SWEEP_STEP);
    const next = hasTable(storage.sql) ? nextExpiry(storage.sql) : undefined;
    if (next === undefined) return storage.deleteAll();
    await storage.setAlarm(next <= now ? now : Math.max(next, now + SWEEP_EVERY_MS));
  }

  #call(name: string, now: number): CallRow | undefined {
    const known = selectCall(this.ctx.storage.sql, name);
    return known && known.expires > now ? known : undefined;
  }
}

function standingOf({ body, since, until, fact, reply }: CallRow, now: number): Standing {
  if (reply !== null) return { state: 'answered', body, reply };
  // Written by `finish`.
  if (fact !== null) return { state: 'not kept', body, fact: JSON.parse(fact) as Fact };
  if (until <= now) return { state: 'lost', body };
  return { state: 'running', body, ageMs: now - since, leftMs: until - now };
}
