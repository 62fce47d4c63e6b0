/** What all rules have in common: a condition, and what happens when they fail. */
import { GatewayError } from '../../../proto/errors.ts';
import type { Json } from '../../../proto/json.ts';
import { BudgetFault, type Expression } from '../../language/expressions/index.ts';
import type { Apply, Execution, Gather, Output } from './execution.ts';
import { endOfRun, Unsent } from './failure.ts';
import { tellMoved } from './measure.ts';
import { decide, type OnError, placed } from './on-error.ts';
import type { OwnResults } from './results.ts';
import { holds } from './scope.ts';
import { put, type Target } from './target.ts';

/** What is known of a rule besides what it does. */
export interface RuleHead {
  /** Where it is in the definition. */
  readonly path: string;
  /** What its step is called. */
  readonly label: string;
  /** Loops around it. */
  readonly level: number;
  readonly condition: Expression | undefined;
  readonly onError: OnError;
  /** Where a default goes. */
  readonly target: Target | undefined;
  /** Of a template whose rules name results. */
  readonly results?: OwnResults | undefined;
}

/** Does what a rule does where its condition holds, and decides when it fails. */
export function guarded(head: RuleHead, body: Apply): Apply {
  const { condition, label, results } = head;
  return (x, output) => {
    const { trace } = x;
    const draft = trace?.begin(label);
    if (results !== undefined && isLeftOut(results, x)) return;
    const { memory } = x.budget;
    try {
      if (condition === undefined || holds(condition.run(x.slots, x.budget))) body(x, output);
      else trace?.note('its condition does not hold');
    } catch (error) {
      if (error instanceof Unsent) {
        leaveOut(results, error.message, x);
        return;
      }
      const decided = failed(head, error, x, output, memory);
      if (draft) Object.assign(draft, { note: decided, ...levelOf(head.onError) });
    }
  };
}

function levelOf({ logLevel }: OnError): { readonly logLevel?: string } {
  return logLevel === undefined ? {} : { logLevel };
}

/** Whether a rule reads a result that is not there because its request was not sent; a render is told when it sends. */
function isLeftOut(results: OwnResults, x: Execution): boolean {
  const { rounds, trace } = x;
  if (trace && results.sends !== undefined) trace.current.round = results.sends + 1;
  const missing = rounds && results.missing(rounds);
  if (missing === undefined) return false;
  leaveOut(results, `needs results.${missing}, whose request was not sent`, x);
  return true;
}

function leaveOut(
  results: OwnResults | undefined,
  why: string,
  { rounds, trace }: Execution,
): void {
  trace?.note(why);
  if (results !== undefined) rounds?.leave(results);
}

/** Answers what became of the rule, in words. @throws what ends the run */
function failed(
  head: RuleHead,
  error: unknown,
  x: Execution,
  output: Output,
  memory: number,
): string {
  const { onError, path, level, target, results } = head;
  if (endOfRun(error) !== undefined) x.endedAt ??= path;
  if (error instanceof GatewayError && onError.action === 'fail' && onError.message === undefined) {
    if (error.cause instanceof BudgetFault) throw error.cause;
    // What an endpoint answered is told as it is.
    x.refused ??= error;
    return `failed: ${error.message}`;
  }
  const decision = decide(onError, error);
  x.budget.memory = Math.max(x.budget.memory, memory);
  const words = onError.message ?? (error instanceof Error ? error.message : 'fails');
  if (decision === 'skip') return `left out, because it failed: ${words}`;
  if ('value' in decision) {
    putDefault(decision.value, target, x, output);
    if (results?.name !== undefined) x.name(results.name, decision.value);
    return `its default, because it failed: ${words}`;
  }
  x.fail(path, onError.message === undefined ? placed(decision, x, level) : decision);
  return `failed: ${words}`;
}

function putDefault(value: Json, target: Target | undefined, x: Execution, output: Output): void {
  if (target === undefined) return;
  tellMoved(value, x);
  put(target, value, x, output);
}

/** Finds nested calls where a condition holds; what fails here fails again when the rule is run. */
export function guardedGather(condition: Expression | undefined, gather: Gather): Gather {
  return (x) => {
    try {
      if (condition === undefined || holds(condition.run(x.slots, x.budget))) gather(x);
    } catch (error) {
      const end = endOfRun(error);
      if (end !== undefined) throw end;
    }
  };
}
