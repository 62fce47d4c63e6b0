/** Compiles functions that see each other. */
import type { Budget } from './budget.ts';
import { Analysis } from './compile/analysis.ts';
import { Context, type FunctionSlot } from './compile/code.ts';
import { COMPILERS } from './compile/compilers.ts';
import { Block, Layout } from './compile/variable.ts';
import { RunFault, SyntaxFault } from './fault.ts';
import type { CompiledFunctions } from './language.ts';
import { type FunctionNode, parseFunction } from './parse.ts';
import { running } from './run.ts';
import type { Callable, Value } from './value.ts';

const NAME = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

/**
 * Compiles functions by name. Each source is a function expression, an arrow function, a
 * declaration, or the statements of a body, whose arguments are `args`.
 * @throws SyntaxFault with the function's name as `within`
 */
export function compileFunctions(sources: Readonly<Record<string, string>>): CompiledFunctions {
  const set = new CompiledSet(Object.keys(sources));
  for (const [name, source] of Object.entries(sources)) set.compile(name, source);
  return set;
}

/** Functions compiled together. */
export class CompiledSet implements CompiledFunctions {
  readonly names: readonly string[];
  readonly holders: ReadonlyMap<string, FunctionSlot>;
  mutates = false;
  readonly #usesNow = new Set<string>();
  readonly #named = new Map<string, ReadonlySet<string>>();

  constructor(names: readonly string[]) {
    this.names = names;
    this.holders = new Map(names.map((name) => [name, { callable: undefined }]));
  }

  has(name: string): boolean {
    return this.holders.has(name);
  }

  usesNow(name: string): boolean {
    const seen = new Set([name]);
    for (const each of seen) {
      if (this.#usesNow.has(each)) return true;
      for (const other of this.#named.get(each) ?? []) seen.add(other);
    }
    return false;
  }

  call(name: string, args: readonly Value[], budget: Budget): Value {
    const callable = this.holders.get(name)?.callable;
    if (callable === undefined) throw new RunFault(`${name} is no function`, budget.place);
    const code = () => callable.invoke([...args], budget);
    return running(code, undefined, this.mutates)([], budget);
  }

  /** @throws SyntaxFault */
  compile(name: string, source: string): void {
    const start = { line: 1, column: 1, within: name };
    if (!NAME.test(name)) throw new SyntaxFault('is not a name that a function can have', start);
    const holder = this.holders.get(name);
    if (holder !== undefined) holder.callable = this.#callable(name, parseFunction(source, name));
  }

  #callable(name: string, node: FunctionNode): Callable {
    const layout = new Layout(undefined, node, 0);
    const analysis = new Analysis(name);
    analysis.visit(node, new Block(undefined, layout));
    const context = new Context(COMPILERS, analysis, { functions: this.holders }, name);
    const made = context.functionValue(node);
    this.mutates ||= context.mutates;
    if (context.usesNow) this.#usesNow.add(name);
    this.#named.set(name, context.named);
    return made([]);
  }
}
