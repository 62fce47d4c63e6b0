/** Drives the runs of one object: transitions, calls, what is due, and what was cut off. Spec: workflows.md §7. */
import type { Bindings } from '../../context.ts';
import { loggedFault } from '../../db/fault.ts';
import { whenReady } from '../../drivers/edge/own.ts';
import type { ObjectRoom } from '../../limits/quotas/object-room.ts';
import { log } from '../../log.ts';
import { settingsOf } from '../../settings.ts';
import type { Workflow } from '../definition/tree.ts';
import { failRun } from '../engine/advance.ts';
import { cutOff } from '../engine/cut-off.ts';
import type { DueKind, Node } from '../engine/journal.ts';
import { attemptEnded, beginRun, due } from '../engine/machine.ts';
import { beginFork } from '../engine/resume.ts';
import { settle } from '../engine/settle.ts';
import type { Turn } from '../engine/turn.ts';
import { setAlarmAnew } from './alarm.ts';
import { allowanceOf } from './allowance.ts';
import { definitionOf } from './definitions.ts';
import type { Call } from './head.ts';
import type { RunRow } from './journal.ts';
import type { Keeper, Turned } from './keeper.ts';
import { type CallEnd, callEndpoint, callTemplate, contextOf, templateWrites } from './perform.ts';

/** Milliseconds after which an object that was killed looks at what it was doing. */
const HEARTBEAT_MS = 3_000;
/** Times that are due which one round takes. */
const DUE_STEP = 200;

interface DueRow extends Record<string, SqlStorageValue> {
  readonly run: number;
  readonly path: string;
  readonly kind: DueKind;
}

/** What happens beside a driver. */
export interface Beside {
  /** There are effects to be done, of a run. */
  deliver(run: number): void;
  /** A run has changed. */
  changed(row: RunRow): void;
}

export class Driver {
  readonly keeper: Keeper;
  readonly allowance: ObjectRoom;
  readonly #state: DurableObjectState;
  readonly #env: Bindings;
  readonly #beside: Beside;
  #recovered: Promise<void> | undefined;
  /** Calls in flight. */
  #calls = 0;
  #alarmAt: number | undefined;
  #isRunningDues = false;

  constructor(state: DurableObjectState, env: Bindings, keeper: Keeper, beside: Beside) {
    this.#state = state;
    this.#env = env;
    this.keeper = keeper;
    this.allowance = allowanceOf(keeper, env);
    this.#beside = beside;
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
    const rows = this.keeper.sql
      .exec<{ run: number; path: string }>("SELECT run, path FROM nodes WHERE phase = 'attempt'")
      .toArray();
    for (const { run, path } of rows) await this.#cutOff(run, path);
    const outbox = this.keeper.sql
      .exec<{ run: number }>("SELECT DISTINCT run FROM outbox WHERE kind <> 'tell'")
      .toArray();
    for (const { run } of outbox) this.#beside.deliver(run);
  }

  async #cutOff(run: number, path: string): Promise<void> {
    const row = this.keeper.at(run);
    const workflow = row && definitionOf(this.keeper, row.head.workflow);
    if (!row || !workflow) return;
    const node = this.nodeAt(run, path);
    const action = node && workflow.byId.get(node.action);
    if (!node || !action) return;
    let writes = action.type === 'endpoint' && action.operation === 'write';
    if (action.type === 'template') {
      const ctx = contextOf(this.#env, row.head, row.id, AbortSignal.timeout(30_000), this.later);
      writes = await templateWrites(ctx, action, row.head.pins.templates[action.template]);
    }
    this.act(run, (turn) => cutOff(turn, path, writes));
  }

  /** One transition of a run, and what follows from it. Undefined where there is no such run. */
  act<Value>(run: number, work: (turn: Turn) => Value): Value | undefined {
    const row = this.keeper.at(run);
    const workflow = row && definitionOf(this.keeper, row.head.workflow);
    if (!workflow) return undefined;
    try {
      const turned = this.keeper.turn(run, workflow, work);
      this.after(turned);
      return turned.value;
    } catch (thrown) {
      // A fault of ours: the run is not to hang.
      log('error', 'a run of a workflow failed', { run_id: row.id, ...loggedFault(thrown) });
      const failure = { code: 'INTERNAL', message: 'Something went wrong', action: '' };
      this.after(
        this.keeper.turn(run, workflow, (turn) => {
          failRun(turn, failure);
          settle(turn);
        }),
      );
      return undefined;
    }
  }

  /** Does what follows from a transition that is written. */
  after({ row, calls, hasEffects, earliest }: Turned<unknown>): void {
    for (const call of calls) this.later(this.#call(row.run, call));
    if (hasEffects) this.#beside.deliver(row.run);
    this.#beside.changed(row);
    const now = Date.now();
    if (earliest <= now) this.later(this.runDues());
    this.arm(Math.min(earliest, now + HEARTBEAT_MS));
  }

  /** Lets work go on beside; a failure of it is logged. */
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

  /** JSON text of what an action was begun with. */
  inputOf(run: number, path: string): string | undefined {
    const input = this.nodeAt(run, path)?.input;
    return input === undefined ? undefined : this.keeper.vault.text(run, input);
  }

  /** When something is due of a node. */
  dueAt(run: number, path: string, kind: DueKind): number | undefined {
    const sql = 'SELECT at FROM dues WHERE run = ? AND path = ? AND kind = ?';
    return this.keeper.sql.exec<{ at: number }>(sql, run, path, kind).toArray()[0]?.at;
  }

  /** A node of a run, to be looked at. */
  nodeAt(run: number, path: string): Node | undefined {
    const [row] = this.keeper.sql
      .exec<{ body: string }>(
        'SELECT body FROM nodes WHERE run = ? AND path = ? AND generation = 0',
        run,
        path,
      )
      .toArray();
    return row && (JSON.parse(row.body) as Node);
  }

  async #call(run: number, { path, attempt }: Call): Promise<void> {
    this.#calls += 1;
    try {
      const end = await this.#end(run, path);
      if (!end) return;
      this.act(run, (turn) => {
        this.keeper.addReached(run, end.reached);
        const outcome =
          'failure' in end ? { failure: end.failure } : { output: turn.journal.keep(end.text) };
        attemptEnded(turn, path, attempt, outcome);
      });
    } finally {
      this.#calls -= 1;
    }
  }

  async #end(run: number, path: string): Promise<CallEnd | undefined> {
    const row = this.keeper.at(run);
    const workflow = row && definitionOf(this.keeper, row.head.workflow);
    const node = this.nodeAt(run, path);
    const action = node && workflow?.byId.get(node.action);
    if (!row || !node || node.input === undefined) return undefined;
    if (action?.type !== 'endpoint' && action?.type !== 'template') return undefined;
    const full = {
      code: 'QUOTA_EXCEEDED',
      message: "The organization's storage is used up",
      action: action.id,
    };
    if (!(await this.allowance.has(0))) return { failure: full, reached: [] };
    const input = this.keeper.vault.text(run, node.input);
    const signal = new AbortController().signal;
    const ctx = contextOf(this.#env, row.head, row.id, signal, this.later);
    const end =
      action.type === 'endpoint'
        ? await callEndpoint(ctx, action, input)
        : await callTemplate(ctx, action, row.head.pins.templates[action.template], input);
    if ('failure' in end || (await this.allowance.has(end.text.length))) return end;
    return { failure: { ...full, effect: 'possible' }, reached: end.reached };
  }

  /** A run that has ended is kept at least until then. */
  keepUntil(run: number, time: number): void {
    this.keeper.sql.exec('UPDATE runs SET expires = max(expires, ?) WHERE run = ?', time, run);
  }

  /** A run that was queued begins. */
  release(id: string): void {
    const row = this.keeper.find(id);
    if (row?.body.status !== 'queued' || row.body.endedAt !== 0) return;
    const fork = this.keeper.forkOf(row.run);
    this.act(row.run, (turn) => {
      if (fork === undefined) beginRun(turn);
      else beginFork(turn, fork);
    });
  }

  /** What is due, a few at a time. */
  async runDues(): Promise<void> {
    if (this.#isRunningDues) return;
    this.#isRunningDues = true;
    try {
      while (this.#takeDues() === DUE_STEP) await scheduler.wait(0);
    } finally {
      this.#isRunningDues = false;
    }
    const [next] = this.keeper.sql
      .exec<{ at: number | null }>('SELECT min(at) AS at FROM dues')
      .toArray();
    if (next?.at === null || next === undefined) return;
    if (next.at > Date.now()) return this.arm(next.at);
    await scheduler.wait(0);
    return this.runDues();
  }

  #takeDues(): number {
    const rows = this.keeper.sql
      .exec<DueRow>(
        'SELECT run, path, kind FROM dues WHERE at <= ? ORDER BY at LIMIT ?',
        Date.now(),
        DUE_STEP,
      )
      .toArray();
    for (const { run, path, kind } of rows) {
      const isKnown = this.act(run, (turn) => {
        turn.journal.undue(path, kind);
        due(turn, path, kind);
        return true;
      });
      // Of a fault it must not come again and again.
      if (!isKnown) {
        const where = 'run = ? AND path = ? AND kind = ?';
        this.keeper.sql.exec(`DELETE FROM dues WHERE ${where}`, run, path, kind);
      }
    }
    return rows.length;
  }

  /** Sees to it that the object is woken by then. */
  arm(at: number): void {
    if (this.#alarmAt !== undefined && this.#alarmAt <= at) return;
    this.#alarmAt = at;
    this.later(this.#state.storage.setAlarm(at));
  }

  /** The alarm has come. @param others when something beside the runs wants to be woken */
  async alarm(others: number | undefined): Promise<void> {
    this.#alarmAt = undefined;
    await this.runDues();
    const { sql } = this.keeper;
    const [row] = sql
      .exec<{ at: number | null; waiting: number }>(
        `SELECT (SELECT min(at) FROM dues) AS at,
          EXISTS (SELECT 1 FROM outbox) OR EXISTS (SELECT 1 FROM unindexed) AS waiting`,
      )
      .toArray();
    const isBusy = this.#calls > 0 || row?.waiting === 1;
    const times = [row?.at ?? undefined, others, isBusy ? Date.now() + HEARTBEAT_MS : undefined];
    const next = Math.min(...times.filter((time) => time !== undefined));
    if (Number.isFinite(next)) this.arm(next);
  }
}
