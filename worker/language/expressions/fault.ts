/** What can go wrong: in a source, in a run, with a budget, or by `throw`. Each says where. */

/** Where in a source: lines from 1, columns from 1. */
export interface SourcePosition {
  readonly line: number;
  readonly column: number;
  /** The function that it is in, when it is one of `functions`. */
  readonly within?: string;
}

/** What every fault of the language has in common. */
export abstract class Fault extends Error {
  readonly line: number;
  readonly column: number;
  /** The name of the function whose source the line is of; without it the expression's own. */
  readonly within: string | undefined;

  constructor(message: string, place: SourcePosition) {
    super(message);
    this.line = place.line;
    this.column = place.column;
    this.within = place.within;
  }
}

/** The source is not of the language. */
export class SyntaxFault extends Fault {
  override readonly name = 'SyntaxFault';
}

/** A value was used as what it is not, such as a number as a function. `try` catches it. */
export class RunFault extends Fault {
  override readonly name = 'RunFault';
  /** The name that JavaScript gives to such an error; `catch` sees it as `name`. */
  readonly kind: ErrorName;

  constructor(message: string, place: SourcePosition, kind: ErrorName = 'TypeError') {
    super(message, place);
    this.kind = kind;
  }
}

/** Names of errors that the language knows. */
type ErrorName = 'TypeError' | 'RangeError' | 'ReferenceError' | 'SyntaxError' | 'URIError';

/** What a budget can run out of. */
export type BudgetKind = 'fuel' | 'depth' | 'memory';

const SPENT: Readonly<Record<BudgetKind, string>> = {
  fuel: 'takes more steps than one run may take',
  depth: 'calls itself, or is nested, deeper than a run may go',
  memory: 'makes more data than one run may hold',
};

/** The run is over: `try` does not catch it. */
export class BudgetFault extends Fault {
  override readonly name = 'BudgetFault';
  readonly kind: BudgetKind;

  constructor(kind: BudgetKind, place: SourcePosition) {
    super(SPENT[kind], place);
    this.kind = kind;
  }
}

/** Longest text of a `ThrownFault`, in UTF-16 units. */
const THROWN_MAX = 1024;

/** `throw` in a source that nothing there catches. Its message is what was thrown, cut to 1,024 units. */
export class ThrownFault extends Fault {
  override readonly name = 'ThrownFault';
  /** The value thrown. */
  readonly value: unknown;

  constructor(message: string, value: unknown, place: SourcePosition) {
    super(message.slice(0, THROWN_MAX), place);
    this.value = value;
  }
}
