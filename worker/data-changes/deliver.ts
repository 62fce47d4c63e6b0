/** Fires what waits in lanes: the first of each, many lanes at a time, and again until it was done. Spec: workflows.md §5, `dataChange`. */
import { loggedFault } from '../db/fault.ts';
import { readInTurn } from '../limits/heavy-work.ts';
import { log } from '../log.ts';
import { failureOf } from '../outcome.ts';
import { unsealBytes } from '../secrets/seal.ts';
import { objectNameOf } from '../workflows/runs/names.ts';
import { type Fired, fire } from '../workflows/triggers/start.ts';
import { sealedRoot, toldOf } from './change.ts';
import type { TriggerError } from './changes-store.ts';
import { ADDRESS, type ChangesContext, sealingOf } from './context.ts';
import type { BlockedLane, LaneHead } from './lanes.ts';
import { noteFailure, tellFailure } from './match.ts';
import type { WatchingTrigger } from './store.ts';

/** Changes that are fired at a time, and the bytes that they may have together. */
const AT_ONCE = { changes: 16, bytes: 16 * 1024 * 1024 };
/** Runs whose end is waited for at a time, and milliseconds before each is asked for again. */
const WAITED = { runs: 64, ms: 20_000 };
/** Milliseconds after which what failed is tried again: doubled each time. */
const AGAIN = { first: 500, most: 60_000 };
/** Runs that one key may start in a minute. Spec: workflows.md §5 */
const STARTS_MAX = 100;
const ENDED = ['succeeded', 'failed', 'cancelled'];
const decoder = new TextDecoder();

/** What it is told, and asked. */
interface Listener {
  /** A trigger as it is in force; undefined where it is none any more. */
  trigger(workflow: string, index: number): WatchingTrigger | undefined;
  /** There is room again. */
  hasFired(): void;
}

export class Deliveries {
  readonly #around: ChangesContext;
  readonly #listener: Listener;
  /** Lanes that are being fired, with the bytes of each. */
  readonly #busy = new Map<string, number>();
  /** Lanes whose runs' ends are waited for. */
  readonly #waited = new Set<string>();

  constructor(around: ChangesContext, listener: Listener) {
    this.#around = around;
    this.#listener = listener;
  }

  /** Fires what may be fired, and has the object woken for the rest. */
  kick(): void {
    const { lanes, kept } = this.#around;
    // What was under way when everything was forgotten comes to its end here, too.
    if (!kept.isOpen) return;
    const now = Date.now();
    // Those that are under way are among the first.
    for (const head of lanes.due(now, AT_ONCE.changes + this.#busy.size)) {
      if (this.#busy.size >= AT_ONCE.changes) break;
      if (!this.#busy.has(head.lane) && this.#fits(head)) this.#begin(head);
    }
    for (const waiting of lanes.waiting(now, WAITED.runs + this.#waited.size)) {
      if (this.#waited.size >= WAITED.runs) break;
      if (!this.#waited.has(waiting.lane)) this.#await(waiting);
    }
    const next = lanes.nextAt(now);
    if (next !== undefined) this.#around.arm(next);
  }

  #fits({ bytes }: LaneHead): boolean {
    let busy = bytes;
    for (const each of this.#busy.values()) busy += each;
    return this.#busy.size === 0 || busy <= AT_ONCE.bytes;
  }

  #begin(head: LaneHead): void {
    this.#busy.set(head.lane, head.bytes);
    const work = this.#fire(head)
      .catch((thrown: unknown) => this.#putOff(head, thrown))
      .finally(() => {
        this.#busy.delete(head.lane);
        this.#listener.hasFired();
        this.kick();
      });
    this.#around.later(work);
  }

  async #fire(head: LaneHead): Promise<void> {
    const { lanes, env } = this.#around;
    const { lane, seq, workflow, index } = head;
    const trigger = this.#listener.trigger(workflow, index);
    if (trigger === undefined) {
      this.#around.atOnce(() => lanes.dropTrigger(workflow, index));
      return;
    }
    if (lanes.startsOf(head, Date.now()) >= STARTS_MAX) {
      this.#pause(trigger);
      return;
    }
    const opened = await unsealBytes(sealingOf(this.#around), lanes.bodyOf(seq));
    const of = { caller: { orgUuid: this.#around.owner().orgUuid } };
    const root = await readInTurn(of, opened.byteLength, sealedRoot(decoder.decode(opened)));
    const later = (work: Promise<unknown>) => this.#around.later(work);
    const { workflow: uuid, workflowId: id, version, ordered } = trigger;
    const fired = await fire({ env, later }, this.#around.owner(), {
      workflow: { uuid, id, version },
      index,
      type: 'dataChange',
      id: head.id,
      name: String(root.id),
      root,
      told: toldOf(root),
      chain: 1,
      requestId: crypto.randomUUID(),
      address: ADDRESS,
    });
    if (fired.is === 'no-room') {
      noteFailure(this.#around, trigger, NO_ROOM);
      throw new Error('There is no room for a run that a change is to start');
    }
    this.#around.atOnce(() => {
      this.#note(head, fired);
      const run = ordered ? runUnderWay(fired) : undefined;
      if (run === undefined) lanes.done(lane, seq);
      else lanes.waitFor(lane, run);
      this.#eased(head);
    });
  }

  #note(head: LaneHead, fired: Fired): void {
    const { kept, lanes } = this.#around;
    const { workflow, index } = head;
    if (fired.is === 'filtered' || fired.is === 'gone') return;
    const now = Date.now();
    lanes.started(head, now);
    kept.started(workflow, index, now);
    const error = fired.is === 'failed' ? faultOf(fired) : undefined;
    kept.fail(workflow, index, error);
  }

  /** A key has started as many runs as it may: perhaps the workflow changes what it watches. */
  #pause(trigger: WatchingTrigger): void {
    const { kept, lanes, atOnce } = this.#around;
    const { workflow, index } = trigger;
    atOnce(() => {
      if (kept.pause(workflow, index, STORM)) tellFailure({ kept }, trigger, STORM);
      lanes.dropTrigger(workflow, index);
    });
    this.#around.arm(Date.now());
  }

  /** Nothing keeps the trigger from its changes, unless another of its lanes is tried again. */
  #eased({ workflow, index }: Pick<LaneHead, 'workflow' | 'index'>): void {
    const { kept, lanes } = this.#around;
    if (!lanes.isRetried(workflow, index)) kept.trouble(workflow, index, undefined);
  }

  #putOff({ lane, tries, workflow, index }: LaneHead, thrown: unknown): void {
    const wait = againAfter(tries);
    const { code, message } = failureOf(thrown);
    this.#around.atOnce(() => {
      this.#around.lanes.putOff(lane, Date.now() + wait);
      this.#around.kept.trouble(workflow, index, { code, message });
    });
    const told = { workflow, trigger: index, in_ms: wait, ...loggedFault(thrown) };
    log('warn', 'a change is fired again', told);
  }

  #await(waiting: BlockedLane): void {
    this.#waited.add(waiting.lane);
    const work = this.#awaitEnd(waiting)
      .catch(async (thrown: unknown) => {
        log('warn', 'the end of a run is asked for again', loggedFault(thrown));
        await scheduler.wait(AGAIN.first);
      })
      .finally(() => {
        this.#waited.delete(waiting.lane);
        this.#listener.hasFired();
        this.kick();
      });
    this.#around.later(work);
  }

  /** Waits at first, so that runs that are short follow at once; then asks now and then, so that a run that waits costs nothing. */
  async #awaitEnd({ lane, seq, run, tries }: BlockedLane): Promise<void> {
    const { env, lanes, atOnce } = this.#around;
    const { orgUuid } = this.#around.owner();
    const object = env.WORKFLOW_RUNS.getByName(objectNameOf(orgUuid, run));
    const waitMs = tries === 0 ? WAITED.ms : 0;
    if (await object.hasEnded(run, waitMs)) atOnce(() => lanes.done(lane, seq));
    else lanes.putOff(lane, Date.now() + againAfter(tries));
  }
}

function againAfter(tries: number): number {
  return Math.min(AGAIN.most, AGAIN.first * 2 ** tries);
}

const NO_ROOM: TriggerError = {
  code: 'QUOTA_EXCEEDED',
  message: "The organization's storage is used up: changes wait until there is room",
};
const STORM: TriggerError = {
  code: 'RATE_LIMITED',
  message: `One key has started more than ${STARTS_MAX} runs in a minute: perhaps the workflow changes what it watches. Set its status to active to begin again`,
};

function faultOf({ code, faults }: Extract<Fired, { is: 'failed' }>): TriggerError {
  const message = faults.map(({ path, message: told }) => `${path}: ${told}`).join('; ');
  return { code, message };
}

/** The run that the next of an ordered lane waits for. */
function runUnderWay(fired: Fired): string | undefined {
  if (fired.is !== 'started' && fired.is !== 'known') return undefined;
  return ENDED.includes(fired.status) ? undefined : fired.run;
}
