/** Actions that run others: how they begin, take in what has ended, and end. Spec: workflows.md §3. */
import type { Json } from '../../../proto/json.ts';
import { writtenText } from '../../../proto/written-json.ts';
import type { Plain } from '../../language/expressions/index.ts';
import type { DynamicAction, LoopAction, ParallelAction } from '../definition/tree.ts';
import { succeed, viewpoint } from './ending.ts';
import { ActionFault, failureOf } from './failure.ts';
import { Joining } from './joining.ts';
import type { ElementEnd, Failure, Node, Ref } from './journal.ts';
import { endLoop } from './loop-end.ts';
import { frameOf, indexOf } from './paths.ts';
import { Scope } from './scope.ts';
import { stopBelow } from './stop.ts';
import { begin, mayBegin, putOff, setPhase, spendOn, type Turn, VALUE_TOO_LARGE } from './turn.ts';

/** Elements of a collection. Spec: workflows.md §3. */
const ELEMENTS_MAX = 100_000;
/** Elements, and about characters, that are kept as one value. */
const CHUNK = { elements: 512, length: 64 * 1024 };
/** Characters of a text that is looked at and written with its neighbours. */
const SMALL_LENGTH = 64;
/** Steps that keeping an element comes to besides its characters. Found by measuring loops over 30,000 numbers. */
const STEPS_OF_AN_ELEMENT = 40;

/** Begins all branches. */
export function startParallel(turn: Turn, node: Node, action: ParallelAction): void {
  node.state.left = action.branches.length;
  node.state.outputs = action.branches.map(() => null);
  node.state.next = 0;
  setPhase(turn, node, 'children', 'running');
  beginBranches(turn, node, action);
}

/** Begins branches that have not begun: as many as one transition may, and the rest in the next. */
export function beginBranches(turn: Turn, node: Node, { branches }: ParallelAction): void {
  if (isClosing(node) || !hasMoreBranches(node, branches)) return;
  const { next = 0 } = node.state;
  for (const [past, [first]] of branches.slice(next).entries()) {
    if (!mayBegin(turn)) {
      putOff(turn, node.path);
      break;
    }
    node.state.next = next + past + 1;
    if (first) begin(turn, first, insideOf(node, next + past));
  }
  turn.journal.touch(node);
}

/** Whether branches have not begun yet; of runs before that was counted, all have. */
export function hasMoreBranches(
  { state: { next } }: Node,
  branches: ParallelAction['branches'],
): boolean {
  return next !== undefined && next < branches.length;
}

/** Reads the collection, and begins as many elements as may run at a time. @throws ActionFault INVALID_INPUT */
export function startLoop(turn: Turn, node: Node, action: LoopAction): void {
  const collection = new Scope(turn, viewpoint(node)).evaluate(action.collection);
  if (!Array.isArray(collection)) {
    throw new ActionFault('INVALID_INPUT', 'collection: must be a list');
  }
  if (collection.length > ELEMENTS_MAX) {
    const message = `collection: has ${collection.length} elements, at most ${ELEMENTS_MAX} are taken`;
    throw new ActionFault('INVALID_INPUT', message);
  }
  keepElements(turn, node, collection);
  Object.assign(node.state, { count: collection.length, next: 0, running: 0, done: 0 });
  setPhase(turn, node, 'children', 'running');
  fillLoop(turn, node, action);
}

function keepElements(turn: Turn, { path }: Node, collection: readonly Plain[]): void {
  turn.spent.steps += STEPS_OF_AN_ELEMENT * collection.length;
  for (let first = 0; first < collection.length; ) {
    const { count, text } = chunkAt(collection, first);
    turn.journal.putElements(path, first, spendOn(turn, text));
    first += count;
  }
}

/** The next elements that are kept as one value. */
function chunkAt(collection: readonly Plain[], first: number) {
  const some = collection.slice(first, first + CHUNK.elements);
  if (some.every(isSmall)) return { count: some.length, text: JSON.stringify(some) };
  const texts: string[] = [];
  let length = 0;
  for (const element of some) {
    const text = writtenText(element as Json);
    texts.push(text);
    length += text.length;
    if (length > CHUNK.length) break;
  }
  return { count: texts.length, text: `[${texts.join(',')}]` };
}

/** Whether the engine writes an element as `writtenText` does, and in few characters: many such are written together. */
function isSmall(element: Plain): boolean {
  if (typeof element === 'string') return element.length <= SMALL_LENGTH;
  return typeof element === 'number' || typeof element === 'boolean' || element === null;
}

/** Begins elements, as many as may; ends the loop when all have ended. */
export function fillLoop(turn: Turn, node: Node, action: LoopAction): void {
  const { state } = node;
  const { count = 0, done = 0 } = state;
  if (done === count) {
    endLoop(turn, node, action);
    return;
  }
  const [first] = action.body;
  while ((state.running ?? 0) < action.maxConcurrency && (state.next ?? 0) < count && first) {
    const index = state.next ?? 0;
    state.next = index + 1;
    state.running = (state.running ?? 0) + 1;
    begin(turn, first, insideOf(node, index));
  }
  turn.journal.touch(node);
}

/** An element has ended. */
export function elementEnded(
  turn: Turn,
  loop: Node,
  action: LoopAction,
  frame: string,
  ended: ElementEnd,
): void {
  const { state } = loop;
  turn.journal.putResult(loop.path, indexOf(frame), ended);
  state.running = (state.running ?? 1) - 1;
  state.done = (state.done ?? 0) + 1;
  turn.journal.touch(loop);
  if (!isClosing(loop)) fillLoop(turn, loop, action);
}

/** A branch has ended. */
export function branchEnded(
  turn: Turn,
  parallel: Node,
  action: ParallelAction,
  frame: string,
  output: Ref | undefined,
): void {
  const { state } = parallel;
  if (state.outputs) state.outputs[indexOf(frame)] = output ?? null;
  state.left = (state.left ?? 1) - 1;
  turn.journal.touch(parallel);
  if (state.left === 0 && !isClosing(parallel)) endParallel(turn, parallel, action);
}

function endParallel(turn: Turn, node: Node, { branches, joinResults }: ParallelAction): void {
  if (!joinResults) {
    succeed(turn, node, turn.journal.keep('null'));
    return;
  }
  const joined = new Joining(turn, VALUE_TOO_LARGE);
  try {
    joined.add('{');
    for (const [index, [first]] of branches.entries()) {
      joined.add(`${index === 0 ? '' : ','}${JSON.stringify(first?.id ?? '')}:`);
      joined.addValue(node.state.outputs?.[index] ?? undefined);
    }
    joined.add('}');
    succeed(turn, node, joined.keep());
  } catch (thrown) {
    const failure: Failure = { ...failureOf(thrown, node.action), effect: 'possible' };
    turn.agenda.push({ do: 'closed', path: node.path, failure });
  }
}

/** Begins the option that the selection names. @throws ActionFault NO_OPTION */
export function startDynamic(turn: Turn, node: Node, action: DynamicAction): void {
  const selected = new Scope(turn, viewpoint(node)).evaluate(action.expression);
  const key = typeof selected === 'string' ? selected : textOf(selected);
  const option = (key === undefined ? undefined : action.options.get(key)) ?? action.otherwise;
  if (!option) {
    throw new ActionFault('NO_OPTION', `There is no option ${key ?? 'undefined'}, and no default`);
  }
  setPhase(turn, node, 'children', 'running');
  begin(turn, option, { frame: `${node.path}.`, owner: node.path, role: 'option' });
}

function textOf(value: Json | undefined): string | undefined {
  return value === undefined ? undefined : writtenText(value);
}

/** Something below a container has failed for good: the rest stops, then the container fails. */
export function failContainer(
  turn: Turn,
  container: Node,
  failure: Failure,
  route: string | undefined,
): void {
  if (isClosing(container)) return;
  container.state.failing = route === undefined ? { failure } : { failure, route };
  turn.journal.touch(container);
  stopBelow(turn, container.path);
}

/** Whether a container begins nothing more. */
export function isClosing({ stopping, state, phase }: Node): boolean {
  return stopping || state.failing !== undefined || phase !== 'children';
}

/** The list of a branch or an element. */
function insideOf({ path }: Node, index: number) {
  return { frame: frameOf(path, index), owner: path, role: 'step' } as const;
}
