/** Drives the runs of one object: transitions, calls, what is due, and what was cut off. Spec: workflows.md §7. */
import type { Bindings } from '../../context.ts';
import { loggedFault } from '../../db/fault.ts';
import { whenReady } from '../../drivers/edge/own-addresses.ts';
import type { ObjectRoom } from '../../limits/quotas/object-room.ts';
import { admitChild } from '../../limits/starts.ts';
import { log } from '../../log.ts';
import { settingsOf } from '../../settings.ts';
import type { Workflow } from '../definition/tree.ts';
import { failRun } from '../engine/advance.ts';
import { type CutEffect, cutOff } from '../engine/cut-off.ts';
import type { DueKind } from '../engine/journal.ts';
import { beginRun } from '../engine/machine.ts';
import { beginFork, retryRun } from '../engine/resume.ts';
import { settle } from '../engine/settle.ts';
import type { Turn } from '../engine/turn.ts';
import { setAlarmAnew } from './alarm.ts';
import { allowanceOf } from './allowance.ts';
import { Calls } from './calls.ts';
import { Computing } from './computing.ts';
import { contextOf } from './contexts.ts';
import { definitionOf } from './definitions.ts';
import { DueTimes } from './due-times.ts';
import { dropCopies } from './forking.ts';
import type { RunRow, SqlJournal } from './journal.ts';
import type { Keeper, Turned } from './keeper.ts';
import { isKeptByBackend, markedKeyOf } from './marked.ts';
import { forkOf } from './run-rows.ts';
import { templateWrites } from './sources.ts';
import { LOOKUP_MS, withinTime } from './time-limit.ts';
import { whenParsed, whenRead } from './when-parsed.ts';

/** Milliseconds after which an object that was killed looks at what it was doing. */
const HEARTBEAT_MS = 3_000;
/** Milliseconds that a transition may stay unwritten. */
const UNWRITTEN_MAX_MS = 50;

/** What happens besides a driver. */
interface DriverHooks {
  /** There are effects to be done, of a run. */
  deliver(run: number): void;
  /** A run has changed, and that is written or not. */
  changed(row: RunRow, isWritten: boolean): void;
}

export class Driver {
  readonly keeper: Keeper;
  readonly allowance: ObjectRoom;
  readonly computing: Computing;
  readonly #state: DurableObjectState;
  readonly #env: Bindings;
  readonly #beside: DriverHooks;
  #recovered: Promise<void> | undefined;
  readonly #calls: Calls;
  #isWriting = false;
  #alarmAt: number | undefined;
  readonly #dueTimes = new DueTimes(this);
  #starts = Promise.resolve();

  constructor(state: DurableObjectState, env: Bindings, keeper: Keeper, beside: DriverHooks) {
    this.#state = state;
    this.#env = env;
    this.keeper = keeper;
    this.allowance = allowanceOf(keeper, env);
    this.computing = new Computing(keeper);
    this.#beside = beside;
    this.#calls = new Calls(this, env);
  }

  /** Once, before anything else: what was in flight when the object ended was cut off. */
  ready(): Promise<void> {
    this.#recovered ??= this.#recover().catch((thrown: unknown) => {
      this.#recovered = undefined;
      throw thrown;
    });
    return this.#recovered;
  }

  async #recover(): Promise<void> {
    await whenReady({ env: this.#env, settings: settingsOf(this.#env) });
    this.#alarmAt = await setAlarmAnew(this.#state.storage);
    dropCopies(this.keeper);
    const rows = this.keeper.sql
      .exec<{ run: number; path: string }>(
        "SELECT run, path FROM nodes WHERE phase <> 'ended' AND phase = 'attempt'",
      )
      .toArray();
    for (const { run, path } of rows) await this.#cutOff(run, path);
    const outbox = this.keeper.sql
      .exec<{ run: number }>('SELECT DISTINCT run FROM outbox')
      .toArray();
    for (const { run } of outbox) this.#beside.deliver(run);
  }

  async #cutOff(run: number, path: string): Promise<void> {
    const row = this.keeper.at(run);
    const workflow = this.#workflowOf(run);
    if (!row || !workflow) return;
    const node = this.keeper.nodeAt(run, path);
    const action = node && workflow.byId.get(node.action);
    if (!node || !action) return;
    const effect = await withinTime(LOOKUP_MS, async (signal): Promise<CutEffect> => {
      const ctx = () => contextOf(this.#env, row.head, row.id, signal, this.later);
      if (action.type === 'template') {
        return (await templateWrites(ctx(), action, row.head.pins)) ? 'possible' : 'none';
      }
      if (action.type !== 'endpoint' || action.operation === 'read') return 'none';
      if (markedKeyOf(row, node) === undefined) return 'possible';
      return (await isKeptByBackend(ctx, action)) ? 'kept' : 'possible';
    });
    await this.act(run, (turn) => {
      // While a run is under way its time is in memory alone.
      if (turn.run.endedAt === 0) turn.journal.due(turn.run.deadline, '', 'deadline');
      cutOff(turn, path, effect);
    });
  }

  /**
   * One transition of a run, and what follows from it: at once, unless it reads a large value that is
   * parsed first, or belongs to a large definition that is read first. Undefined where there is no such run.
   * @param mayWait as of `Keeper.turn`
   */
  act<Value>(
    run: number,
    work: (turn: Turn, journal: SqlJournal) => Value,
    mayWait = false,
  ): Value | undefined | Promise<Value | undefined> {
    return whenRead(this, run, () => this.#acted(run, work, mayWait));
  }

  #acted<Value>(
    run: number,
    work: (turn: Turn, journal: SqlJournal) => Value,
    mayWait: boolean,
  ): Value | undefined | Promise<Value | undefined> {
    const fails = (thrown: unknown): undefined => {
      // A fault of ours: the run is not to hang.
      const id = this.keeper.at(run)?.id;
      log('error', 'a run of a workflow failed', { run_id: id, ...loggedFault(thrown) });
      this.keeper.reset(run);
      this.#fail(run);
    };
    try {
      const acted = whenParsed(this, run, (beforehand) => {
        const workflow = this.#workflowOf(run);
        if (!workflow) return undefined;
        const turned = this.keeper.turn(run, workflow, work, mayWait, beforehand);
        this.after(turned);
        return turned.value;
      });
      return acted instanceof Promise ? acted.catch(fails) : acted;
    } catch (thrown) {
      return fails(thrown);
    }
  }

  #workflowOf(run: number): Workflow | undefined {
    const head = this.keeper.headOf(run);
    return head && definitionOf(this.keeper, head.workflow);
  }

  #fail(run: number): void {
    const workflow = this.#workflowOf(run);
    if (!workflow) return;
    const failure = { code: 'INTERNAL', message: 'Something went wrong', action: '' };
    this.after(
      this.keeper.turn(run, workflow, (turn) => {
        failRun(turn, failure);
        settle(turn);
      }),
    );
    // Ends of calls that were not written are lost: what has no call in flight is cut off.
    const lost = this.keeper.sql
      .exec<{ path: string }>(
        "SELECT path FROM nodes WHERE run = ? AND phase <> 'ended' AND phase = 'attempt'",
        run,
      )
      .toArray()
      .filter(({ path }) => !this.#calls.has(run, path));
    for (const { path } of lost) this.later(this.#cutOff(run, path));
  }

  /** A run that goes on, once its organization may go on computing. */
  async findInTurn(run: string): Promise<RunRow | undefined> {
    if (!(await this.keeper.open())) return undefined;
    await this.ready();
    await this.computing.turn();
    return this.keeper.find(run);
  }

  /** Starts a run for another when it is admitted, one of an object at a time: one run may lead to very many. */
  admitted(start: () => Promise<void>): Promise<void> {
    const started = this.#starts.then(() => admitChild(this.keeper.owner.orgUuid, start));
    this.#starts = started.catch(() => {});
    return started;
  }

  /** Does what follows from a transition. */
  after({ row, calls, hasEffects, earliest, isWritten, steps }: Turned<unknown>): void {
    this.computing.spent(steps);
    for (const call of calls) this.later(this.#calls.make(row.run, call));
    if (hasEffects) this.#beside.deliver(row.run);
    this.#beside.changed(row, isWritten);
    if (!isWritten) this.#writeSoon();
    const now = Date.now();
    if (earliest <= now) this.later(this.runDues());
    this.arm(Math.min(earliest, now + HEARTBEAT_MS));
  }

  /** What was not written is not left so for long. */
  #writeSoon(): void {
    if (this.#isWriting) return;
    this.#isWriting = true;
    const written = scheduler.wait(UNWRITTEN_MAX_MS).then(() => {
      this.#isWriting = false;
      this.keeper.writeAll();
    });
    this.later(written);
  }

  /** Lets work go on in the background; a failure of it is logged. */
  readonly later = (work: Promise<unknown>): void => {
    this.#state.waitUntil(
      work.catch((thrown: unknown) => {
        log('error', 'work of a run failed', { object: this.keeper.name, ...loggedFault(thrown) });
      }),
    );
  };

  /** The definition that a run is pinned to. */
  workflowOf({ head }: Pick<RunRow, 'head'>): Workflow | undefined {
    return definitionOf(this.keeper, head.workflow);
  }

  /** The type of an action of a run, by its id. */
  typesOf(row: Pick<RunRow, 'head'>): (action: string) => string {
    const workflow = this.workflowOf(row);
    return (action) => workflow?.byId.get(action)?.type ?? 'endpoint';
  }

  /** JSON text of what an action was begun with. */
  inputOf(run: number, path: string): string | undefined {
    const input = this.keeper.nodeAt(run, path)?.input;
    return input === undefined ? undefined : this.keeper.text(run, input);
  }

  /** When something is due of a node. */
  dueAt(run: number, path: string, kind: DueKind): number | undefined {
    const sql = 'SELECT at FROM dues WHERE run = ? AND path = ? AND kind = ?';
    return this.keeper.sql.exec<{ at: number }>(sql, run, path, kind).toArray()[0]?.at;
  }

  /** A run that was queued begins, or goes on where it is retried. */
  async release(id: string): Promise<void> {
    const row = this.keeper.find(id);
    if (row?.body.status !== 'queued' || row.body.endedAt !== 0) return;
    const fork = forkOf(this.keeper.sql, row.run);
    await this.act(row.run, (turn) => {
      if (turn.run.resumes) retryRun(turn);
      else if (fork === undefined) beginRun(turn);
      else beginFork(turn, fork);
    });
  }

  /** What is due, a few at a time. */
  runDues(): Promise<void> {
    return this.#dueTimes.run();
  }

  /** Sees to it that the object is woken by then. */
  arm(at: number): void {
    if (this.#alarmAt !== undefined && this.#alarmAt <= at) return;
    this.#alarmAt = at;
    this.later(this.#state.storage.setAlarm(at));
  }

  /** The alarm has come. @param others when something besides the runs wants to be woken */
  async alarm(others: number | undefined): Promise<void> {
    this.#alarmAt = undefined;
    this.keeper.writeDues();
    await this.runDues();
    const { sql } = this.keeper;
    const [row] = sql
      .exec<{ at: number | null; waiting: number }>(
        `SELECT (SELECT min(at) FROM dues) AS at,
          EXISTS (SELECT 1 FROM outbox) OR EXISTS (SELECT 1 FROM unindexed) AS waiting`,
      )
      .toArray();
    const isBusy = this.#calls.count > 0 || row?.waiting === 1;
    const times = [row?.at ?? undefined, others, isBusy ? Date.now() + HEARTBEAT_MS : undefined];
    const next = Math.min(...times.filter((time) => time !== undefined));
    if (Number.isFinite(next)) this.arm(next);
  }
}
