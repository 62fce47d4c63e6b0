/** Compiles functions: their frames, their parameters, and what they share with what is around. */
import type { Budget } from '../budget.ts';
import type { FunctionNode } from '../parse.ts';
import { Callable, type Value } from '../value.ts';
import { enterBlock, sequence } from './block.ts';
import {
  type Code,
  type Context,
  type Frame,
  notOfTheLanguage,
  RETURN,
  type Step,
  type Toll,
} from './code.ts';
import { type Bind, pattern } from './pattern.ts';
import type { Block } from './variable.ts';

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
  const call = caller(made, toll, height + CALL_LEVELS, layout.size);
  const { takes, self } = made;
  const { imports } = layout;
  if (imports.length === 0 && self === undefined) {
    const callable = new Callable(name, takes, call);
    return () => callable;
  }
  context.toll.bytes += 64 + 8 * imports.length;
  return (frame) => {
    const shared = imports.map(({ from }) => frame[from]);
    const callable: Callable = new Callable(name, takes, (args, budget) =>
      call(args, budget, (own) => {
        for (let at = 0; at < imports.length; at += 1) own[imports[at]?.to ?? 0] = shared[at];
        if (self !== undefined) own[self] = callable;
      }),
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
  readonly code: Code;
}

type Call = (args: Value[], budget: Budget, share?: (frame: Frame) => void) => Value;

/** What a call does: pays, makes the arguments its frame, and runs. */
function caller(made: Inside, toll: Toll, levels: number, size: number): Call {
  const { restAt, prepare, code } = made;
  if (restAt === undefined && prepare === undefined) return plainCaller(code, toll, levels, size);
  return (args, budget, share) => {
    enter(toll, levels, budget);
    const frame: Frame = args;
    if (restAt !== undefined) takeRest(frame, args, restAt, budget);
    for (let length = frame.length; length < size; length += 1) frame.push(undefined);
    if (share !== undefined) share(frame);
    if (prepare !== undefined) prepare(frame, budget);
    const value = code(frame, budget);
    budget.depth += 1;
    budget.stack += levels;
    return value;
  };
}

function enter(toll: Toll, levels: number, budget: Budget): void {
  toll.pay(budget);
  budget.depth -= 1;
  budget.stack -= levels;
  if (budget.depth < 0 || budget.stack < 0) budget.exhausted('depth');
}

/** Calls a function of plain parameters: what most callbacks are. */
function plainCaller(code: Code, { steps, bytes }: Toll, levels: number, size: number): Call {
  return (args, budget, share) => {
    const fuel = budget.fuel - steps;
    const memory = budget.memory - bytes;
    const depth = budget.depth - 1;
    const stack = budget.stack - levels;
    budget.fuel = fuel;
    budget.memory = memory;
    budget.depth = depth;
    budget.stack = stack;
    if (fuel < 0 || memory < 0) budget.exhausted();
    if (depth < 0 || stack < 0) budget.exhausted('depth');
    const frame: Frame = args;
    for (let length = frame.length; length < size; length += 1) frame.push(undefined);
    if (share !== undefined) share(frame);
    const value = code(frame, budget);
    budget.depth += 1;
    budget.stack += levels;
    return value;
  };
}

/** What statements return. */
function returned(steps: Step): Code {
  return (frame, budget) => {
    if (steps(frame, budget) !== RETURN) return undefined;
    const value = budget.result;
    budget.result = undefined;
    return value;
  };
}

/** Puts the arguments left, as an array, in the place of the first of them. */
function takeRest(frame: Frame, args: readonly Value[], from: number, budget: Budget): void {
  budget.elements(Math.max(0, args.length - from));
  const rest = budget.own(args.slice(from));
  while (frame.length <= from) frame.push(undefined);
  frame[from] = rest;
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
    return { ...common, code: returned(sequence(node.body.body, context)) };
  }
  return { ...common, code: context.expression(node.body) };
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
