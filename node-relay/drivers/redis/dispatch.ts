/** Sends commands to the nodes of a cluster that serve their keys, and follows keys that have moved. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisCommand } from '../../../kinds/redis/command.ts';
import { ReplyError, type ReplyValue } from '../../../kinds/redis/reply-value.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { joinOf } from './fan-out.ts';
import type { SendBounds } from './link.ts';
import { isUnreached } from './login.ts';
import { canonical, slotOfCommand } from './routing.ts';
import { scanReplyOf, scanStepOf } from './scan.ts';
import type { Address } from './settings.ts';
import { type Redirection, redirectionOf, type SlotMap } from './slot-map.ts';

/** Times that a command follows its key. Source: usual clients have 5 to 16. */
const REDIRECTIONS_MAX = 16;
/** Milliseconds that commands wait for a cluster in which a master is replaced; their deadline may be sooner. Spec silent. */
const PATIENCE_MS = 10_000;
const PAUSE_MIN_MS = 20;
const PAUSE_MAX_MS = 500;

/** What a dispatch needs of its cluster. */
export interface Reach {
  map(signal: AbortSignal): Promise<SlotMap>;
  /** Asks the cluster again what it looks like. */
  refresh(signal: AbortSignal): Promise<void>;
  moved(redirection: Redirection): void;
  /** Where reads and writes of a slot go; of no slot in particular without one. */
  place(
    map: SlotMap,
    slot: number | undefined,
    sending: SendBounds,
    attempt: number,
  ): ClusterNode | undefined;
  /** A node that another has named. */
  at(address: Address): ClusterNode;
}

/** A node as one sends to it. */
export interface ClusterNode {
  readonly address: Address;
  readonly name: string;
  send(commands: readonly RedisCommand[], sending: SendBounds): Promise<readonly ReplyValue[]>;
}

/** A command on its way to its reply. */
interface Step {
  readonly command: RedisCommand;
  /** Its key's slot, or the one whose master is meant. */
  readonly slot: number | undefined;
  /** Where it has to go, whatever the map says. */
  redirection: Redirection | undefined;
  reply: ReplyValue | undefined;
  redirected: number;
}

const ASKING: RedisCommand = { type: 'asking', args: [] };

/** One caller's commands. */
export class Dispatch {
  readonly #reach: Reach;
  readonly #sending: SendBounds;
  readonly #until = performance.now() + PATIENCE_MS;
  #attempt = 0;

  constructor(reach: Reach, sending: SendBounds) {
    this.#reach = reach;
    this.#sending = sending;
  }

  /** One reply for each command. Commands to one node keep their order; those to several do not wait for each other. */
  async run(commands: readonly RedisCommand[]): Promise<readonly ReplyValue[]> {
    const map = await this.#reach.map(this.#sending.signal);
    const plans = commands.map((command) => planOf(command, map));
    const steps = plans.flatMap((plan) => plan.steps);
    try {
      await this.#runSteps(steps);
    } catch (error) {
      throw this.#failureOf(error, steps);
    }
    return plans.map((plan) => plan.reply());
  }

  async #runSteps(steps: readonly Step[]): Promise<void> {
    for (;;) {
      const open = steps.filter((step) => step.reply === undefined);
      if (open.length === 0) return;
      const map = await this.#reach.map(this.#sending.signal);
      const isHeldUp = await this.#sendOut(open, map);
      this.#attempt += 1;
      if (!isHeldUp) continue;
      const pause = Math.min(PAUSE_MIN_MS * 2 ** this.#attempt, PAUSE_MAX_MS);
      await sleep(pause, undefined, { signal: this.#sending.signal }).catch(() => {
        this.#sending.signal.throwIfAborted();
      });
      await this.#reach.refresh(this.#sending.signal);
    }
  }

  /** Sends each node its commands; answers whether the cluster has to be waited for. */
  async #sendOut(open: readonly Step[], map: SlotMap): Promise<boolean> {
    const groups = new Map<string, { place: ClusterNode; steps: Step[] }>();
    let isHeldUp = false;
    for (const step of open) {
      const place = this.#placeOf(step, map);
      if (!place) {
        isHeldUp = true;
        this.#unserved(step);
        continue;
      }
      const group = groups.get(place.name);
      if (group) group.steps.push(step);
      else groups.set(place.name, { place, steps: [step] });
    }
    const outcomes = await Promise.allSettled(
      groups.values().map(({ place, steps }) => this.#sendTo(place, steps)),
    );
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') throw outcome.reason;
      isHeldUp ||= outcome.value;
    }
    return isHeldUp;
  }

  #placeOf({ slot, redirection }: Step, map: SlotMap): ClusterNode | undefined {
    if (redirection) return this.#reach.at(redirection.address);
    return this.#reach.place(map, slot, this.#sending, this.#attempt);
  }

  #unserved(step: Step): void {
    if (this.#isPatient()) return;
    step.reply = new ReplyError('CLUSTERDOWN Hash slot not served');
  }

  /** Answers whether the node, or the cluster, has to be waited for. */
  async #sendTo(place: ClusterNode, steps: readonly Step[]): Promise<boolean> {
    const isAsking = (step: Step) => step.redirection?.kind === 'ask';
    const commands = steps.flatMap((step) =>
      isAsking(step) ? [ASKING, step.command] : [step.command],
    );
    let replies: readonly ReplyValue[];
    try {
      replies = await place.send(commands, this.#sending);
    } catch (error) {
      if (!isUnreached(error) || !this.#isPatient()) throw error;
      for (const step of steps) step.redirection = undefined;
      return true;
    }
    let at = 0;
    let isHeldUp = false;
    for (const step of steps) {
      if (isAsking(step)) at += 1;
      const reply = replies[at] ?? null;
      at += 1;
      isHeldUp = this.#take(step, reply, place) || isHeldUp;
    }
    return isHeldUp;
  }

  /** Takes a reply, or leaves the step open to go elsewhere; answers whether it has to wait for that. */
  #take(step: Step, reply: ReplyValue, { address }: ClusterNode): boolean {
    const redirection = redirectionOf(reply, address);
    step.redirection = redirection;
    if (redirection) {
      step.redirected += 1;
      if (redirection.kind === 'moved') this.#reach.moved(redirection);
      if (step.redirected <= REDIRECTIONS_MAX) return step.redirected > 2;
      step.reply = new ReplyError('CLUSTERDOWN The key moves all the time');
      return false;
    }
    if (isPassing(reply) && this.#isPatient()) return true;
    step.reply = reply;
    return false;
  }

  #isPatient(): boolean {
    return performance.now() < this.#until && !this.#sending.signal.aborted;
  }

  /** A write that one node has done its part of is neither done nor undone. */
  #failureOf(error: unknown, steps: readonly Step[]): unknown {
    const isDone = ({ reply }: Step) => reply !== undefined && !(reply instanceof ReplyError);
    if (this.#sending.mode === 'read' || !steps.some(isDone)) return error;
    if (error instanceof GatewayError && error.code === 'RESULT_TOO_LARGE') return error;
    return new GatewayError(
      'OUTCOME_UNKNOWN',
      'Some nodes of the cluster have done their part of the write',
      { cause: error },
    );
  }
}

/** Refusals that end when the cluster has settled; the command was not run. */
function isPassing(reply: ReplyValue): boolean {
  return (
    reply instanceof ReplyError &&
    (reply.code === 'TRYAGAIN' || reply.code === 'CLUSTERDOWN' || reply.code === 'MASTERDOWN')
  );
}

/** A command's steps, and what its reply is made of. */
interface CommandPlan {
  readonly steps: readonly Step[];
  reply(): ReplyValue;
}

function planOf(command: RedisCommand, map: SlotMap): CommandPlan {
  const join = joinOf(canonical(command).type);
  if (join) {
    const steps = map.masters().map(({ slot }) => stepOf(command, slot));
    return { steps, reply: () => join(steps.map((step) => step.reply ?? null)) };
  }
  const scan = scanStepOf(command);
  const step = scan ? stepOf(scan.command, scan.slot) : stepOf(command, slotOfCommand(command));
  const reply = (): ReplyValue => {
    const own = step.reply ?? null;
    return scan ? scanReplyOf(own, scan.slot, map) : own;
  };
  return { steps: [step], reply };
}

function stepOf(command: RedisCommand, slot: number | undefined): Step {
  return { command, slot, redirection: undefined, reply: undefined, redirected: 0 };
}
