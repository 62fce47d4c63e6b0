/** Why a rule fails while it runs, and how that is told. Contract §8, §13. */
import { GatewayError } from '../../../proto/errors.ts';
import {
  BudgetFault,
  type BudgetKind,
  Fault as SourceFault,
  ThrownFault,
} from '../../language/expressions/index.ts';
import type { Fault } from '../compiled.ts';

/** What is wrong, before it is known where. */
export type Reason = Omit<Fault, 'path'> & {
  /** The template's author wrote the message: nothing is put to it. */
  readonly isAuthored?: boolean;
};

/** Longest text of ours around others' in a fault, in UTF-16 units. Contract §13. */
const TEXT_MAX = 1024;

/** A rule cannot give its value: `onError` decides what happens then. */
export class RuleFault extends Error {
  override readonly name = 'RuleFault';
  readonly reasons: readonly Reason[];

  constructor(reasons: readonly Reason[] | string) {
    const all = typeof reasons === 'string' ? [{ message: reasons }] : reasons;
    super(all[0]?.message ?? 'fails');
    this.reasons = all;
  }
}

/** What a rule needs was not asked for, because nothing is sent in a render: it leaves its target out. */
export class Unsent extends Error {
  override readonly name = 'Unsent';
}

/** A budget of the whole run is spent by what rules do besides expressions. */
export class RunOver extends BudgetFault {
  constructor(kind: BudgetKind) {
    super(kind, { line: 1, column: 1 });
  }
}

/** There are too many faults for more of them to help. */
export class TooManyFaults extends Error {
  override readonly name = 'TooManyFaults';
}

/** What ends a run whatever its rules say; undefined for what `onError` decides. */
export function endOfRun(error: unknown): unknown {
  if (error instanceof RangeError) return new RunOver('depth'); // The host's stack.
  if (error instanceof GatewayError) {
    return error.cause instanceof BudgetFault ? error.cause : undefined;
  }
  if (error instanceof BudgetFault) return error;
  return error instanceof RuleFault || error instanceof SourceFault ? undefined : error;
}

/** Why a rule failed, in the order in which it was found. */
export function reasonsOf(error: unknown): readonly Reason[] {
  if (error instanceof RuleFault) return error.reasons;
  if (error instanceof RunOver) return [{ message: `the run ${error.message}` }];
  if (error instanceof SourceFault) return [reasonOf(error)];
  return [{ message: error instanceof GatewayError ? error.message : 'fails' }];
}

function reasonOf(fault: SourceFault): Reason {
  const { message, line, column, within } = fault;
  if (fault instanceof ThrownFault)
    return { message: cut(message), line, column, isAuthored: true };
  const text = within === undefined ? message : `in ${within}: ${message}`;
  return { message: cut(text), line, column };
}

/** A text of bounded length. */
export function cut(text: string): string {
  return text.length <= TEXT_MAX ? text : text.slice(0, TEXT_MAX);
}
