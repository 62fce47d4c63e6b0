/**
 * Offers events to the triggers of an organization's workflows: to each in the order of receipt, and to
 * one of them as an own line, so that one that fails holds no other up. An event counts as offered once
 * its run is stored; what was offered before a crash is offered again, and finds its run. Spec: workflows.md §5.
 */
import { isJsonObject, type JsonObject } from '../../proto/json.ts';
import { parseAsWritten } from '../../proto/written-json.ts';
import { Lines } from '../workflows/triggers/lines.ts';
import { CHAIN_MAX, type Fired, type Firing, fire } from '../workflows/triggers/start.ts';
import type { TriggerState } from '../workflows/triggers/state.ts';
import { TOO_DEEP, tooDeep } from '../workflows/triggers/too-deep.ts';
import { type EventCause, type EventsOwner, type NewEvent, OWN } from './object.ts';
import type { Taken, TriggerRow, TriggerRows } from './trigger-rows.ts';

/** Triggers that are offered events at a time. */
const LINES = 8;
/** Events after which it is noted how far a trigger is. */
const NOTED_EVERY = 50;
/** Told of an organization whose storage is used up. */
const NO_ROOM = { code: 'QUOTA_EXCEEDED', message: "The organization's storage is used up" };
/** An event as it was opened. */
interface OpenEvent {
  readonly id: string;
  readonly time: string;
  /** JSON text. */
  readonly data: string;
  readonly by?: EventCause;
}

/** What the lines reach. */
interface Around extends Firing {
  readonly rows: TriggerRows;
  owner(): EventsOwner;
  /** Place of the newest event. */
  last(): number;
  /** Opens an event; undefined where it is gone. */
  open(seq: number): Promise<OpenEvent | undefined>;
  /** Keeps events of our own. Answers whether there was room. */
  tell(events: readonly NewEvent[]): Promise<boolean>;
}

export class EventTriggers {
  readonly #around: Around;
  readonly #lines: Lines<TriggerRow>;

  constructor(around: Around) {
    this.#around = around;
    const ready = () => around.rows.ready(around.last());
    this.#lines = new Lines({ nameOf, ready, work: (row) => this.#line(row) }, LINES);
  }

  /** Offers what is new, until nothing is; ends when every trigger was offered all, or has failed. */
  offerAll(): Promise<void> {
    return this.#lines.run();
  }

  /** When it is to be looked whether something is still to be offered; undefined where nothing is. */
  get next(): number | undefined {
    if (this.#around.rows.ready(this.#around.last()).length === 0) return undefined;
    return this.#lines.again ?? Date.now();
  }

  /** Offers one trigger a part of what is new. @throws what it may be offered again after */
  async #line(row: TriggerRow): Promise<void> {
    const { rows } = this.#around;
    const fits = rows.fitting(row.pattern);
    const { rows: names, upTo } = rows.names(row.source, row.after, this.#around.last());
    const fitting = names.filter(({ event }) => fits(event)).slice(0, NOTED_EVERY);
    const isAll = fitting.length < NOTED_EVERY;
    let taken: Taken | undefined;
    let offered = row.after;
    try {
      for (const { seq, event } of fitting) {
        // A workflow that is changed meanwhile is offered what is left again; one that was paused in between is not.
        const now = rows.find(row.workflow, row.place);
        if (now?.version !== row.version || now.after !== row.after) return;
        taken = (await this.#offer(row, seq, event)) ?? taken;
        offered = seq;
      }
      if (isAll) offered = Math.max(offered, upTo);
    } catch (thrown) {
      taken = { at: Date.now(), error: errorOf(thrown) };
      throw thrown;
    } finally {
      rows.move(row, offered, taken);
    }
    // Events that filters refuse wait for nothing: others get their turn.
    await scheduler.wait(0);
  }

  /** Answers what became of an event that the trigger took. @throws what it may be offered again after */
  async #offer(row: TriggerRow, seq: number, event: string): Promise<Taken | undefined> {
    const opened = await this.#around.open(seq);
    if (!opened || opened.by?.workflow === row.workflow) return undefined;
    const { id, time, data, by } = opened;
    const chain = 1 + (by?.chain ?? 0);
    const isOurs = row.source === OWN;
    if (isOurs && chain > CHAIN_MAX && event === 'trigger.failed') return undefined;
    const { workflow, place, version, source } = row;
    const head = { source, event, id, time };
    const fired = await fire(this.#around, this.#around.owner(), {
      workflow: { uuid: workflow, id: row.id, version },
      index: place,
      type: 'event',
      id: String(seq),
      name: id,
      root: rootOf(head, data),
      told: { event: head },
      chain,
      requestId: `event-${seq}`,
      address: 'event',
    });
    return this.#taken(row, seq, chain, fired);
  }

  async #taken(
    row: TriggerRow,
    seq: number,
    chain: number,
    fired: Fired,
  ): Promise<Taken | undefined> {
    const at = Date.now();
    if (fired.is === 'started' || fired.is === 'known') return { at };
    if (fired.is === 'failed') {
      const message = fired.faults.map((fault) => `${fault.path}: ${fault.message}`).join('; ');
      return { at, error: { code: fired.code, message } };
    }
    if (fired.is === 'no-room') throw new NoRoom();
    if (fired.is !== 'too-deep') return undefined;
    await this.#tellFailed(row, seq, chain);
    return { at, error: TOO_DEEP };
  }

  async #tellFailed(row: TriggerRow, seq: number, chain: number): Promise<void> {
    const { workflow: uuid, id, place: index } = row;
    const event = tooDeep({ workflow: { uuid, id }, index, receipt: String(seq), chain });
    if (!(await this.#around.tell([event]))) throw new NoRoom();
  }
}

/** What waits until the organization has room again. */
class NoRoom extends Error {}

function errorOf(thrown: unknown): NonNullable<TriggerState['error']> {
  if (thrown instanceof NoRoom) return NO_ROOM;
  return { code: 'INTERNAL', message: 'Something went wrong; it is tried again' };
}

function nameOf({ workflow, place }: TriggerRow): string {
  return `${workflow}:${place}`;
}

/** `$` of filter and mapping: the event, whole. */
function rootOf(head: JsonObject, data: string): JsonObject {
  const whole = parseAsWritten(`${JSON.stringify(head).slice(0, -1)},"data":${data}}`);
  return isJsonObject(whole) ? whole : head;
}
