/**
 * The objects that follow changes of data, one per endpoint: each reads in D1 which active workflows
 * watch the endpoint, holds a line to a relay while there are any, and fires what it brings. All that it
 * knows is on disk, and an alarm brings it back whenever it was stopped. Spec: workflows.md §5, `dataChange`.
 */
import { DurableObject } from 'cloudflare:workers';
import { isStopping } from '../calls/stop.ts';
import { type Bindings, databaseOf } from '../context.ts';
import { loggedFault } from '../db/fault.ts';
import { whenReady } from '../drivers/edge/own-addresses.ts';
import { ObjectRoom } from '../limits/quotas/object-room.ts';
import { log } from '../log.ts';
import { settingsOf } from '../settings.ts';
import type { TriggerState } from '../workflows/triggers/state.ts';
import { ChangesStore } from './changes-store.ts';
import { type ChangesContext, covers } from './context.ts';
import { Deliveries } from './deliver.ts';
import { collectionsOf, Following } from './follow.ts';
import { Lanes } from './lanes.ts';
import { noteFailure } from './match.ts';
import type { ChangesOwner, DataChangesObject, Prepared, WantedTriggers } from './object.ts';
import { prepareFor } from './prepare-for.ts';
import { GIVEN_UP_MS } from './prepare-place.ts';
import { GONE, type KeptEndpoint, readWatch, type Watch } from './store.ts';
import { checkLag, dropUnwanted, isElsewhere, tellEvents } from './upkeep.ts';

/** Milliseconds between two alarms of an object that follows: it stays awake, and sees when its line is lost. */
const TICK_MS = 5_000;
/** Milliseconds between two looks at what else may have changed: D1, and the backend's log. */
const LOOK_MS = 30_000;
/** Milliseconds that a change of triggers waits until they are followed. */
const FOLLOWED_MS = 5_000;
/** Milliseconds beyond which nothing is planned: what fails is tried again before. */
const FAR_MS = 15 * 60_000;
/** Bytes that the object's database takes before anything is in it. */
const EMPTY_BYTES = 128 * 1024;

export class DataChanges extends DurableObject<Bindings> implements DataChangesObject {
  readonly #kept = new ChangesStore(this.ctx.storage.sql);
  readonly #lanes = new Lanes(this.ctx.storage.sql);
  readonly #room = new ObjectRoom(this.env, {
    size: () => this.ctx.storage.sql.databaseSize,
    emptyBytes: EMPTY_BYTES,
    holding: () => {
      const { orgUuid, endpoint } = this.#owner();
      return { orgUuid, holder: `data-changes:${endpoint}`, caller: 'data-changes' };
    },
  });
  readonly #around: ChangesContext = {
    env: this.env,
    kept: this.#kept,
    lanes: this.#lanes,
    owner: () => this.#owner(),
    atOnce: (write) => {
      try {
        return this.ctx.storage.transactionSync(write);
      } catch (thrown) {
        this.#lanes.recount();
        throw thrown;
      }
    },
    later: (work) => this.ctx.waitUntil(work.catch(logged)),
    arm: (at) => this.#arm(at),
  };
  readonly #following = new Following(this.#around, {
    hasStored: () => this.#deliveries.kick(),
    hasRoom: (bytes) => this.#room.has(bytes),
  });
  readonly #deliveries: Deliveries = new Deliveries(this.#around, {
    trigger: (workflow, index) => this.#following.trigger(workflow, index),
    hasFired: () => this.#following.hasFired(),
  });
  /** What reads D1 or speaks to the backend, one after another. */
  #turn: Promise<unknown> = Promise.resolve();
  #alarmAt: number | undefined;
  #lookedAt = 0;
  /** Whether the endpoint was there then. */
  #isThere = true;
  #laggedAt = 0;

  prepare(owner: ChangesOwner, wanted: WantedTriggers): Promise<Prepared> {
    return this.#inTurn(async () => {
      this.#kept.open(owner);
      // What was made ready and is not stored after all is dropped then.
      this.#arm(Date.now() + TICK_MS);
      const watch = await readWatch(databaseOf(this.env), owner);
      if (watch.endpoint) await this.#keepEndpoint(watch.endpoint);
      const prepared = await prepareFor(this.#around, watch, wanted);
      const isMarked = wanted.activates && this.#kept.get('begun') !== undefined;
      if (prepared.is === 'ready' && wanted.activates) {
        // What came before is not for a trigger that begins now: without marks, what is on its way is waited for.
        if (!isMarked && isLossy(watch)) await this.#following.drained();
        this.#kept.resume(wanted.workflow);
      }
      // A line that does not bring them yet would pass them over.
      if (isMarked || !this.#following.brings(wanted.collections)) {
        this.#following.close();
        this.#lookedAt = 0;
      }
      return prepared;
    });
  }

  async changed(owner: ChangesOwner): Promise<void> {
    const followed = this.#inTurn(async () => {
      const watch = await readWatch(databaseOf(this.env), owner);
      if (!this.#kept.isOpen && watch.triggers.length === 0) return;
      this.#kept.open(owner);
      await this.#follow(watch);
    });
    await Promise.race([followed, scheduler.wait(FOLLOWED_MS)]);
  }

  async stateOf(workflow: string): Promise<readonly TriggerState[]> {
    return this.#kept.isOpen ? this.#kept.statesOf(workflow) : [];
  }

  async wake(): Promise<void> {
    if (!this.#kept.isOpen) return;
    const planned = await this.ctx.storage.getAlarm();
    const now = Date.now();
    // A clock that was put back leaves its alarm far off.
    if (planned !== null && planned <= now + FAR_MS) return;
    this.#alarmAt = undefined;
    this.#arm(now);
  }

  async clear(): Promise<void> {
    if (!this.#kept.isOpen) return;
    this.#lookedAt = 0;
    await this.#inTurn(() => this.#look());
  }

  override async alarm(): Promise<void> {
    this.#alarmAt = undefined;
    if (!this.#kept.isOpen) return;
    if (isStopping()) {
      this.#following.close();
      this.#arm(Date.now() + TICK_MS);
      return;
    }
    await whenReady({ env: this.env, settings: settingsOf(this.env) });
    await this.#inTurn(() => this.#look()).catch(logged);
    if (this.#kept.isOpen) this.#arm(Date.now() + TICK_MS);
  }

  /** Reads D1 when it is time, and goes on; looks at the backend's log. */
  async #look(): Promise<void> {
    const now = Date.now();
    // A clock that was put back makes what was looked at a time that is to come.
    const isDue = (lookedAt: number) => Math.abs(now - lookedAt) >= LOOK_MS;
    const isOld = this.#following.watch === undefined || isDue(this.#lookedAt);
    if (isOld) await this.#follow(await readWatch(databaseOf(this.env), this.#owner()));
    else await this.#goOn();
    const endpoint = this.#following.watch?.endpoint;
    if (endpoint && isDue(this.#laggedAt)) {
      this.#laggedAt = now;
      await checkLag(this.#around, endpoint);
      this.#lanes.sweep(now);
      await this.#room.giveBack();
    }
  }

  /** Follows as D1 has it. */
  async #follow(watch: Watch): Promise<void> {
    this.#lookedAt = Date.now();
    const { endpoint, sealedDataKey } = watch;
    if (sealedDataKey !== undefined) this.#kept.open({ ...this.#owner(), sealedDataKey });
    if (endpoint) await this.#keepEndpoint(endpoint);
    for (const each of watch.orphans) noteFailure(this.#around, each, GONE);
    const place = this.#kept.get('place');
    // Those of paused workflows are read on, and dropped.
    const triggers = watch.triggers.filter(
      (each) => each.isActive || (place && covers(place.collections, collectionsOf([each]))),
    );
    const active = triggers.filter(({ isActive }) => isActive);
    this.#around.atOnce(() => {
      this.#kept.keepTriggers(active);
      this.#lanes.dropOthers(active.map(({ workflow, index }) => `${workflow}:${index}`));
      // Nothing is made ready any more that is not stored.
      const isStored = place && covers(collectionsOf(triggers), place.collections);
      if (isStored) this.#kept.set('heldUntil', undefined);
    });
    this.#isThere = endpoint !== undefined;
    this.#following.set(
      endpoint && triggers.length > 0 ? { ...watch, triggers, endpoint } : undefined,
    );
    await this.#goOn();
  }

  async #goOn(): Promise<void> {
    const { watch } = this.#following;
    if (watch) {
      this.#deliveries.kick();
      await this.#following.follow(watch);
    } else this.#leave(this.#isThere);
    await dropUnwanted(this.#around);
    await tellEvents(this.#around).catch(logged);
    const isIdle = !watch && this.#kept.isIdle();
    if (isIdle) await this.#forget();
    else this.#arm(Date.now() + TICK_MS);
  }

  async #keepEndpoint(endpoint: KeptEndpoint): Promise<void> {
    const before = this.#kept.get('endpoint');
    if (JSON.stringify(before) === JSON.stringify(endpoint)) return;
    const isMoved =
      before !== undefined &&
      this.#kept.get('place') !== undefined &&
      (await isElsewhere(this.#around, before, endpoint));
    this.#around.atOnce(() => {
      this.#kept.set('endpoint', endpoint);
      if (!isMoved) return;
      this.#kept.leave(before);
      // A place in the log of another server may be there, and mean something else.
      if (endpoint.row.kind === 'mysql') this.#kept.set('place', undefined);
    });
  }

  /** Nobody watches any more: what the backend keeps is to be dropped, unless a workflow is about to be stored. */
  #leave(isThere: boolean): void {
    this.#following.close();
    const now = Date.now();
    const heldUntil = this.#kept.get('heldUntil') ?? 0;
    if (heldUntil > now && isThere) {
      this.#arm(heldUntil);
      return;
    }
    this.#around.atOnce(() => {
      this.#kept.abandon(now + GIVEN_UP_MS);
      this.#lanes.clear();
    });
  }

  async #forget(): Promise<void> {
    await this.ctx.storage.deleteAlarm();
    this.#alarmAt = undefined;
    await this.ctx.storage.deleteAll();
    this.#kept.forget();
    await this.#room.giveBack();
  }

  #owner(): ChangesOwner {
    const owner = this.#kept.owner();
    if (!owner) throw new Error('The object of an endpoint was not opened');
    return owner;
  }

  /** Sets the alarm, unless an earlier one is set. */
  #arm(at: number): void {
    if (this.#alarmAt !== undefined && this.#alarmAt <= at) return;
    this.#alarmAt = at;
    this.ctx.waitUntil(this.ctx.storage.setAlarm(at));
  }

  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = this.#turn.then(work, work);
    this.#turn = done.catch(() => undefined);
    return done;
  }
}

/** Of a backend without positions, what a line does not bring is lost. */
function isLossy({ endpoint }: Watch): boolean {
  return endpoint?.row.kind === 'redis';
}

function logged(thrown: unknown): void {
  log('warn', 'changes of data are looked at again', loggedFault(thrown));
}
