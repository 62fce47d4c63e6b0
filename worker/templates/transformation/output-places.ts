/** The targets of all rules that write to one output: which of them write into what others put. */
import { indexOf } from '../../language/paths/step.ts';
import type { Target, TargetStep } from './target.ts';

/** Any member or element at all. */
export const ANY = Symbol('any');
/** A step as far as it is known when rules are read. */
type KnownStep = TargetStep | typeof ANY;

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

  /** Settles how deep what is put has to be copied, once all rules are known. */
  settle(): void {
    const reach = new Map<string, number>();
    for (const { steps } of this.#writes) noteReach(steps, reach);
    for (const { steps, target, fresh } of this.#writes) {
      const deepest = reach.get(steps.map(stepPattern).join('')) ?? 0;
      const deeper = deepest - steps.length;
      if (deeper > fresh) target.depth = Math.max(target.depth, deeper);
    }
  }
}

/** Notes below which places a rule writes, and how deep. */
function noteReach(steps: readonly KnownStep[], reach: Map<string, number>): void {
  let prefix = '';
  const note = (place: string) => {
    reach.set(place, Math.max(reach.get(place) ?? 0, steps.length));
  };
  note(prefix);
  for (const step of steps.slice(0, -1)) {
    note(prefix + stepPattern(ANY));
    prefix += stepPattern(step);
    note(prefix);
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
