/** Compiles functions: their frames, their parameters, and what they share with what is around. */
import type { Budget } from '../budget.ts';
import type { Place } from '../fault.ts';
import type { FunctionNode } from '../parse.ts';
import { Callable, type Value } from '../value.ts';
import { enterBlock } from './block.ts';
import { type Code, type Context, type Frame, RETURN, type Step, type Toll } from './code.ts';
import { expression, notOfTheLanguage } from './expression.ts';
import { type Bind, pattern } from './pattern.ts';
import { sequence } from './statement.ts';
import type { Block, Layout } from './variable.ts';

/** Levels of the stack that a call takes besides those of what it runs. */
const CALL_LEVELS = 3;

/** A function as a value; each evaluation makes one that shares its surroundings. */
export function functionValue(node: FunctionNode, context: Context): (frame: Frame) => Callable {
  if (node.async) throw context.fault(node, 'async is not part of the language');
  if (node.generator) throw context.fault(node, 'a generator is not part of the language');
  const { layouts, blocks } = context.analysis;
  const [layout, block] = [layouts.get(node), blocks.get(node)];
  if (layout === undefined || block === undefined) throw notOfTheLanguage(node, context);
  const { made, toll, height } = context.inner(() => inside(node, block, context));
  const name = node.id?.name ?? '';
  const { takes } = made;
  const levels = height + CALL_LEVELS;
  const run: Run = { ...made, toll, levels, size: layout.size, place: context.place(node) };
  context.toll.bytes += 64 + 8 * layout.imports.length;
  return (frame) => {
    const shared = layout.imports.map(({ from }) => frame[from]);
    const callable: Callable = new Callable(name, takes, (args, budget) =>
      invoke(run, layout, shared, callable, args, budget),
    );
    return callable;
  };
}

interface Inside {
  readonly takes: number;
  /** The slot that takes the arguments left, as an array. */
  readonly restAt: number | undefined;
  /** The slot that holds the function itself, if it has a name. */
  readonly self: number | undefined;
  readonly prepare: ((frame: Frame, budget: Budget) => void) | undefined;
  readonly result: Code | undefined;
  readonly steps: Step | undefined;
}

interface Run extends Inside {
  readonly toll: Toll;
  readonly levels: number;
  readonly size: number;
  readonly place: Place;
}

function invoke(
  run: Run,
  layout: Layout,
  shared: Frame,
  callable: Callable,
  args: Value[],
  budget: Budget,
): Value {
  run.toll.pay(budget);
  budget.depth -= 1;
  budget.stack -= run.levels;
  if (budget.depth < 0 || budget.stack < 0) budget.exhausted('depth');
  const frame: Frame = args;
  const rest = run.restAt === undefined ? undefined : restOf(args, run.restAt, budget);
  while (frame.length < run.size) frame.push(undefined);
  if (rest !== undefined && run.restAt !== undefined) frame[run.restAt] = rest;
  for (let at = 0; at < shared.length; at += 1) {
    const slot = layout.imports[at]?.to ?? 0;
    frame[slot] = shared[at];
  }
  if (run.self !== undefined) frame[run.self] = callable;
  run.prepare?.(frame, budget);
  let value: Value;
  if (run.result !== undefined) value = run.result(frame, budget);
  else if (run.steps?.(frame, budget) === RETURN) {
    value = budget.result;
    budget.result = undefined;
  }
  budget.depth += 1;
  budget.stack += run.levels;
  return value;
}

function restOf(args: readonly Value[], from: number, budget: Budget): Value[] {
  budget.elements(Math.max(0, args.length - from));
  return budget.own(args.slice(from));
}

function inside(node: FunctionNode, block: Block, context: Context): Inside {
  const { takes, restAt, binds } = parameters(node, context);
  const statements = node.body.type === 'BlockStatement' ? node.body.body : [];
  const enter = enterBlock(block, context, statements);
  const self = [...block.variables.values()].find(({ kind }) => kind === 'self')?.slot;
  const isSimple = binds.length === 0 && enter === undefined;
  const prepare = isSimple
    ? undefined
    : (frame: Frame, budget: Budget) => {
        enter?.(frame, budget);
        for (const bind of binds) bind(undefined, frame, budget);
      };
  const common = { takes, restAt, self, prepare };
  if (node.body.type === 'BlockStatement') {
    return { ...common, result: undefined, steps: sequence(node.body.body, context) };
  }
  return { ...common, result: expression(node.body, context), steps: undefined };
}

/** What gives arguments to parameters that are more than names. */
function parameters(node: FunctionNode, context: Context) {
  const binds: Bind[] = [];
  let restAt: number | undefined;
  for (const [at, param] of node.params.entries()) {
    if (param.type === 'Identifier') continue;
    if (param.type === 'RestElement') restAt = at;
    const bind = pattern(param.type === 'RestElement' ? param.argument : param, context, true);
    // The slots of arguments as they come are never shared.
    binds.push((_, frame, budget) => bind(frame[at] as Value, frame, budget));
  }
  const takes = restAt === undefined ? node.params.length : Number.POSITIVE_INFINITY;
  return { takes, restAt, binds };
}
