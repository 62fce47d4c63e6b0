/** What transitions of an object's runs compute: they take turns with what others ask of the thread, and are paid for. docs/heavy-work.md. */
import type { Pieces } from '../../../proto/work/pieces.ts';
import { goingOn, mayGoOn, mustWait, tookMore, wentOn } from '../../limits/heavy-work.ts';
import { msOfSteps } from '../../limits/meter.ts';
import { isAlone } from '../../limits/neighbours.ts';
import type { Keeper } from './keeper.ts';

/** Milliseconds of computing that are counted together: a transition alone takes little. */
const COUNTED_MS = 3;

export class Computing {
  readonly #keeper: Keeper;
  /** Never aborts: by it the runs of the object are known as one. */
  readonly #signal = new AbortController().signal;
  #turns = Promise.resolve();
  #uncountedMs = 0;
  /** Of what was counted, what is not looked at yet. */
  #toldMs = 0;
  /** Whether the thread was held since it was given to others. */
  #holdsThread = false;

  constructor(keeper: Keeper) {
    this.#keeper = keeper;
  }

  /** Waits until the organization may go on computing, after transitions that took long. */
  turn(): Promise<void> {
    if (!this.#holdsThread && !mustWait(this.#owner())) return Promise.resolve();
    // One of an object waits in the line of all: each that waits there looks at all others.
    this.#turns = this.#turns.then(async () => {
      await this.#giveWay();
      if (mustWait(this.#owner())) await mayGoOn(this.#owner(), true);
    });
    return this.#turns;
  }

  /** Calls that ask nothing of the outside follow each other without a pause: others are heard in between. */
  async #giveWay(): Promise<void> {
    if (!this.#holdsThread) return;
    this.#holdsThread = false;
    const toldMs = this.#toldMs;
    this.#toldMs = 0;
    const from = performance.now();
    await scheduler.wait(0);
    if (!isAlone(this.#keeper.owner.orgUuid)) tookMore(this.#owner(), from, toldMs);
  }

  /** Does long work of the object's runs, in pieces. */
  inTurn<Result>(pieces: Pieces<Result>): Promise<Result> {
    return goingOn(this.#owner(), pieces);
  }

  /** Whether what comes next is to be left to the next turn: others wait, or the thread was held for a while. */
  get mustPause(): boolean {
    return this.#holdsThread || mustWait(this.#owner());
  }

  /** Counts steps that something was computed with: what the organization computes next waits for others. */
  spent(steps: number): void {
    this.#uncountedMs += msOfSteps(steps);
    if (this.#uncountedMs < COUNTED_MS) return;
    // Where no other organization calls there is nobody to wait for.
    if (!isAlone(this.#keeper.owner.orgUuid)) wentOn(this.#owner(), this.#uncountedMs);
    this.#toldMs += this.#uncountedMs;
    this.#uncountedMs = 0;
    this.#holdsThread = true;
  }

  #owner() {
    return { caller: { orgUuid: this.#keeper.owner.orgUuid }, signal: this.#signal };
  }
}
