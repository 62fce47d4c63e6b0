/** A run by the model: what the specification says, without anything durable. Spec: workflows.md §3, §4. */
import type { Json } from '../../../../proto/json.ts';
import type { Fate } from '../fate.ts';
import type { Definition } from '../written.ts';
import { act } from './act.ts';
import { Stop } from './clock.ts';
import { msOf, runGraph } from './containers.ts';
import { ExpressionFailed, filled } from './scope.ts';
import { type Ended, runList, toldOf } from './steps.ts';
import { Tree } from './tree.ts';
import { undoBelow } from './undo.ts';
import { World } from './world.ts';

/** What is known of a run at its end; of two that are the same everything is equal. */
export interface Told {
  readonly status: string;
  readonly output: Json | undefined;
  readonly error: Json | undefined;
  readonly compensation: string;
  readonly endedAt: number;
  /** What happened outside, in its order. */
  readonly effects: readonly string[];
  /** All actions with their status. */
  readonly actions: readonly string[];
}

/** What of a run the specification leaves open. */
interface Open {
  /** Something happened at one moment whose order nothing settles. */
  readonly isTied: boolean;
  /** Something began at one moment whose order may be another where it begins in pieces. */
  readonly isOpenInPieces: boolean;
}

/** Runs a definition. */
export async function runModel(
  definition: Definition,
  input: Json,
  fate: Fate,
): Promise<Told & Open> {
  const run = new ModelRun(new World(new Tree(definition), fate, input));
  return run.go();
}

class ModelRun {
  readonly #world: World;
  readonly #stop = new Stop();
  #reason: 'failed' | 'cancelled' | undefined;
  #output: Json | undefined;

  constructor(world: World) {
    this.#world = world;
  }

  async go(): Promise<Told & Open> {
    const { clock, fate, tree, effects, ran, before } = this.#world;
    for (const [index, { at }] of fate.events.entries())
      clock.later(at, () => this.#happened(index));
    if (fate.cancelAt !== undefined) clock.later(fate.cancelAt, () => this.#cancel());
    const { timeout } = tree.definition.executionSettings ?? {};
    const limit = timeout === undefined ? 30 * 86_400_000 : msOf(timeout);
    clock.later(limit, () => this.#fail({ code: 'TIMED_OUT', action: '' }));
    let endedAt = -1;
    let thrown: unknown;
    const whole = this.#whole().then(
      () => {
        endedAt = clock.now;
      },
      (error: unknown) => {
        thrown = error;
        endedAt = clock.now;
      },
    );
    await clock.until(() => endedAt >= 0);
    await whole;
    if (thrown !== undefined) throw thrown;
    const { undone, notUndone, isOpenInPieces } = this.#world;
    return {
      ...{ status: this.#reason ?? 'succeeded', output: this.#output, error: this.#world.error },
      compensation: notUndone > 0 ? 'partial' : undone > 0 ? 'complete' : 'none',
      ...{ endedAt, effects: [...effects].sort() },
      actions: [...before, ...ran.values()].map(({ path, status }) => `${path} ${status}`).sort(),
      isTied: clock.isTied || this.#world.isTied,
      isOpenInPieces,
    };
  }

  #happened(index: number): void {
    const [first, ...others] = this.#world.eventWaiters.filter(({ wants }) => wants(index));
    // Of two waits that began at one moment, another may be first.
    this.#world.isOpenInPieces ||= others.some(({ began }) => began === first?.began);
    first?.take(index);
  }

  #cancel(): void {
    if (this.#reason) return;
    this.#world.error = { code: 'CANCELLED', action: '' };
    this.#reason = 'cancelled';
    this.#stop.stop();
  }

  #fail(failure: Parameters<typeof toldOf>[0]): void {
    if (this.#reason) return;
    this.#world.error = toldOf(failure);
    this.#reason = 'failed';
    this.#stop.stop();
  }

  async #whole(): Promise<void> {
    const { isGraph } = this.#world.tree;
    await (isGraph ? this.#graph() : this.#list());
    if (!this.#reason) await Promise.race([this.#beside(), this.#stopped()]);
    if (!this.#reason) return;
    this.#output = undefined;
    await undoBelow(this.#world, act, { below: '', error: this.#world.error });
    await this.#beside();
  }

  /** What runs alongside has ended. */
  async #beside(): Promise<void> {
    const { escalations } = this.#world;
    for (let count = -1; count !== escalations.length; ) {
      count = escalations.length;
      await Promise.all(escalations);
    }
  }

  #stopped(): Promise<void> {
    return new Promise((resolve) => {
      this.#stop.listen(resolve);
    });
  }

  async #list(): Promise<void> {
    const world = this.#world;
    const { actions } = world.tree.definition;
    const at = { frame: '', env: new Map(), stop: this.#stop };
    let from: string | undefined;
    for (;;) {
      const ended = await runList(world, actions, at, from === undefined ? { act } : { act, from });
      if (ended.is !== 'failed') {
        if (ended.is === 'done') this.#ends(() => ended.output);
        return;
      }
      if (ended.route === undefined || this.#stop.isStopped) {
        this.#fail(ended.failure);
        return;
      }
      world.routed = toldOf(ended.failure);
      from = ended.route;
    }
  }

  async #graph(): Promise<void> {
    const { actions } = this.#world.tree.definition;
    const at = { frame: '', env: new Map(), stop: this.#stop };
    const onFailure = ({ failure }: Extract<Ended, { is: 'failed' }>, where: string) => {
      this.#world.noteTies('', where);
      this.#fail(failure);
    };
    const ends = await runGraph(this.#world, actions, at, { act, onFailure });
    if (this.#reason || [...ends.values()].some(({ is }) => is !== 'done')) return;
    const followed = new Set(actions.flatMap(({ after = [] }) => after));
    this.#ends(() =>
      Object.fromEntries(
        [...ends].flatMap(([id, ended]) =>
          followed.has(id) || ended.is !== 'done' ? [] : [[id, ended.output ?? null]],
        ),
      ),
    );
  }

  /** The main line has ended: the run has its output. */
  #ends(last: () => Json | undefined): void {
    const { output } = this.#world.tree.definition;
    try {
      this.#output =
        output === undefined ? last() : filled(this.#world, output, { env: new Map() });
    } catch (thrown) {
      if (!(thrown instanceof ExpressionFailed)) throw thrown;
      this.#fail({ code: 'EXPRESSION_FAILED', action: '' });
    }
  }
}
