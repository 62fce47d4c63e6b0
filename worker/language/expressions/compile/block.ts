/** Blocks: what happens to their slots when they are entered, and their statements. */
import type * as acorn from 'acorn';
import type { Budget } from '../budget.ts';
import type { FunctionNode } from '../parse.ts';
import type { Value } from '../value.ts';
import { Box, type Code, type Context, type Frame, NORMAL, type Step, UNSET } from './code.ts';
import { boxOf } from './reference.ts';
import type { Block, Variable } from './variable.ts';

/** Prepares slots. */
type Enter = (frame: Frame, budget: Budget) => void;

/** Bytes of a box. */
const BOX_BYTES = 24;

/** Gives a block's variables their boxes, and its declared functions their values. */
export function enterBlock(
  block: Block,
  context: Context,
  statements: readonly acorn.Node[],
): Enter | undefined {
  const enters: Enter[] = [];
  for (const variable of block.variables.values()) {
    const enter = enterVariable(variable, context);
    if (enter !== undefined) enters.push(enter);
  }
  for (const each of statements) {
    const node = each as acorn.AnyNode; // Every node of acorn's is one of its kinds.
    if (node.type === 'FunctionDeclaration' && node.id) {
      enters.push(declareFunction(node.id, node as FunctionNode, context));
    }
  }
  if (enters.length === 0) return undefined;
  return (frame, budget) => {
    for (const enter of enters) enter(frame, budget);
  };
}

function enterVariable(variable: Variable, context: Context): Enter | undefined {
  const { kind, slot, isBoxed, isChecked, layout } = variable;
  if (kind === 'name' || kind === 'self') return undefined;
  if (isBoxed) context.toll.bytes += BOX_BYTES;
  if (kind === 'param' && slot < layout.params) {
    // Until it is boxed, the slot holds the argument.
    return isBoxed ? (frame) => boxIn(frame, slot, frame[slot] as Value) : undefined;
  }
  const first = isChecked ? UNSET : undefined;
  if (isBoxed) return (frame) => boxIn(frame, slot, first);
  if (!isChecked && kind !== 'var') return undefined;
  return (frame) => {
    frame[slot] = first;
  };
}

function boxIn(frame: Frame, slot: number, value: Value): void {
  frame[slot] = new Box(value);
}

function declareFunction(id: acorn.Identifier, node: FunctionNode, context: Context): Enter {
  const value: Code = context.functionValue(node);
  const found = context.analysis.references.get(id);
  if (found === undefined || !('variable' in found)) throw context.fault(node, 'is no variable');
  const { slot } = found;
  if (!found.variable.isBoxed) {
    return (frame, budget) => {
      frame[slot] = value(frame, budget);
    };
  }
  return (frame, budget) => {
    boxOf(frame, slot).value = value(frame, budget);
  };
}

/** Statements one after another, in a block that was entered. */
export function sequence(nodes: readonly acorn.Node[], context: Context): Step {
  const steps = nodes
    .filter(({ type }) => type !== 'FunctionDeclaration' && type !== 'EmptyStatement')
    .map((each) => context.statement(each));
  const [first, second, third] = steps;
  if (first === undefined) return () => NORMAL;
  if (second === undefined) return first;
  if (third === undefined) return (frame, budget) => first(frame, budget) || second(frame, budget);
  return (frame, budget) => {
    for (const step of steps) {
      const ended = step(frame, budget);
      if (ended !== NORMAL) return ended;
    }
    return NORMAL;
  };
}

/** Statements with a block of their own. */
export function blockOf(
  node: acorn.Node,
  statements: readonly acorn.Node[],
  context: Context,
): Step {
  const block = context.analysis.blocks.get(node);
  const enter = block && enterBlock(block, context, statements);
  const steps = sequence(statements, context);
  if (enter === undefined) return steps;
  return (frame, budget) => {
    enter(frame, budget);
    return steps(frame, budget);
  };
}

/** Gives the variables of a loop new boxes with the values of the last round. */
export function renew(block: Block): Enter | undefined {
  const slots = [...block.variables.values()]
    .filter((each) => each.isBoxed)
    .map(({ slot }) => slot);
  if (slots.length === 0) return undefined;
  return (frame, budget) => {
    budget.allocate(slots.length * BOX_BYTES);
    for (const slot of slots) boxIn(frame, slot, boxOf(frame, slot).value);
  };
}
