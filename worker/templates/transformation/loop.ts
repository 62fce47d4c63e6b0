/** `forEach`: rules for each element of an array. Contract §8. */
import type { Json } from '../../../proto/json.ts';
import { type Apply, type Execution, type Gather, Output, type Rule } from './execution.ts';
import { RuleFault } from './failure.ts';
import { guarded, guardedGather } from './guard.ts';
import { CONTAINER_BYTES, ELEMENT_BYTES } from './measure.ts';
import { begun, conditionOf, headOf, type Place, targetIn } from './place.ts';
import { ANY, Places } from './places.ts';
import type { Members } from './report.ts';
import { rulesOf } from './rules.ts';
import { holds, type Scope } from './scope.ts';
import { sourceOf } from './source.ts';
import { containerAt, put, type Target } from './target.ts';
import { kindOf } from './transformers/transformer.ts';
import { validationOf } from './validation.ts';
import { hidden } from './value-rule.ts';

/** Goes through the elements. @throws RuleFault */
type Each = (x: Execution, visit: (x: Execution) => void) => void;

/** What is made for each element. */
interface Made {
  readonly target: Target;
  readonly places: Places;
  readonly rules: readonly Apply[];
}

/** Reads `{forEach, target?, rules}`. */
export function loopRule(rule: Members, place: Place): Rule | undefined {
  const forEach = rule.members('forEach');
  const target = rule.has('target') ? targetIn(rule, 'target', place.scope) : undefined;
  const label = rule.text('target') ?? `forEach ${forEach?.text('array') ?? ''}`;
  const head = headOf(rule, label, target, place);
  if (forEach === undefined) return undefined;
  const { each, inner } = eachOf(forEach, place.scope);
  const isHidden = target !== undefined && place.shown.hides(target.steps);
  const within = withinOf(rule, target, { ...place, scope: inner });
  const rules = rulesOf(rule, 'rules', within);
  if (within.places !== place.places) within.places.settle();
  if (each === undefined) return undefined;
  const gathers = rules.flatMap(({ gather }) => gather ?? []);
  const gather =
    gathers.length === 0 ? undefined : guardedGather(head.condition, gatherAll(each, gathers));
  if (isHidden && gather === undefined) return hidden({ text: label });
  const applied = rules.map(({ apply }) => apply);
  const body =
    target === undefined
      ? writing(each, applied)
      : making(each, { target, places: within.places, rules: applied });
  return { apply: guarded(head, body), gather };
}

/** With a target, rules write to an output of their own; without, to the one that the loop is in. */
function withinOf(rule: Members, target: Target | undefined, place: Place): Place {
  if (!rule.has('target')) return place;
  if (target !== undefined) {
    place.places.add(target, [], 2);
    place.places.add(target, [ANY], 1);
  }
  const shown = place.shown.below(target?.steps ?? []).elements;
  return { ...place, places: new Places(), shown };
}

function gatherAll(each: Each, gathers: readonly Gather[]): Gather {
  return (x) => {
    each(x, () => {
      for (const gather of gathers) gather(x);
    });
  };
}

/** What goes through the elements, and the scope of rules for them. */
function eachOf(forEach: Members, scope: Scope): { each: Each | undefined; inner: Scope } {
  forEach.only(['array', 'as', 'index', 'filter', 'validation'], 'forEach');
  const array = sourceOf(forEach, 'array', scope);
  const validate = validationOf(forEach, scope);
  const element = nameOf(forEach, 'as', scope);
  const index = nameOf(forEach, 'index', scope);
  if (!forEach.has('as')) forEach.fault('as', 'is required: what rules call an element');
  if (element !== undefined && element === index)
    forEach.fault('index', 'is the name of the element already');
  const inner = scope.within(element ?? '', index);
  const filter = conditionOf(forEach, inner, 'filter');
  if (array === undefined) return { each: undefined, inner };
  const { level } = scope;
  const slot = scope.names.length;
  const hasIndex = index !== undefined;
  const each: Each = (x, visit) => {
    const elements = array(x);
    const reasons = validate?.(elements, x) ?? [];
    if (reasons.length > 0) throw new RuleFault(reasons);
    if (elements === undefined) return;
    if (!Array.isArray(elements))
      throw new RuleFault(`forEach takes an array, not ${kindOf(elements)}`);
    const { slots, budget } = x;
    for (let at = 0; at < elements.length; at += 1) {
      x.trail[level] = at;
      slots[slot] = elements[at];
      if (hasIndex) slots[slot + 1] = at;
      x.spend(2);
      if (filter === undefined || holds(filter.run(slots, budget))) visit(x);
    }
  };
  return { each, inner };
}

function nameOf(forEach: Members, member: string, scope: Scope): string | undefined {
  const name = forEach.text(member);
  const refusal = name === undefined ? undefined : scope.refusal(name);
  return refusal === undefined ? name : forEach.fault(member, refusal);
}

/** Without a target. */
function writing(each: Each, rules: readonly Apply[]): Apply {
  return (x, output) => {
    each(x, () => {
      for (const apply of rules) apply(x, output);
    });
  };
}

/** With a target: a fresh object for each element; they join the array that is there, if one is. */
function making(each: Each, { target, places, rules }: Made): Apply {
  return (x, output) => {
    const array: Json[] = [];
    const inner = new Output();
    let isThere = false;
    each(x, () => {
      isThere = true;
      x.take(CONTAINER_BYTES + ELEMENT_BYTES);
      x.tell(3);
      begun(inner, places);
      for (const apply of rules) apply(x, inner);
      array.push(inner.value ?? {});
    });
    if (!isThere) x.tell(2);
    join(array, target, x, output);
  };
}

function join(array: Json[], target: Target, x: Execution, output: Output): void {
  const known = arrayAt(target, x, output);
  if (known === undefined) {
    put(target, array, x, output);
    return;
  }
  for (const each of array) known.push(each);
}

function arrayAt(target: Target, x: Execution, output: Output): Json[] | undefined {
  const last = target.steps.at(-1);
  if (last === undefined || output.value === undefined) {
    return Array.isArray(output.value) ? output.value : undefined;
  }
  const container = containerAt(target.steps, x, output);
  const found: unknown =
    typeof last === 'string' && !Array.isArray(container) && Object.hasOwn(container, last)
      ? container[last]
      : undefined;
  return Array.isArray(found) ? found : undefined;
}
