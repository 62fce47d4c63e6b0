/** What rules may name, known when they are read: slots that a run fills. Contract §8, "names in an expression". */
import {
  type CompiledFunctions,
  compileExpression,
  type Expression,
  isTrue,
  readsOf,
  type Value,
} from '../../language/expressions/index.ts';
import type { Report } from './report.ts';
import type { Naming } from './results.ts';

/** The values that rules see: the input, the parameters, then what loops name. */
export type Slots = Value[];

/** Slot of the whole input. */
export const INPUT = 0;
/** What expressions and paths read results of rules by. */
export const RESULTS_NAME = 'results';
/** Slot of what rules named by `as`, of a template that has such rules. */
export const RESULTS = 2;

const NAME = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
/** What loops may not call an element: it means something else in every expression. */
export const TAKEN: ReadonlySet<string> = new Set(['$', 'parameters', 'value', 'now']);

/** What a template's sources have in common. */
interface Sources {
  readonly report: Report;
  readonly functions: CompiledFunctions | undefined;
  /** Called for each expression and function that looks at the time. */
  usesNow(): void;
}

const WITHOUT_RESULTS: readonly string[] = ['$', 'parameters'];
const WITH_RESULTS: readonly string[] = [...WITHOUT_RESULTS, RESULTS_NAME];
type Loops = Pick<Scope, 'indexes' | 'level' | 'hasIndex'>;
const NONE: Loops = { indexes: [], level: 0, hasIndex: false };

/** Names and their slots at one place of a template. */
export class Scope {
  readonly names: readonly string[];
  readonly sources: Sources;
  /** Names of elements' indexes, which targets may have in brackets. */
  readonly indexes: readonly string[];
  /** Loops around. */
  readonly level: number;
  /** Whether the innermost loop names its index. */
  readonly hasIndex: boolean;
  /** Of a template whose rules name results. */
  readonly naming: Naming | undefined;

  constructor(
    sources: Sources,
    naming?: Naming,
    names: readonly string[] = naming === undefined ? WITHOUT_RESULTS : WITH_RESULTS,
    loops: Loops = NONE,
  ) {
    this.sources = sources;
    this.naming = naming;
    this.names = names;
    this.indexes = loops.indexes;
    this.level = loops.level;
    this.hasIndex = loops.hasIndex;
  }

  /** The slot of a name that is not the input's; undefined for all others. */
  slotOf(name: string): number | undefined {
    const slot = this.names.indexOf(name);
    return slot > INPUT ? slot : undefined;
  }

  /** Why a loop cannot have such a name; undefined when it can. */
  refusal(name: string): string | undefined {
    if (!NAME.test(name)) return 'must be a name, such as item: letters, digits, _ and $';
    if (TAKEN.has(name) || (this.naming !== undefined && name === RESULTS_NAME))
      return `cannot be ${name}, which means something else in expressions`;
    if (this.names.includes(name)) return `is the name of a loop around already: ${name}`;
    if (this.sources.functions?.has(name)) return `is the name of a function already: ${name}`;
    return undefined;
  }

  /** Of a scope within a loop: the slot of its element; the index has the next one. */
  get elementSlot(): number {
    return this.names.length - (this.hasIndex ? 2 : 1);
  }

  /** The scope within a loop. */
  within(element: string, index: string | undefined): Scope {
    const names = [...this.names, element, ...(index === undefined ? [] : [index])];
    const indexes = index === undefined ? this.indexes : [...this.indexes, index];
    const loops = { indexes, level: this.level + 1, hasIndex: index !== undefined };
    return new Scope(this.sources, this.naming, names, loops);
  }

  /** The same for other rules, which read and give names of results by themselves. */
  withNaming(naming: Naming | undefined): Scope {
    return new Scope(this.sources, naming, this.names, this);
  }

  /** The same without names: paths begin at the value that takes the input's place. */
  get bare(): Scope {
    return new Scope(this.sources, undefined, ['$']);
  }

  /** An expression; undefined, with a fault, when it does not parse. */
  expression(source: string, path: string, ...more: readonly string[]): Expression | undefined {
    const { report, functions } = this.sources;
    const options = { names: [...this.names, ...more], members: '$' };
    const compiled = report.try(path, () =>
      compileExpression(source, functions === undefined ? options : { ...options, functions }),
    );
    if (compiled?.usesNow) this.sources.usesNow();
    if (compiled && this.naming)
      this.naming.note(readsOf(source, [RESULTS_NAME, '$']), path, report);
    return compiled;
  }
}

/** Whether a value holds as a condition, as in JavaScript. */
export function holds(value: Value): boolean {
  return isTrue(value);
}
