/** The objects that run workflows: each holds the runs that its name says, in one journal. Spec: workflows.md §7. */
import { DurableObject } from 'cloudflare:workers';
import { undivided, whole } from '../../../proto/work/pieces.ts';
import type { Bindings } from '../../context.ts';
import { calledBack, childUndone, eventArrived, taskEnded } from '../engine/arrivals.ts';
import { cancel, undo } from '../engine/machine.ts';
import { LARGE_TEXT } from '../engine/ready-values.ts';
import { claimAgain, deliver, settleHere } from './deliver.ts';
import { Driver } from './driver.ts';
import { nextExpiry, removeExpired } from './expiry.ts';
import { unlessForeign } from './format.ts';
import { enterGate, leaveGate, tellLetIn } from './gates.ts';
import type { Order, Retrier } from './head.ts';
import { Indexer } from './indexing.ts';
import type { RunRow } from './journal.ts';
import { Keeper } from './keeper.ts';
import { forkSourceOf, keptLines, mainBefore } from './kept.ts';
import { claimKey } from './keys.ts';
import { tokenOf } from './names.ts';
import type {
  ActionQuery,
  ChildOutcome,
  Entry,
  KeyStanding,
  Owner,
  Retried,
  RunSummary,
  Started,
  TaskAnswer,
  WorkflowRunsObject,
} from './object.ts';
import { Outbox } from './outbox.ts';
import { type Reachable, takeChild } from './reachable.ts';
import { actionsOf, changedActions, recordOf, wholeRecord } from './record.ts';
import { retryBy } from './retrying.ts';
import { startRun } from './starting.ts';
import { valueDigest, valueStream } from './value-stream.ts';
import type { Vault } from './vault.ts';
import { Watchers } from './watchers.ts';

/** Most actions of one page of a record. */
const TOLD_MAX = 200;
/** Milliseconds that a start waits for the end of its run. Spec: workflows.md §6. */
const AWAITED_MS = 30_000;
const ENDED = new Set(['succeeded', 'failed', 'cancelled']);

export class WorkflowRuns extends DurableObject<Bindings> implements WorkflowRunsObject {
  readonly #keeper = new Keeper(this.ctx.storage, this.env, this.ctx.id.name ?? '');
  readonly #watchers = new Watchers();
  readonly #driver: Driver = new Driver(this.ctx, this.env, this.#keeper, {
    deliver: (run) => this.#outbox.kick(run),
    changed: (row, isWritten) => this.#changed(row, isWritten),
  });
  readonly #at: Reachable = { env: this.env, driver: this.#driver };
  readonly #outbox = new Outbox(this.ctx, this.env, this.#driver, (row, effect) =>
    deliver(this.#at, row, effect),
  );
  readonly #indexer = new Indexer(this.env, this.#keeper);

  /** What seals the object's values. */
  get vault(): Vault {
    return this.#keeper.vault;
  }

  async start(owner: Owner, order: string, isAwaited: boolean | undefined): Promise<Started> {
    await this.#keeper.open(owner);
    await this.#driver.ready().then(() => this.#driver.computing.turn());
    // As the starter wrote it; a large one is read in turn.
    const read = undivided(() => JSON.parse(order) as Order);
    const isLarge = order.length >= LARGE_TEXT;
    const given = isLarge ? await this.#driver.computing.inTurn(read) : whole(read);
    const started = await startRun(this.#at, given, isAwaited);
    if (started.is !== 'started' || !started.isAwaited) return started;
    try {
      await this.#watchers.until(started.run, AWAITED_MS, () => this.#hasEnded(started.run));
      const row = this.#keeper.find(started.run);
      if (!row) throw new Error('The run could not be written');
      const { status } = row.body;
      if (!ENDED.has(status)) return { ...started, status };
      const record = wholeRecord(this.#keeper, row, this.#driver.typesOf(row));
      return { ...started, status, record };
    } finally {
      this.#keeper.release(started.run);
    }
  }

  #hasEnded(run: string): boolean {
    const row = this.#keeper.peek(run);
    return row === undefined || ENDED.has(row.body.status);
  }

  async record(run: string, query: ActionQuery): Promise<string | undefined> {
    const row = await this.#find(run);
    if (!row) return undefined;
    const keepsState = this.#driver.workflowOf(row)?.deadLetters?.includeState;
    const record = { ...recordOf(this.#keeper, row), ...(keepsState ? { keepsState } : {}) };
    const some = actionsOf(this.#keeper, row, this.#driver.typesOf(row), query);
    return JSON.stringify({ record, ...some });
  }

  async value(run: string, ref: number): Promise<string | undefined> {
    const row = await this.#find(run);
    return row && this.#keeper.vault.find(row.run, ref);
  }

  async digest(run: string, ref: number): Promise<string | undefined> {
    const row = await this.#find(run);
    return row && valueDigest(this.#keeper, row.run, ref);
  }

  async valueBytes(run: string, ref: number): Promise<ReadableStream<Uint8Array> | undefined> {
    const row = await this.#find(run);
    return row && valueStream(this.#keeper, row.run, ref);
  }

  async hasEnded(run: string, waitMs: number): Promise<boolean> {
    const has = () => this.#hasEnded(run);
    if (await this.#find(run)) await this.#watchers.until(run, waitMs, has);
    return has();
  }

  async news(run: string, after: number, waitMs: number): Promise<void> {
    const row = await this.#find(run);
    const isNew = () => (this.#keeper.find(run)?.seq ?? Number.POSITIVE_INFINITY) > after;
    if (row && !ENDED.has(row.body.status)) await this.#watchers.until(run, waitMs, isNew);
  }

  async changes(run: string, after: number): Promise<string | undefined> {
    const row = await this.#find(run);
    if (!row) return undefined;
    const some = changedActions(this.#keeper, row, this.#driver.typesOf(row), after, TOLD_MAX);
    return JSON.stringify({ record: recordOf(this.#keeper, row), ...some });
  }

  async cancel(run: string): Promise<RunSummary | 'ended' | undefined> {
    const row = await this.#find(run);
    if (!row) return undefined;
    const wasOpen = await this.#driver.act(row.run, (turn) => cancel(turn));
    if (row.body.status === 'queued' && row.head.gate) this.#outbox.kick(row.run);
    return wasOpen ? this.#standing(run) : 'ended';
  }

  async index(): Promise<void> {
    if (await this.#keeper.open()) await this.#indexer.write();
  }

  async remakeIndex(): Promise<void> {
    if (!(await this.#keeper.open())) return;
    await this.#driver.ready();
    await this.#indexer.remake();
    this.#outbox.kickAll();
  }

  async close(workflow: string): Promise<void> {
    if (!(await this.#keeper.open())) return;
    await this.#driver.ready();
    this.#keeper.writeAll();
    for (const { id } of this.#keeper.close(workflow)) await this.cancel(id);
  }

  async retry(run: string, by: string): Promise<Retried | undefined> {
    const answer = await retryBy(this.#driver, run, JSON.parse(by) as Retrier); // As retryRun wrote it.
    return answer === 'retried' ? this.#standing(run) : answer;
  }

  #standing(run: string): RunSummary | undefined {
    const row = this.#keeper.find(run);
    return row && { run, status: row.body.status };
  }

  async forkOf(run: string, from: string): Promise<string | undefined> {
    const row = await this.#find(run);
    const workflow = row && this.#driver.workflowOf(row);
    return row && workflow && forkSourceOf(this.#keeper, row, workflow, from);
  }

  async kept(run: string, from: string): Promise<ReadableStream<Uint8Array> | undefined> {
    const row = await this.#find(run);
    const workflow = row && this.#driver.workflowOf(row);
    const before = workflow && mainBefore(this.#keeper, row, workflow, from);
    return before && keptLines(this.#keeper, row, before);
  }

  async completeTask(run: string, path: string, answer: TaskAnswer): Promise<boolean> {
    const row = await this.#driver.findInTurn(run);
    if (!row) return false;
    return (await this.#driver.act(row.run, (turn) => taskEnded(turn, path, answer))) ?? false;
  }

  async callBack(token: string, run: string, path: string, text: string): Promise<boolean> {
    const row = await this.#driver.findInTurn(run);
    if (!row || ENDED.has(row.body.status)) return false;
    if (tokenOf(this.#keeper.vault, run, path) !== token) return false;
    return (await this.#driver.act(row.run, (turn) => calledBack(turn, path, text))) ?? false;
  }

  async offer(
    run: string,
    path: string,
    events: readonly { seq: number; text: string }[],
  ): Promise<number | undefined> {
    const row = await this.#driver.findInTurn(run);
    if (!row || ENDED.has(row.body.status)) return undefined;
    for (const event of events) {
      const isOver = await this.#driver.act(row.run, (turn) => eventArrived(turn, path, event));
      if (isOver ?? true) return undefined;
    }
    return events.at(-1)?.seq ?? 0;
  }

  async childEnded(run: string, path: string, child: string, outcome: ChildOutcome): Promise<void> {
    const row = await this.#driver.findInTurn(run);
    if (row) await takeChild(this.#at, row.run, path, child, outcome);
  }

  async childUndone(
    run: string,
    path: string,
    result: 'none' | 'complete' | 'partial',
  ): Promise<void> {
    const row = await this.#driver.findInTurn(run);
    if (row) await this.#driver.act(row.run, (turn) => childUndone(turn, path, result));
  }

  async undo(run: string): Promise<void> {
    const row = await this.#find(run);
    if (row) await this.#driver.act(row.run, (turn) => undo(turn));
  }

  async claim(owner: Owner, name: string, run: string, path: string): Promise<KeyStanding> {
    await this.#keeper.open(owner);
    return claimKey(this.#keeper, name, run, path, Date.now());
  }

  async settle(
    owner: Owner,
    name: string,
    run: string,
    path: string,
    as: 'done' | 'unknown' | 'free',
    text: string | undefined,
  ): Promise<void> {
    await this.#keeper.open(owner);
    await settleHere(this.#at, name, { run, path }, as, text);
  }

  async keyEnded(run: string, path: string): Promise<void> {
    const row = await this.#find(run);
    if (row) await this.#driver.act(row.run, ({ journal }) => claimAgain(journal, path));
  }

  async enter(owner: Owner, gate: string, entry: Entry, run: string): Promise<boolean> {
    await this.#keeper.open(owner);
    const isInside = enterGate(this.#keeper, gate, entry, run);
    await tellLetIn(this.#at, gate);
    return isInside;
  }

  async leave(gate: string, max: number, run: string): Promise<void> {
    if (!(await this.#keeper.open())) return;
    leaveGate(this.#keeper, gate, max, run);
    await tellLetIn(this.#at, gate);
  }

  async released(run: string): Promise<void> {
    if (await this.#driver.findInTurn(run)) await this.#driver.release(run);
  }

  wake(): Promise<void> {
    return this.alarm();
  }

  async clear(): Promise<void> {
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  override async alarm(): Promise<void> {
    if (!(await unlessForeign(this.#keeper.open(), this.#keeper.name))) return;
    await this.#driver.ready();
    removeExpired(this.#at, Date.now());
    this.#outbox.kickAll();
    await this.#indexer.tryWrite();
    await this.#driver.alarm(nextExpiry(this.#keeper));
  }

  async #find(run: string): Promise<RunRow | undefined> {
    if (!(await this.#keeper.open())) return undefined;
    await this.#driver.ready();
    return this.#keeper.find(run);
  }

  #changed({ id }: RunRow, isWritten: boolean): void {
    this.#watchers.changed(id);
    if (isWritten) this.#indexer.soon(this.#driver.later);
  }
}
