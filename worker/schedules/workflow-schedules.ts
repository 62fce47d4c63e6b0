/**
 * The objects that own the schedules of workflows: each has those of one organization, and one alarm for the
 * earliest. A run's id follows from its tick, so that a tick that is dealt with twice has one run. Spec: workflows.md §5, `schedule`.
 */
import { DurableObject } from 'cloudflare:workers';
import { type Bindings, databaseOf } from '../context.ts';
import { OWN } from '../events/object.ts';
import type { Owner } from '../workflows/runs/object.ts';
import { runsObject } from '../workflows/runs/reachable.ts';
import { Lines } from '../workflows/triggers/lines.ts';
import type { ScheduleDetail } from '../workflows/triggers/rows.ts';
import { type Fired, fire, type Occurrence, runIdOf } from '../workflows/triggers/start.ts';
import type { TriggerState } from '../workflows/triggers/state.ts';
import { selectTriggers } from '../workflows/triggers/store.ts';
import { calendarOf } from './calendar.ts';
import { type Due, dueOf } from './due.ts';
import type { WorkflowSchedulesObject } from './object.ts';
import { type KnownSchedule, type ScheduleRow, ScheduleRows, type Ticked } from './rows.ts';

/** Schedules that are dealt with at a time. */
const LINES = 16;
/** Milliseconds after which an object that was killed looks at what it was doing. */
const HEARTBEAT_MS = 1_000;
/** Ticks of one schedule that wait for the run before them; more are missed. Spec silent. */
const QUEUE_MAX = 1_000;
const ENDED = new Set(['succeeded', 'failed', 'cancelled']);

export class WorkflowSchedules extends DurableObject<Bindings> implements WorkflowSchedulesObject {
  readonly #since = Date.now();
  readonly #rows = new ScheduleRows(this.ctx.storage.sql);
  readonly #lines = new Lines<ScheduleRow>(
    {
      nameOf: ({ workflow, place }) => `${workflow}:${place}`,
      ready: () => this.#rows.ready(Date.now()),
      work: (row) => this.#work(row),
    },
    LINES,
  );
  #reading: Promise<void> = Promise.resolve();
  #alarmAt: number | undefined;

  async schedulesChanged(owner: Owner): Promise<void> {
    const read = this.#reading.catch(() => undefined).then(() => this.#read(owner));
    this.#reading = read;
    await read;
  }

  async #read(owner: Owner): Promise<void> {
    const rows = await selectTriggers(databaseOf(this.env), owner.orgUuid, 'schedule');
    if (rows.length === 0 && !this.#rows.isOpen) return;
    const known = rows.map(({ workflowUuid, workflowId, version, status, index, detail }) => {
      const { schedule: line, ...rest } = JSON.parse(detail) as ScheduleDetail; // As it was stored.
      const of = { workflow: workflowUuid, place: index, id: workflowId, version, line };
      return { ...of, ...rest, isActive: status === 'active' };
    });
    const now = Date.now();
    const { orgUuid, orgId, sealedDataKey } = owner;
    this.ctx.storage.transactionSync(() => {
      this.#rows.open({ orgUuid, orgId, sealedDataKey });
      this.#rows.replace(known, (each, last = 0) => nextOf(each, Math.max(now, last)));
    });
    this.#go();
  }

  async scheduleStates(workflow: string): Promise<readonly TriggerState[]> {
    return this.#rows.isOpen ? this.#rows.states(workflow) : [];
  }

  async runEnded(workflow: string, place: number, run: string): Promise<void> {
    if (!this.#rows.isOpen) return;
    this.#rows.endRunning(workflow, place, run);
    this.#go();
  }

  async wake(): Promise<void> {
    this.#alarmAt = undefined;
    if (this.#rows.isOpen) this.#go();
  }

  async clear(): Promise<void> {
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  override async alarm(): Promise<void> {
    this.#alarmAt = undefined;
    if (this.#rows.isOpen) this.#go();
  }

  /** Ends once nothing is being dealt with. */
  idle(): Promise<void> {
    return this.#lines.run();
  }

  /** Deals with what has come, and sees to it that the object is woken for what comes next. */
  #go(): void {
    this.ctx.waitUntil(this.#lines.run().then(() => this.#arm()));
    this.#arm();
  }

  #arm(): void {
    const now = Date.now();
    const isBusy = this.#rows.ready(now).length > 0;
    const times = [
      this.#rows.nextAfter(now),
      isBusy ? Math.max(now + HEARTBEAT_MS, this.#lines.again ?? 0) : undefined,
    ].filter((time) => time !== undefined);
    if (times.length === 0) return;
    const at = Math.min(...times);
    // While it is busy, an earlier time will do.
    if (this.#alarmAt === at || (isBusy && this.#alarmAt !== undefined && this.#alarmAt < at))
      return;
    this.#alarmAt = at;
    this.ctx.waitUntil(this.ctx.storage.setAlarm(at));
  }

  /** One tick of a schedule. @throws what it may be tried again after */
  async #work(row: ScheduleRow): Promise<void> {
    if (row.queued !== null) return this.#startQueued(row, row.queued);
    if (row.next === null) return;
    const { missed, next, told, line, timezone } = row;
    const ticks = calendarOf(line, timezone);
    const due = dueOf({ next, missed, told, since: this.#since, now: Date.now(), ticks });
    if (due.gap) await this.#tellMissed(row, due.gap);
    if (due.tick !== undefined) await this.#tick(row, due.tick, due.isMissed);
    this.#rows.move(row, due.tick ?? due.gap?.last ?? next, due.next);
  }

  /** A tick that waited for the run before it. @throws what it may be tried again after */
  async #startQueued(row: ScheduleRow, tick: number): Promise<void> {
    try {
      await this.#start(row, tick, false);
    } catch (thrown) {
      // While a run counts as under way, the tick would not be looked at before the next one.
      const run = runIdOf(this.#rows.owner(), this.#occurrence(row, tick, false));
      this.#rows.endRunning(row.workflow, row.place, run);
      throw thrown;
    }
    this.#rows.dequeue(row, tick);
  }

  async #tick(row: ScheduleRow, tick: number, isMissed: boolean): Promise<void> {
    if (row.overlap === 'allow' || !(await this.#isRunning(row, tick))) {
      return this.#start(row, tick, isMissed);
    }
    if (row.overlap === 'skip') return;
    if (this.#rows.queued(row) < QUEUE_MAX) return this.#rows.enqueue(row, tick);
    return this.#tellMissed(row, { first: tick, last: tick });
  }

  /** Whether a run of an earlier tick is under way. */
  async #isRunning(row: ScheduleRow, tick: number): Promise<boolean> {
    const { running, workflow, place } = row;
    const owner = this.#rows.owner();
    // Of the same tick: it was begun when the object was killed.
    if (running === null || running === runIdOf(owner, this.#occurrence(row, tick, false))) {
      return this.#rows.queued(row) > 0;
    }
    const text = await runsObject(this.env, owner.orgUuid, running).record(running, NO_ACTIONS);
    const status = text && (JSON.parse(text) as RunStatusReply).record.status; // As the object wrote it.
    if (status && !ENDED.has(status)) return true;
    this.#rows.endRunning(workflow, place, running);
    return this.#rows.queued(row) > 0;
  }

  async #start(row: ScheduleRow, tick: number, isMissed: boolean): Promise<void> {
    const owner = this.#rows.owner();
    const occurrence = this.#occurrence(row, tick, isMissed);
    const run = runIdOf(owner, occurrence);
    // Before it begins: its end may be told before the start has answered.
    if (row.overlap !== 'allow') this.#rows.setRunning(row, run);
    const at = { env: this.env, later: (work: Promise<unknown>) => this.ctx.waitUntil(work) };
    const fired = await fire(at, owner, occurrence);
    if (fired.is === 'no-room') {
      this.#rows.note(row, { error: NO_ROOM });
      throw new Error('The storage of the organization is used up');
    }
    if (!isUnderWay(fired)) this.#rows.endRunning(row.workflow, row.place, run);
    this.#rows.note(row, tickedOf(fired));
  }

  #occurrence(row: ScheduleRow, tick: number, isMissed: boolean): Occurrence {
    const { workflow: uuid, id, version, place: index, line, timezone } = row;
    const time = new Date(tick).toISOString();
    const told = { time, tick: { time, schedule: line, timezone, missed: isMissed } };
    return {
      ...{ workflow: { uuid, id, version }, index, type: 'schedule', id: time, told, chain: 1 },
      root: { trigger: { type: 'schedule', index, id: time, ...told } },
      ...{ requestId: `tick-${time}`, address: 'clock' },
      tellsEnd: row.overlap !== 'allow',
    };
  }

  async #tellMissed(row: ScheduleRow, { first, last }: Missed): Promise<void> {
    const owner = this.#rows.owner();
    const { workflow, place, id, missed } = row;
    const [from, to] = [new Date(first).toISOString(), new Date(last).toISOString()];
    const data = JSON.stringify({ workflow: id, trigger: place, first: from, last: to, missed });
    const event = { source: OWN, event: 'schedule.missed', id: `${workflow}:${place}:${from}` };
    const events = this.env.ORGANIZATION_EVENTS.getByName(owner.orgUuid);
    await events.append(owner, [{ ...event, time: new Date().toISOString(), data }]);
    this.#rows.setTold(row, last + 1);
  }
}

type Missed = NonNullable<Due['gap']>;

/** What of a record says the state of a run. */
interface RunStatusReply {
  readonly record: { readonly status: string };
}

const NO_ACTIONS = { after: 0, limit: 0 };
const NO_ROOM = { code: 'QUOTA_EXCEEDED', message: "The organization's storage is used up" };

function nextOf({ line, timezone }: KnownSchedule, after: number): number | undefined {
  return calendarOf(line, timezone).next(after);
}

function isUnderWay(fired: Fired): boolean {
  return (fired.is === 'started' || fired.is === 'known') && !ENDED.has(fired.status);
}

function tickedOf(fired: Fired): Ticked {
  if (fired.is === 'started' || fired.is === 'known') return { ran: Date.now() };
  if (fired.is !== 'failed') return {};
  const message = fired.faults.map((fault) => `${fault.path}: ${fault.message}`).join('; ');
  return { ran: Date.now(), error: { code: fired.code, message } };
}
