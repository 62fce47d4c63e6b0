/** The targets of all rules that write to one output: which of them write into what others put. */
import type { Target, TargetStep } from './target.ts';

/** Any member or element at all. */
export const ANY = Symbol('any');
/** A step as far as it is known when rules are read. */
type KnownStep = TargetStep | typeof ANY;

/** A place that rules write to. */
interface Write {
  readonly steps: readonly KnownStep[];
  /** Of a value that is not made by the run alone; undefined when it puts none. */
  readonly target: Target | undefined;
  /** Levels of what it puts that are made anew in each run. */
  readonly fresh: number;
}

/** What is written to one output. */
export class Places {
  readonly #writes: Write[] = [];
  /** Whether a first step may be an index: only then is the output not an object from the start. */
  mayBeArray = false;

  /** @param below further steps, where a rule writes into what is at its target */
  add(target: Target, below: readonly KnownStep[] = [], fresh = 0): void {
    const [first] = target.steps;
    this.mayBeArray ||= first !== undefined && isIndex(first);
    this.#writes.push({ steps: [...target.steps, ...below], target, fresh });
  }


  /** Settles how deep what is put has to be copied, once all rules are known. */
  settle(): void {
    const nested = this.#writes.filter(({ steps }) => steps.length > 1);
    for (const { steps, target, fresh } of this.#writes) {
      if (target === undefined) continue;
      for (const other of nested) {
        const deeper = other.steps.length - steps.length;
        if (deeper > fresh && steps.every((step, at) => mayBeSame(step, other.steps[at] ?? ANY))) {
          target.depth = Math.max(target.depth, deeper);
        }
      }
    }
  }
}

function isIndex(step: KnownStep): boolean {
  return (
    typeof step === 'number' ||
    (typeof step === 'object' && ('slot' in step || /^\d+$/.test(step.token)))
  );
}

function mayBeSame(one: KnownStep, other: KnownStep): boolean {
  if (one === ANY || other === ANY) return true;
  const [left, right] = [textOf(one), textOf(other)];
  if (left === undefined || right === undefined) return isIndex(one) && isIndex(other);
  return left === right;
}

function textOf(step: TargetStep): string | undefined {
  if (typeof step !== 'object') return String(step);
  return 'token' in step ? step.token : undefined;
}
