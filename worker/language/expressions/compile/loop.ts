/** Compiles loops: each round pays for its body before it runs. */
import type * as acorn from 'acorn';
import type { Budget } from '../budget.ts';
import { isTrue } from '../exact.ts';
import type { SourcePosition } from '../fault.ts';
import { elementsOf, ownNames } from '../members.ts';
import type { Value } from '../value.ts';
import { enterBlock, renew } from './block.ts';
import {
  BREAK,
  CONTINUE,
  type Code,
  type Completion,
  type Context,
  type Frame,
  NORMAL,
  RETURN,
  type Step,
  type Toll,
} from './code.ts';
import { declaration } from './declaration.ts';
import { type Bind, pattern } from './pattern.ts';

/** What a round takes besides what it runs. */
const ROUND_STEPS = 5;

/** What a loop makes of how a round ended: undefined to go on. */
function after(
  ended: Completion,
  labels: readonly string[],
  budget: Budget,
): Completion | undefined {
  if (ended === NORMAL) return undefined;
  if (ended === RETURN) return ended;
  const { label } = budget;
  if (ended === BREAK) return label === undefined ? NORMAL : BREAK;
  if (label === undefined) return undefined;
  if (!labels.includes(label)) return CONTINUE;
  budget.label = undefined;
  return undefined;
}

function pay(toll: Toll, place: SourcePosition, budget: Budget): void {
  budget.place = place;
  toll.pay(budget);
}

/** `while (a) {…}` */
export function whileLoop(
  node: acorn.WhileStatement,
  context: Context,
  labels: readonly string[],
): Step {
  const place = context.place(node);
  const { made, toll } = context.tolled(ROUND_STEPS, () => ({
    test: context.expression(node.test),
    step: context.statement(node.body),
  }));
  return (frame, budget) => {
    for (;;) {
      pay(toll, place, budget);
      if (!isTrue(made.test(frame, budget))) return NORMAL;
      const ended = after(made.step(frame, budget), labels, budget);
      if (ended !== undefined) return ended;
    }
  };
}

/** `do {…} while (a)` */
export function doLoop(
  node: acorn.DoWhileStatement,
  context: Context,
  labels: readonly string[],
): Step {
  const place = context.place(node);
  const { made, toll } = context.tolled(ROUND_STEPS, () => ({
    test: context.expression(node.test),
    step: context.statement(node.body),
  }));
  return (frame, budget) => {
    do {
      pay(toll, place, budget);
      const ended = after(made.step(frame, budget), labels, budget);
      if (ended !== undefined) return ended;
    } while (isTrue(made.test(frame, budget)));
    return NORMAL;
  };
}

/** `for (let i = 0; i < n; i += 1) {…}`; each round has its own variables. */
export function forLoop(
  node: acorn.ForStatement,
  context: Context,
  labels: readonly string[],
): Step {
  const place = context.place(node);
  const block = context.analysis.blocks.get(node);
  const enter = block && enterBlock(block, context, []);
  const first = firstOf(node.init, context);
  const { made, toll } = context.tolled(ROUND_STEPS, () => ({
    test: node.test ? context.expression(node.test) : context.constant(true),
    step: context.statement(node.body),
    update: node.update ? context.expression(node.update) : undefined,
  }));
  const fresh = block && renew(block);
  const { test, step, update } = made;
  return (frame, budget) => {
    enter?.(frame, budget);
    first?.(frame, budget);
    for (;;) {
      pay(toll, place, budget);
      if (!isTrue(test(frame, budget))) return NORMAL;
      const ended = after(step(frame, budget), labels, budget);
      if (ended !== undefined) return ended;
      fresh?.(frame, budget);
      update?.(frame, budget);
    }
  };
}

function firstOf(
  node: acorn.VariableDeclaration | acorn.Expression | null | undefined,
  context: Context,
): Step | Code | undefined {
  if (!node) return undefined;
  return node.type === 'VariableDeclaration'
    ? declaration(node, context)
    : context.expression(node);
}

/** `for (const a of b) {…}`, over arrays and texts. */
export function forOfLoop(
  node: acorn.ForOfStatement,
  context: Context,
  labels: readonly string[],
): Step {
  if (node.await) throw context.fault(node, 'await is not part of the language');
  const { source, round, place } = rounds(node, context, labels);
  return (frame, budget) => {
    const value = source(frame, budget);
    budget.place = place;
    const elements = elementsOf(value, budget);
    // An array may grow or shrink meanwhile.
    for (let at = 0; at < elements.length; at += 1) {
      const ended = round(elements[at], frame, budget);
      if (ended !== undefined) return ended;
    }
    return NORMAL;
  };
}

/** `for (const name in object) {…}`, over names of own members. */
export function forInLoop(
  node: acorn.ForInStatement,
  context: Context,
  labels: readonly string[],
): Step {
  const { source, round, place } = rounds(node, context, labels);
  return (frame, budget) => {
    const value = source(frame, budget);
    budget.place = place;
    const names = ownNames(value, budget);
    for (const name of names) {
      if (typeof value === 'object' && value !== null && !Object.hasOwn(value, name)) continue;
      const ended = round(name, frame, budget);
      if (ended !== undefined) return ended;
    }
    return NORMAL;
  };
}

type Round = (value: Value, frame: Frame, budget: Budget) => Completion | undefined;

function rounds(
  node: acorn.ForOfStatement | acorn.ForInStatement,
  context: Context,
  labels: readonly string[],
): { readonly source: Code; readonly round: Round; readonly place: SourcePosition } {
  const place = context.place(node);
  const block = context.analysis.blocks.get(node);
  const source = context.expression(node.right);
  const { made, toll } = context.tolled(ROUND_STEPS, () => ({
    enter: block && enterBlock(block, context, []),
    bind: target(node.left, context),
    step: context.statement(node.body),
  }));
  const { enter, bind, step } = made;
  const round: Round = (value, frame, budget) => {
    pay(toll, place, budget);
    enter?.(frame, budget);
    bind(value, frame, budget);
    return after(step(frame, budget), labels, budget);
  };
  const opened: Code = (frame, budget) => {
    enter?.(frame, budget);
    return source(frame, budget);
  };
  return { source: enter === undefined ? source : opened, round, place };
}

function target(node: acorn.VariableDeclaration | acorn.Pattern, context: Context): Bind {
  if (node.type !== 'VariableDeclaration') return pattern(node, context, false);
  const [only] = node.declarations;
  if (only === undefined || node.kind.includes('using')) {
    throw context.fault(node, 'is not part of the language');
  }
  return pattern(only.id, context, true);
}
