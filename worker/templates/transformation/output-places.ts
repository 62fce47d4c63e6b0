/** The targets of all rules that write to one output: which of them write into what others put. */
import { Pace, type Pieces } from '../../../proto/work/pieces.ts';
import { indexOf } from '../../language/paths/step.ts';
import type { Target, TargetStep } from './target.ts';

/** Any member or element at all. */
export const ANY = Symbol('any');
/** A step as far as it is known when rules are read. */
type KnownStep = TargetStep | typeof ANY;

/** Steps that are gone through between two pauses. */
const STEPS_OF_A_PIECE = 4_096;
/** More than there are different steps in a definition, and so few that a place and a step are one exact number. */
const PATTERNS_MAX = 2 ** 24;

/** A place that rules write to. */
interface Write {
  readonly steps: readonly KnownStep[];
  readonly target: Target;
  /** Levels of what it puts that are made again in each run. */
  readonly fresh: number;
}

/** What is written to one output. */
export class Places {
  readonly #writes: Write[] = [];
  /** Whether a first step may be an index: only then is the output not an object from the start. */
  mayBeArray = false;

  /**
   * @param below further steps, where a rule writes into what is at its target
   * @param fresh levels of what it puts that are made again in each run
   */
  add(target: Target, below: readonly KnownStep[] = [], fresh = 0): void {
    const steps = [...target.steps, ...below];
    this.mayBeArray ||= target.steps.length > 0 && stepPattern(steps[0] ?? '') === INDEX;
    this.#writes.push({ steps, target, fresh });
  }

  /** Settles how deep what is put has to be copied, once all rules are known; in pieces. */
  *settle(): Pieces<void> {
    const pace = new Pace(STEPS_OF_A_PIECE);
    const reaches = new Reaches();
    for (const { steps } of this.#writes) {
      reaches.note(steps);
      if (pace.isOver(1 + steps.length)) yield;
    }
    for (const { steps, target, fresh } of this.#writes) {
      const deeper = reaches.of(steps) - steps.length;
      if (deeper > fresh) target.depth = Math.max(target.depth, deeper);
      if (pace.isOver(1 + steps.length)) yield;
    }
  }
}

/** Below which places rules write, and how deep. Places have numbers: to spell them all out takes the square of their steps. */
class Reaches {
  readonly #patterns = new Map<string, number>();
  /** By the place above and the step, as one number. */
  readonly #places = new Map<number, number>();
  /** By place; the first is the output itself. */
  readonly #deepest = [0];
  /** By place, the same of what is at any step below. */
  readonly #deepestBelow = [0];

  /** Notes all places above the last step of a rule that writes there. */
  note(steps: readonly KnownStep[]): void {
    const { length } = steps;
    let place = 0;
    this.#deepen(this.#deepest, place, length);
    for (let at = 0; at < length - 1; at += 1) {
      this.#deepen(this.#deepestBelow, place, length);
      place = this.#below(place, steps[at] ?? ANY);
      this.#deepen(this.#deepest, place, length);
    }
  }

  /** How deep a rule writes below a place; 0 where none does. */
  of(steps: readonly KnownStep[]): number {
    let place: number | undefined = 0;
    let deepest = this.#deepest[0] ?? 0;
    for (const step of steps) {
      const any: number =
        step === ANY && place !== undefined ? (this.#deepestBelow[place] ?? 0) : 0;
      place = place === undefined ? undefined : this.#places.get(this.#keyOf(place, step));
      deepest = Math.max(any, place === undefined ? 0 : (this.#deepest[place] ?? 0));
    }
    return deepest;
  }

  #below(place: number, step: KnownStep): number {
    const key = this.#keyOf(place, step);
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const made = this.#deepest.push(0) - 1;
    this.#deepestBelow.push(0);
    this.#places.set(key, made);
    return made;
  }

  #keyOf(place: number, step: KnownStep): number {
    const pattern = stepPattern(step);
    const known = this.#patterns.get(pattern) ?? this.#patterns.size;
    this.#patterns.set(pattern, known);
    return place * PATTERNS_MAX + known;
  }

  #deepen(deepest: number[], place: number, to: number): void {
    deepest[place] = Math.max(deepest[place] ?? 0, to);
  }
}

const INDEX = '[]';

/** The same for steps that may lead to the same place. */
function stepPattern(step: KnownStep): string {
  if (step === ANY) return '.*';
  const name = typeof step === 'object' && 'token' in step ? step.token : step;
  if (typeof name !== 'string' || indexOf(name) >= 0) return INDEX;
  return JSON.stringify(name);
}
