/** What sources become, and what is known while they do. */
import type * as acorn from 'acorn';
import type { Budget } from '../budget.ts';
import { type SourcePosition, SyntaxFault } from '../fault.ts';
import { type FunctionNode, placeOf } from '../parse.ts';
import type { Callable, Value } from '../value.ts';
import type { Analysis } from './analysis.ts';

/** A variable that functions share. */
export class Box {
  value: Value;

  constructor(value: Value) {
    this.value = value;
  }
}

/** In the place of a value: the variable is not ready. No program can hold it. */
export const UNSET: Value = Object.freeze({ unset: true });

/** Slots of one call: values, and boxes where functions share a variable. */
export type Frame = (Value | Box)[];

/** A compiled expression. */
export type Code = (frame: Frame, budget: Budget) => Value;

/** How a statement ended. */
export const [NORMAL, BREAK, CONTINUE, RETURN] = [0, 1, 2, 3] as const;
export type Completion = typeof NORMAL | typeof BREAK | typeof CONTINUE | typeof RETURN;

/** A compiled statement. */
export type Step = (frame: Frame, budget: Budget) => Completion;

/** What is charged at once when control enters: all that may run before the next such charge. */
export class Toll {
  steps = 0;
  bytes = 0;

  /** @throws BudgetFault */
  pay(budget: Budget): void {
    budget.fuel -= this.steps;
    budget.memory -= this.bytes;
    if (!(budget.fuel >= 0 && budget.memory >= 0)) budget.exhausted();
  }
}

/** A function that others name before it may exist. */
export interface FunctionSlot {
  callable: Callable | undefined;
}

/** What a source may name that is not its own. */
interface OuterNames {
  readonly functions: ReadonlyMap<string, FunctionSlot>;
}

/** What a call takes besides what it runs. */
const CALL_STEPS = 4;

/** What compiles nodes of any kind. A kind's own file reaches the others through its context. */
export interface Compilers {
  expression(node: acorn.Node, context: Context): Code;
  statement(node: acorn.Node, context: Context, labels: readonly string[]): Step;
  functionValue(node: FunctionNode, context: Context): (frame: Frame) => Callable;
}

/** The state of one compilation. */
export class Context {
  readonly analysis: Analysis;
  readonly outside: OuterNames;
  readonly within: string | undefined;
  toll = new Toll();
  /** Closures within each other at most, of the function at hand. */
  height = 0;
  /** Instructions of the regular expressions so far. */
  patternSteps = 0;
  usesNow = false;
  /** Whether anything made by the program may be changed by it. */
  mutates = false;
  /** Functions of outside that are named. */
  readonly named = new Set<string>();
  #level = 0;
  readonly #constants = new Map<Code, Value>();
  readonly #compilers: Compilers;

  constructor(
    compilers: Compilers,
    analysis: Analysis,
    outside: OuterNames,
    within: string | undefined,
  ) {
    this.#compilers = compilers;
    this.analysis = analysis;
    this.outside = outside;
    this.within = within;
  }

  /** Compiles any expression. @throws SyntaxFault */
  expression(node: acorn.Node): Code {
    return this.#compilers.expression(node, this);
  }

  /** Compiles any statement. @throws SyntaxFault */
  statement(node: acorn.Node, labels: readonly string[] = []): Step {
    return this.#compilers.statement(node, this, labels);
  }

  /** Compiles a function. @throws SyntaxFault */
  functionValue(node: FunctionNode): (frame: Frame) => Callable {
    return this.#compilers.functionValue(node, this);
  }

  place(node: acorn.Node): SourcePosition {
    return placeOf(node, this.within);
  }

  fault(node: acorn.Node, message: string): SyntaxFault {
    return new SyntaxFault(message, this.place(node));
  }

  /** Code that is always one value. */
  constant(value: Value): Code {
    const code: Code = () => value;
    this.#constants.set(code, value);
    return code;
  }

  isConstant(code: Code): boolean {
    return this.#constants.has(code);
  }

  constantOf(code: Code): Value {
    return this.#constants.get(code);
  }

  /** Makes what is one level further within. */
  deeper<Made>(make: () => Made): Made {
    this.toll.steps += 1;
    this.#level += 1;
    this.height = Math.max(this.height, this.#level);
    const made = make();
    this.#level -= 1;
    return made;
  }

  /** Makes what is entered again and again, with a toll of its own that begins at so many steps. */
  tolled<Made>(steps: number, make: () => Made): { readonly made: Made; readonly toll: Toll } {
    const outer = this.toll;
    const toll = new Toll();
    toll.steps = steps;
    this.toll = toll;
    const made = make();
    this.toll = outer;
    return { made, toll };
  }

  /** Makes a function's inside: its own toll and its own height. */
  inner<Made>(make: () => Made): {
    readonly made: Made;
    readonly toll: Toll;
    readonly height: number;
  } {
    const [level, height] = [this.#level, this.height];
    this.#level = 0;
    this.height = 0;
    const { made, toll } = this.tolled(CALL_STEPS, make);
    const inside = this.height;
    this.#level = level;
    this.height = height;
    return { made, toll, height: inside };
  }
}

const HINTS: Readonly<Record<string, string>> = {
  ThisExpression: 'this',
  ClassExpression: 'a class',
  ClassDeclaration: 'a class',
  TaggedTemplateExpression: 'a tagged template',
  AwaitExpression: 'await',
  YieldExpression: 'yield',
  ImportExpression: 'import',
  MetaProperty: 'import.meta and new.target',
  Super: 'super',
  DebuggerStatement: 'debugger',
  WithStatement: 'with',
  ImportDeclaration: 'import',
  ExportNamedDeclaration: 'export',
  ExportDefaultDeclaration: 'export',
  ExportAllDeclaration: 'export',
  PrivateIdentifier: 'a private name',
};

/** The fault of a node that is not of the language. */
export function notOfTheLanguage(node: acorn.Node, context: Context): Error {
  return context.fault(node, `${HINTS[node.type] ?? node.type} is not part of the language`);
}
