/**
 * What an organization's webhooks were sent: names of deliveries for seven days, so that a repeat
 * starts nothing, and the state of each trigger. Spec: workflows.md §5, `webhook`.
 */
import { DurableObject } from 'cloudflare:workers';
import type { Bindings } from '../context.ts';
import { ObjectRoom } from '../limits/quotas/object-room.ts';
import type { Owner } from '../workflows/runs/object.ts';
import type { TriggerState } from '../workflows/triggers/state.ts';
import type { Delivery, KnownDelivery, Note, WebhookDeliveriesObject } from './object.ts';
import { DeliveryStore } from './store.ts';

/** Milliseconds for which a delivery counts once. Spec: workflows.md §5. */
const KEPT_FOR_MS = 7 * 24 * 3600 * 1000;
/** Milliseconds between two rounds of removing what has expired. */
const SWEEP_EVERY_MS = 3600 * 1000;
/** Bytes that the object's database takes before anything is in it. */
const EMPTY_BYTES = 64 * 1024;
/** Bytes of a delivery's name with its index: about. */
const NAME_BYTES = 300;

export class WebhookDeliveries extends DurableObject<Bindings> implements WebhookDeliveriesObject {
  readonly #store = new DeliveryStore(this.ctx.storage.sql);
  readonly #room = new ObjectRoom(this.env, {
    size: () => this.#store.size,
    emptyBytes: EMPTY_BYTES,
    holding: () => ({
      orgUuid: this.#store.owner().orgUuid,
      holder: 'webhook-deliveries',
      caller: 'webhooks',
    }),
  });

  async claim(owner: Owner, delivery: Delivery): Promise<KnownDelivery | false> {
    this.#store.open(owner);
    const since = Date.now() - KEPT_FOR_MS;
    const before = this.#store.find(delivery, since);
    if (before) return before;
    if (!(await this.#room.has(NAME_BYTES))) return false;
    // Another may have come meanwhile.
    const meanwhile = this.#store.find(delivery, since);
    if (meanwhile) return meanwhile;
    const receipt = crypto.randomUUID();
    this.#store.add(delivery, receipt, Date.now());
    await this.#arm();
    return { receipt };
  }

  async note(owner: Owner, notes: readonly Note[]): Promise<void> {
    this.#store.open(owner);
    this.ctx.storage.transactionSync(() => {
      for (const note of notes) this.#store.note(note);
    });
  }

  async stateOf(workflow: string): Promise<readonly TriggerState[]> {
    return this.#store.isOpen ? this.#store.states(workflow) : [];
  }

  async forget(workflow: string): Promise<void> {
    if (this.#store.isOpen) this.#store.forget(workflow);
  }

  async clear(): Promise<void> {
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  override async alarm(): Promise<void> {
    if (!this.#store.isOpen) return;
    this.#store.removeBefore(Date.now() - KEPT_FOR_MS);
    await this.#room.giveBack();
    if (this.#store.hasDeliveries()) await this.#arm();
  }

  async #arm(): Promise<void> {
    if ((await this.ctx.storage.getAlarm()) !== null) return;
    await this.ctx.storage.setAlarm(Date.now() + SWEEP_EVERY_MS);
  }
}
