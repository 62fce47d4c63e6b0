/**
 * The events of one organization, kept for seven days in the order of receipt, and the waits that they
 * are offered to. An event is offered once both it and the wait are on disk, so that no event is lost
 * between two actions. Spec: workflows.md §3 `wait`, §5.
 */

import { DurableObject } from 'cloudflare:workers';
import type { Bindings } from '../context.ts';
import { loggedFault } from '../db/fault.ts';
import { ObjectRoom } from '../limits/quotas/object-room.ts';
import { log } from '../log.ts';
import { type SealingContext, sealBytes, unsealBytes } from '../secrets/seal.ts';
import { settingsOf } from '../settings.ts';
import { objectNameOf } from '../workflows/runs/names.ts';
import type { EventsOwner, NewEvent, OrganizationEventsObject, Wait } from './object.ts';
import { EventStore, type WaitRow } from './store.ts';

/** Milliseconds that an event is kept. Spec: workflows.md §5. */
const KEPT_FOR_MS = 7 * 24 * 3600 * 1000;
/** Milliseconds between two rounds of removing what has expired. */
const SWEEP_EVERY_MS = 3600 * 1000;
/** Events that a wait is offered at a time. */
const OFFERED_MAX = 50;
/** Milliseconds after which an offer that failed is made again. */
const AGAIN_MS = 1_000;
/** Bytes that the object's database takes before anything is in it. */
const EMPTY_BYTES = 128 * 1024;
/** Waits that are told at a time. */
const TOLD_AT_ONCE = 20;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

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
  #telling: Promise<void> | undefined;

  async append(
    owner: EventsOwner,
    events: readonly NewEvent[],
  ): Promise<readonly boolean[] | false> {
    this.#store.open(owner);
    const sealed = await Promise.all(
      events.map(({ data, time }) =>
        sealBytes(this.#sealing(owner), encoder.encode(JSON.stringify({ data, time }))),
      ),
    );
    const bytes = sealed.reduce((sum, { byteLength }) => sum + byteLength, 0);
    if (!(await this.#room.has(bytes))) return false;
    const now = Date.now();
    const duplicates = this.ctx.storage.transactionSync(() =>
      events.map((event, at) => !this.#store.add(event, sealed[at] ?? new Uint8Array(), now)),
    );
    await this.#arm(now + SWEEP_EVERY_MS);
    this.#tell();
    return duplicates;
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
    if (this.#store.isOpen) this.#tell();
  }

  async clear(): Promise<void> {
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  override async alarm(): Promise<void> {
    if (!this.#store.isOpen) return;
    const now = Date.now();
    this.#store.removeBefore(now - KEPT_FOR_MS);
    await this.#room.giveBack();
    this.#tell();
    if (this.#store.hasTold()) await this.#arm(now + AGAIN_MS);
    else if (this.#store.last() > 0) await this.#arm(now + SWEEP_EVERY_MS);
  }

  /** Sets the alarm, unless an earlier one is set. */
  async #arm(at: number): Promise<void> {
    const planned = await this.ctx.storage.getAlarm();
    if (planned === null || planned > at) await this.ctx.storage.setAlarm(at);
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
        const { data, time } = JSON.parse(opened) as { data: string; time: string };
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

/** Whether a name fits a pattern in which `*` stands for any characters; in linear time. */
export function patternOf(pattern: string): (name: string) => boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return (name) => name === pattern;
  return (name) => {
    if (!name.startsWith(first) || name.length < first.length + last.length) return false;
    let at = first.length;
    const end = name.length - last.length;
    for (const part of rest) {
      const found = name.indexOf(part, at);
      if (found < 0 || found + part.length > end) return false;
      at = found + part.length;
    }
    return name.endsWith(last);
  };
}
