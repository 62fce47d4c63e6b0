/**
 * The events of one organization, kept for seven days in the order of receipt, and the waits that they
 * are offered to. An event is offered once both it and the wait are on disk, so that no event is lost
 * between two actions. Spec: workflows.md §3 `wait`, §5.
 */

import { DurableObject } from 'cloudflare:workers';
import { type Bindings, databaseOf } from '../context.ts';
import { loggedFault } from '../db/fault.ts';
import { ObjectRoom } from '../limits/quotas/object-room.ts';
import { log } from '../log.ts';
import { type SealingContext, sealBytes, unsealBytes } from '../secrets/seal.ts';
import { settingsOf } from '../settings.ts';
import { objectNameOf } from '../workflows/runs/names.ts';
import type { EventDetail } from '../workflows/triggers/rows.ts';
import type { TriggerState } from '../workflows/triggers/state.ts';
import { selectTriggers } from '../workflows/triggers/store.ts';
import type {
  EventCause,
  EventsOwner,
  NewEvent,
  OrganizationEventsObject,
  Wait,
} from './object.ts';
import { patternOf } from './pattern.ts';
import { EventStore, type WaitRow } from './store.ts';
import { TriggerRows } from './trigger-rows.ts';
import { EventTriggers } from './triggers.ts';

/** Milliseconds that an event is kept. Spec: workflows.md §5. */
const KEPT_FOR_MS = 7 * 24 * 3600 * 1000;
/** Milliseconds between two rounds of removing what has expired. */
const SWEEP_EVERY_MS = 3600 * 1000;
/** Events that a wait is offered at a time. */
const OFFERED_MAX = 50;
/** Milliseconds after which an offer that failed is made again. */
const AGAIN_MS = 1_000;
/** Milliseconds after which an object that was killed looks at what it was offering. */
const HEARTBEAT_MS = 3_000;
/** Bytes that the object's database takes before anything is in it. */
const EMPTY_BYTES = 128 * 1024;
/** Waits that are told at a time. */
const TOLD_AT_ONCE = 20;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** What `append` seals of an event. */
interface Sealed {
  readonly data: string;
  readonly time: string;
  readonly by?: EventCause;
}

export class OrganizationEvents
  extends DurableObject<Bindings>
  implements OrganizationEventsObject
{
  readonly #store = new EventStore(this.ctx.storage.sql);
  readonly #room = new ObjectRoom(this.env, {
    size: () => this.#store.size,
    emptyBytes: EMPTY_BYTES,
    holding: () => ({ orgUuid: this.#store.owner().orgUuid, holder: 'events', caller: 'events' }),
  });
  readonly #rows = new TriggerRows(this.ctx.storage.sql);
  readonly #triggers = new EventTriggers({
    env: this.env,
    rows: this.#rows,
    later: (work) => this.ctx.waitUntil(work),
    owner: () => this.#store.owner(),
    last: () => this.#store.last(),
    open: (seq) => this.#open(seq),
    tell: async (events) => (await this.append(this.#store.owner(), events)) !== false,
  });
  #telling: Promise<void> | undefined;
  #reading: Promise<void> = Promise.resolve();

  async append(
    owner: EventsOwner,
    events: readonly NewEvent[],
  ): Promise<readonly boolean[] | false> {
    this.#store.open(owner);
    const sealed = await Promise.all(
      events.map(({ data, time, by }) =>
        sealBytes(this.#sealing(owner), encoder.encode(JSON.stringify({ data, time, by }))),
      ),
    );
    const bytes = sealed.reduce((sum, { byteLength }) => sum + byteLength, 0);
    if (!(await this.#room.has(bytes))) return false;
    const now = Date.now();
    const duplicates = this.ctx.storage.transactionSync(() =>
      events.map((event, at) => !this.#store.add(event, sealed[at] ?? new Uint8Array(), now)),
    );
    const isOffered = events.some(({ source }) => this.#rows.has(source));
    await this.#arm(now + (isOffered ? HEARTBEAT_MS : SWEEP_EVERY_MS));
    this.#tell();
    if (isOffered) this.ctx.waitUntil(this.#triggers.offerAll());
    return duplicates;
  }

  async triggersChanged(owner: EventsOwner): Promise<void> {
    const read = this.#reading.catch(() => undefined).then(() => this.#readTriggers(owner));
    this.#reading = read;
    await read;
  }

  async #readTriggers(owner: EventsOwner): Promise<void> {
    const rows = await selectTriggers(databaseOf(this.env), owner.orgUuid, 'event');
    const known = rows.map(({ workflowUuid, workflowId, version, status, index, detail }) => {
      const { source, event: pattern } = JSON.parse(detail) as EventDetail; // As it was stored.
      const of = { workflow: workflowUuid, place: index, id: workflowId, version };
      return { ...of, source, pattern, isActive: status === 'active' };
    });
    if (known.length === 0 && !this.#rows.isOpen) return;
    this.#store.open(owner);
    this.ctx.storage.transactionSync(() => this.#rows.replace(known, this.#store.last()));
  }

  async triggerStates(workflow: string): Promise<readonly TriggerState[]> {
    return this.#rows.states(workflow);
  }

  async position(owner: EventsOwner): Promise<number> {
    this.#store.open(owner);
    return this.#store.last();
  }

  async listen(owner: EventsOwner, wait: Wait): Promise<void> {
    this.#store.open(owner);
    this.#store.addWait({ ...wait, after: wait.after ?? this.#store.last() });
    await this.#arm(Date.now() + AGAIN_MS);
    this.#tell();
  }

  async unlisten(run: string, path: string): Promise<void> {
    if (this.#store.isOpen) this.#store.dropWait(run, path);
  }

  async wake(): Promise<void> {
    if (!this.#store.isOpen) return;
    this.#tell();
    this.ctx.waitUntil(this.#triggers.offerAll());
  }

  async clear(): Promise<void> {
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  override async alarm(): Promise<void> {
    if (!this.#store.isOpen) return;
    const now = Date.now();
    if (this.#store.removeBefore(now - KEPT_FOR_MS)) await this.#room.giveBack();
    this.#tell();
    this.ctx.waitUntil(this.#triggers.offerAll());
    const next = this.#triggers.next;
    if (next !== undefined) await this.#arm(Math.max(next, now + AGAIN_MS));
    if (this.#store.hasTold()) await this.#arm(now + AGAIN_MS);
    else if (this.#store.last() > 0) await this.#arm(now + SWEEP_EVERY_MS);
  }

  /** Sets the alarm, unless an earlier one is set. */
  async #arm(at: number): Promise<void> {
    const planned = await this.ctx.storage.getAlarm();
    if (planned === null || planned > at) await this.ctx.storage.setAlarm(at);
  }

  async #open(seq: number) {
    const row = this.#rows.event(seq);
    if (!row) return undefined;
    const opened = decoder.decode(await unsealBytes(this.#sealing(this.#store.owner()), row.bytes));
    return { id: row.id, ...(JSON.parse(opened) as Sealed) };
  }

  /** Offers new events to the waits; one round at a time. */
  #tell(): void {
    if (this.#telling !== undefined) return;
    this.#telling = this.#tellAll()
      .catch((thrown: unknown) => log('warn', 'waits are told again', loggedFault(thrown)))
      .finally(() => {
        this.#telling = undefined;
      });
    this.ctx.waitUntil(this.#telling);
  }

  async #tellAll(): Promise<void> {
    for (
      let rows = this.#store.toTell(TOLD_AT_ONCE);
      rows.length > 0;
      rows = this.#store.toTell(TOLD_AT_ONCE)
    ) {
      await Promise.all(rows.map((row) => this.#offer(row)));
    }
  }

  async #offer({ run, path, source, pattern, after }: WaitRow): Promise<void> {
    const owner = this.#store.owner();
    const found = this.#store.matching(source, patternOf(pattern), after, OFFERED_MAX);
    if (found.events.length === 0) return this.#store.moveWait(run, path, after, found.upTo);
    const events = await Promise.all(
      found.events.map(async ({ seq, event, id, bytes }) => {
        const opened = decoder.decode(await unsealBytes(this.#sealing(owner), bytes));
        // As append sealed it.
        const { data, time } = JSON.parse(opened) as Sealed;
        const head = JSON.stringify({ source, event, id, time }).slice(0, -1);
        return { seq, text: `${head},"data":${data}}` };
      }),
    );
    const name = objectNameOf(owner.orgUuid, run);
    const next = await this.env.WORKFLOW_RUNS.getByName(name).offer(run, path, events);
    if (next === undefined) this.#store.dropWait(run, path);
    else this.#store.moveWait(run, path, after, found.upTo);
  }

  #sealing({ orgUuid, sealedDataKey }: EventsOwner): SealingContext {
    return { settings: settingsOf(this.env), orgUuid, sealedDataKey, purpose: 'events' };
  }
}
