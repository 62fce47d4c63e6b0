/** The state of one run of a template. */
import { GatewayError } from '../../../proto/errors.ts';
import { type Json, type JsonObject, setMember } from '../../../proto/json.ts';
import { isMovedWithin } from '../../../proto/ordered-json.ts';
import type { Budget } from '../../language/expressions/index.ts';
import type { Fault, Run, Step } from '../compiled.ts';
import { type Reason, RunOver, TooManyFaults, Unsent } from './failure.ts';
import type { Rounds } from './results.ts';
import { RESULTS, type Slots } from './scope.ts';
import type { Searches } from './searches.ts';
import type { RenderTrace } from './trace.ts';

/** No more faults are told of one run; it ends at the next. Spec silent. */
const FAULTS_MAX = 100;

/** Where rules write: a document that grows. */
export class Output {
  /** The document, where it is an object of this run alone. */
  object: JsonObject | undefined;
  /** Any other document; undefined while there is none. */
  other: Json | undefined;

  get value(): Json | undefined {
    return this.object ?? this.other;
  }
}

/** A call of a nested template, before it is made. */
export interface NestedCall {
  readonly id: string;
  readonly input: Json;
  readonly parameters: JsonObject;
  /** Whether nothing shows its result. */
  readonly isUnseen: boolean;
  /** Number of the rule that makes it. */
  readonly rule: number;
}

/** What a nested call ended in. */
export type NestedOutcome = (
  | { readonly output: Json | undefined; readonly note?: string }
  | { readonly error: unknown }
) & {
  /** Of a render: what the nested template did. */
  readonly steps?: readonly Step[];
};

/** One run: what rules see, what is left of its bounds, and what went wrong. */
export class Execution {
  readonly run: Run;
  readonly budget: Budget;
  readonly slots: Slots;
  readonly faults: Fault[] = [];
  /** Indexes of the elements at hand, by loop. */
  readonly trail: number[] = [];
  /** Nested calls in the order in which rules come to them, then what they ended in. */
  readonly calls: NestedCall[] = [];
  readonly outcomes: NestedOutcome[] = [];
  /** The outcome that the next rule takes. */
  next = 0;
  /** Bytes of JSON that the output may still come to. */
  bytes: number;
  /** Of a render. */
  readonly trace: RenderTrace | undefined;
  /** Loops around whose `onError` decides on faults within: they are gone through to the end. */
  deciding = 0;
  /** The rule at which the run ended, where a budget was spent. */
  endedAt: string | undefined;
  /** What a request to an endpoint ended in that no rule decides. */
  refused: GatewayError | undefined;
  /** Whether the output may hold objects whose members are in an order that JavaScript does not keep. */
  isMoved: boolean;
  /** Of a run whose long searches give way to others. */
  searches: Searches | undefined;
  /** Of a template whose rules name results. */
  rounds: Rounds | undefined;

  constructor(run: Run, input: Json, parameters: JsonObject, trace?: RenderTrace) {
    this.run = run;
    this.budget = run.budget;
    this.slots = [input, parameters];
    this.bytes = run.budget.bounds.outputBytes;
    this.trace = trace;
    this.isMoved = isMovedWithin(input) || isMovedWithin(parameters);
  }

  /** Remembers how far the run is. Answers what comes back to it: then rules are run again. */
  mark(): () => void {
    const { bytes, next, deciding, endedAt, refused } = this;
    const [faults, calls] = [this.faults.length, this.calls.length];
    const others = [this.budget.mark(), this.trace?.mark(), this.searches?.mark()];
    return () => {
      Object.assign(this, { bytes, next, deciding, endedAt, refused });
      this.faults.length = faults;
      this.calls.length = calls;
      for (const goBack of others) goBack?.();
    };
  }

  /** Takes bytes from what the run may hold. @throws RunOver */
  take(bytes: number): void {
    this.budget.memory -= bytes;
    if (this.budget.memory < 0) throw new RunOver('memory');
  }

  /** Counts bytes of JSON that the output comes to. @throws RunOver */
  tell(bytes: number): void {
    this.bytes -= bytes;
    if (this.bytes < 0) throw new RunOver('memory');
  }

  /** Charges steps. @throws RunOver */
  spend(steps: number): void {
    this.budget.fuel -= steps;
    if (!(this.budget.fuel >= 0)) throw new RunOver('fuel');
  }

  /** Remembers why a rule failed. @throws TooManyFaults */
  fail(path: string, reasons: readonly Reason[]): void {
    for (const { isAuthored: _, ...reason } of reasons) {
      const isKnown = this.faults.some(
        (each) =>
          each.path === path && each.message === reason.message && each.code === reason.code,
      );
      if (isKnown || this.faults.length >= FAULTS_MAX) continue;
      this.faults.push({ path, ...reason });
      if (this.faults.length >= FAULTS_MAX && this.deciding === 0) throw new TooManyFaults();
    }
  }

  /** The outcome of the next nested call, or of a rule's next. @throws Unsent where the run ends before it is made */
  outcome(rule: number): NestedOutcome {
    const at = this.rounds === undefined ? this.next : this.rounds.take(rule);
    const outcome = at === undefined ? undefined : this.outcomes[at];
    this.next += 1;
    if (outcome !== undefined) return outcome;
    if (this.rounds?.isStopped) throw new Unsent('not sent, because a rule before it failed');
    return { error: new GatewayError('INTERNAL', 'A nested template was not run') };
  }

  /** Gives a result its name. */
  name(name: string, value: Json | undefined): void {
    const results = this.slots[RESULTS] as JsonObject; // Rules that name results run with such a slot.
    if (value === undefined) delete results[name];
    else setMember(results, name, value);
  }
}

/** What a rule does. */
export type Apply = (x: Execution, output: Output) => void;
/** Finds the nested calls that a rule is going to need. */
export type Gather = (x: Execution) => void;

/** A rule that was read. */
export interface Rule {
  readonly apply: Apply;
  /** Undefined of rules without nested templates. */
  readonly gather: Gather | undefined;
  /** Of a rule that may name its result: does that alone, and writes nothing. */
  readonly compute?: Apply;
}
