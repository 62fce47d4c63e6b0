/** Processes that are loaded and wait to stand in for parts that die: one after another, so that starts do not compete. */
import type { Log } from '../log.ts';
import type { PartProcess } from './part-process.ts';

/** Further stand-ins that wait for a while after a death, since deaths often come in groups. Spec silent. */
const MORE_AFTER_DEATH = 1;
const AFTER_DEATH_MS = 600_000;
/** Pause before the next is loaded while nothing has died: at a relay's start, other work comes first. */
const CALM_PAUSE_MS = 8_000;
/** Pause before one that could not be loaded is tried again, in milliseconds. */
const FAILED_PAUSE_MS = 100;

/** What it takes to keep them. */
interface StandInOptions {
  /** How many wait at any time; 0 for none ever. */
  readonly kept: number;
  readonly log: Pick<Log, 'info'>;
  make(): PartProcess;
  /** Whether a part waits for its process: then nothing else is loaded. */
  isPressed(): boolean;
}

/** All that wait. */
export class StandIns {
  readonly #options: StandInOptions;
  /** In the order of their start; only the last may still be loading. */
  readonly #waiting: PartProcess[] = [];
  #diedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #state: 'idle' | 'on' | 'closed' = 'idle';

  constructor(options: StandInOptions) {
    this.#options = options;
  }

  [Symbol.iterator](): Iterator<PartProcess> {
    return this.#waiting[Symbol.iterator]();
  }

  /** From now on there are some. */
  start(): void {
    if (this.#state === 'idle' && this.#options.kept > 0) this.#state = 'on';
    this.load();
  }

  /** Ends those that wait; no more are made. */
  close(): void {
    this.#state = 'closed';
    clearTimeout(this.#timer);
    for (const each of this.#waiting) each.kill('it is not needed');
  }

  /** Notes that a part has died. */
  died(now: number): void {
    this.#diedAt = now;
  }

  /** The one that has waited for longest, or is loaded first; undefined where no more than `left` are loaded. */
  take(left = 0): PartProcess | undefined {
    const loaded = this.#waiting.filter(({ isLoaded }) => isLoaded).length;
    if (left > 0 && loaded <= left) return undefined;
    return this.#waiting.shift();
  }

  /** Loads the next one, if one is wanted and the machine is not under pressure. */
  load(): void {
    clearTimeout(this.#timer);
    const isShaken = performance.now() - this.#diedAt < AFTER_DEATH_MS;
    const isLoading = this.#waiting.some(({ isLoaded }) => !isLoaded);
    const { kept } = this.#options;
    const isFull = this.#waiting.length >= (isShaken ? kept + MORE_AFTER_DEATH : kept);
    if (this.#state !== 'on' || isLoading || isFull || this.#options.isPressed()) return;
    const made = this.#options.make();
    this.#waiting.push(made);
    made.events = {
      loaded: () => {
        this.#options.log.info({ pid: made.pid }, 'relay part stands by');
        this.#loadIn(performance.now() - this.#diedAt < AFTER_DEATH_MS ? 0 : CALM_PAUSE_MS);
      },
      listening: () => {},
      asksFigures: () => {},
      ended: () => {
        const at = this.#waiting.indexOf(made);
        if (at === -1) return;
        this.#waiting.splice(at, 1);
        this.#loadIn(FAILED_PAUSE_MS);
      },
    };
  }

  #loadIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.load(), ms);
  }
}
