/** Where rules write: targets become steps once, and values go straight into the output. */
import { isRawJson, type Json, type JsonObject, setMember } from '../../../proto/json.ts';
import { faultOf, PathFault } from '../../language/paths/fault.ts';
import { notationOf, PATH_LENGTH_MAX, Path } from '../../language/paths/path.ts';
import { indexOf, type Step } from '../../language/paths/step.ts';
import type { Execution, Output } from './execution.ts';
import { RuleFault } from './failure.ts';
import { CONTAINER_BYTES, copied, ELEMENT_BYTES } from './measure.ts';
import type { Scope } from './scope.ts';

/** A step of a target: the index of a loop's element is known when it runs. */
export type TargetStep = Step | { readonly slot: number };

/** Most elements that one write may leave without a value, as null. Spec silent. */
const GAP_MAX = 1_000_000;
/** Greater than any index that may be written: stands for the index in a slot. */
const SLOT_BASE = 9_000_000_000_000_000;
const BRACKETS = /\\.|\[([^\]\d][^\]]*)\]/gs;

/** A place in an output. */
export class Target {
  readonly text: string;
  readonly steps: readonly TargetStep[];
  /** Levels of a value put there that rules may write into: they are copied first. */
  depth = 0;
  /** Bytes of JSON that its names take. */
  readonly bytes: number;
  /** Its name, where it is one of the output's own members. */
  readonly name: string | undefined;

  constructor(text: string, steps: readonly TargetStep[]) {
    this.text = text;
    this.steps = steps;
    this.bytes = steps.reduce<number>((sum, step) => sum + nameOf(step).length + 3, 0);
    const [only] = steps;
    const name = typeof only === 'object' ? nameOf(only) : only;
    const isName =
      steps.length === 1 && typeof name === 'string' && name !== '' && name !== '__proto__';
    this.name = isName ? name : undefined;
  }

  /** The place of a member of what is there. */
  below(steps: readonly TargetStep[]): Target {
    return new Target(this.text, [...this.steps, ...steps]);
  }
}

function nameOf(step: TargetStep): string {
  if (typeof step === 'string') return step;
  return typeof step === 'object' && 'token' in step ? step.token : '';
}

/** The place that a text names; in words why it cannot be one. */
export function targetOf(text: string, scope: Scope): Target | string {
  try {
    // What is longer is no path; brackets of those are looked for again and again.
    const isDotted = notationOf(text) === 'dotted' && text.length <= PATH_LENGTH_MAX;
    const { steps } = new Path(isDotted ? withSlots(text, scope) : text);
    if (steps === undefined)
      return 'names several places, or counts from an end: a target is one place';
    if (steps.some((step) => typeof step === 'number' && step > GAP_MAX && step < SLOT_BASE)) {
      return `has an index beyond ${GAP_MAX}`;
    }
    return new Target(text, steps.map(stepOf));
  } catch (fault) {
    if (!(fault instanceof PathFault)) throw fault;
    return faultOf(text, fault);
  }
}

function stepOf(step: Step): TargetStep {
  return typeof step === 'number' && step >= SLOT_BASE ? { slot: step - SLOT_BASE } : step;
}

/** Puts numbers in the place of `[i]`, where `i` is the index of a loop around. */
function withSlots(text: string, scope: Scope): string {
  return text.replace(BRACKETS, (whole, name: string | undefined, at: number) => {
    if (name === undefined) return whole;
    const slot = scope.indexes.includes(name) ? scope.slotOf(name) : undefined;
    if (slot !== undefined) return `[${SLOT_BASE + slot}]`;
    const known =
      scope.indexes.length === 0
        ? 'no loop around names one'
        : `there is ${scope.indexes.join(', ')}`;
    throw new PathFault(
      `in brackets stands an index, or the name of a loop's index: ${known}`,
      at + 1,
    );
  });
}

/** What is at a place already. @throws RuleFault where nothing can be */
export function valueAt({ steps }: Target, x: Execution, output: Output): Json | undefined {
  const last = steps.at(-1);
  if (last === undefined || output.value === undefined) return output.value;
  return childOf(containerAt(steps, x, output), last, x);
}

/** Puts a value at its place; one that is there already gives way. @throws RuleFault, RunOver */
export function put(target: Target, value: Json, x: Execution, output: Output): void {
  const { name, depth } = target;
  x.bytes -= target.bytes;
  const own = depth === 0 ? value : copied(value, depth, x);
  if (name !== undefined && output.object !== undefined) output.object[name] = own;
  else place(target.steps, own, x, output);
}

function place(steps: readonly TargetStep[], value: Json, x: Execution, output: Output): void {
  const last = steps.at(-1);
  if (last === undefined) {
    output.object = undefined;
    output.other = value;
    return;
  }
  set(containerAt(steps, x, output), last, value, x);
}

/** The container that the last step leads into; those on the way are made where they are missing. */
function containerAt(
  steps: readonly TargetStep[],
  x: Execution,
  output: Output,
): Json[] | JsonObject {
  let container = topOf(output, steps[0] ?? '', x);
  for (let at = 0; at < steps.length - 1; at += 1) {
    const step = steps[at] ?? '';
    const found = childOf(container, step, x);
    const next = steps[at + 1] ?? '';
    container = found === undefined ? made(container, step, next, x) : containerOf(found);
  }
  return container;
}

function topOf(output: Output, first: TargetStep, x: Execution): Json[] | JsonObject {
  if (output.object !== undefined) return output.object;
  if (output.other !== undefined) return containerOf(output.other);
  x.take(CONTAINER_BYTES);
  if (takesIndexes(first)) {
    output.other = [];
    return output.other;
  }
  output.object = {};
  return output.object;
}

/** Spec silent: a token of digits makes an array where nothing is yet, as in all paths. */
function takesIndexes(step: TargetStep): boolean {
  if (typeof step !== 'object') return typeof step === 'number';
  return 'slot' in step || indexOf(step.token) >= 0;
}

function made(
  container: Json[] | JsonObject,
  step: TargetStep,
  next: TargetStep,
  x: Execution,
): Json[] | JsonObject {
  x.take(CONTAINER_BYTES);
  const child: Json[] | JsonObject = takesIndexes(next) ? [] : {};
  set(container, step, child, x);
  return child;
}

function containerOf(value: Json): Json[] | JsonObject {
  if (typeof value === 'object' && value !== null && !isRawJson(value)) return value;
  throw new RuleFault('there is a value above its target already, which is no object or array');
}

function childOf(container: Json[] | JsonObject, step: TargetStep, x: Execution): Json | undefined {
  if (Array.isArray(container)) return container[indexIn(step, x)];
  const name = memberIn(step);
  return Object.hasOwn(container, name) ? container[name] : undefined;
}

function indexIn(step: TargetStep, x: Execution): number {
  if (typeof step === 'number') return step;
  const index =
    typeof step === 'object'
      ? 'slot' in step
        ? Number(x.slots[step.slot])
        : indexOf(step.token)
      : -1;
  if (index >= 0) return index;
  throw new RuleFault('there is an array on the way to its target, which takes indexes alone');
}

function memberIn(step: TargetStep): string {
  if (typeof step === 'string') return step;
  if (typeof step === 'object' && 'token' in step) return step.token;
  throw new RuleFault('there is an object on the way to its target, which takes names alone');
}

function set(container: Json[] | JsonObject, step: TargetStep, value: Json, x: Execution): void {
  if (!Array.isArray(container)) {
    x.take(2 * ELEMENT_BYTES);
    setMember(container, memberIn(step), value);
    return;
  }
  const index = indexIn(step, x);
  const gap = index - container.length;
  if (gap > GAP_MAX) throw new RuleFault(`it leaves more than ${GAP_MAX} elements without a value`);
  if (gap >= 0) x.take(ELEMENT_BYTES);
  if (gap > 0) fillGap(container, gap, x);
  container[index] = value;
}

/** Elements that nobody gives a value, each as dear as one with one. */
function fillGap(array: Json[], gap: number, x: Execution): void {
  x.take(4 * ELEMENT_BYTES * gap);
  x.tell(5 * gap);
  x.spend(gap);
  for (let at = 0; at < gap; at += 1) array.push(null);
}
