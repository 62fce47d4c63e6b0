/** `forEach`: rules for each element of an array. Contract §8. */
import type { Json } from '../../../proto/json.ts';
import type { Pieces } from '../../../proto/work/pieces.ts';
import { type Elements, elementsOf } from './elements.ts';
import { type Apply, type Execution, type Gather, Output, type Rule } from './execution.ts';
import { RuleFault, Unsent } from './failure.ts';
import { guarded, guardedGather, type RuleHead } from './guard.ts';
import { CONTAINER_BYTES, ELEMENT_BYTES } from './measure.ts';
import { ANY, Places } from './output-places.ts';
import { OutputSchema } from './output-schema.ts';
import type { Members } from './report.ts';
import type { OwnResults } from './results.ts';
import { begun, headOf, type RuleContext, targetIn } from './rule-context.ts';
import { put, type Target, valueAt } from './target.ts';
import { hidden } from './value-rule.ts';

/** What is made for each element. */
interface LoopOutput {
  /** Undefined where nothing shows what is made. */
  readonly target: Target | undefined;
  readonly places: Places;
  /** Of a loop that names what it makes. */
  readonly results: OwnResults | undefined;
}

/** What is done for each element. */
interface LoopBody {
  readonly rules: readonly Apply[];
  /** Whether the loop's `onError` decides on faults of these rules. */
  readonly isDeciding: boolean;
}

/** Reads the rules of a member. */
type ReadRules = (rule: Members, name: string, place: RuleContext) => Pieces<readonly Rule[]>;

/** Reads `{forEach, target?, rules}`. */
export function* loopRule(
  rule: Members,
  place: RuleContext,
  readRules: ReadRules,
): Pieces<Rule | undefined> {
  const forEach = rule.members('forEach');
  const target = rule.has('target') ? targetIn(rule, 'target', place.scope) : undefined;
  const label = rule.text('target') ?? `forEach ${forEach?.text('array') ?? ''}`;
  const head = headOf(rule, label, target, place);
  if (forEach === undefined) return undefined;
  const { elements, inner } = elementsOf(forEach, place.scope);
  const isHidden = target !== undefined && place.shown.hides(target.steps);
  const { naming } = place.scope;
  const names = naming?.within(naming.branch(), place.results?.within);
  const within = withinOf(rule, target, { ...place, scope: inner.withNaming(names) });
  const rules = yield* readRules(rule, 'rules', within);
  if (within.places !== place.places) yield* within.places.settle();
  if (elements === undefined) return undefined;
  const own = names?.known.since(0) ?? [];
  const results = rule.has('as') ? place.results : undefined;
  const made = { target: isHidden ? undefined : target, places: within.places, results };
  if (isHidden && results === undefined && !rules.some(({ gather }) => gather !== undefined)) {
    return hidden({ text: label });
  }
  return assembled(head, elements, { rules, forgets: forgetting(own) }, made);
}

/** The rule of what was read. */
function assembled(
  head: RuleHead,
  elements: Elements,
  { rules, forgets }: { readonly rules: readonly Rule[]; readonly forgets: readonly Forget[] },
  made: LoopOutput,
): Rule {
  const within = {
    rules: [...forgets, ...rules.map(({ apply }) => apply)],
    isDeciding: decides(head),
  };
  const gathers = rules.flatMap(({ gather }) => gather ?? []);
  const gather =
    gathers.length === 0
      ? undefined
      : guardedGather(head.condition, gathering(elements, [...forgets, ...gathers]));
  const isWriting = head.target === undefined && made.results === undefined;
  const body = isWriting ? writing(elements, within) : making(elements, within, made);
  const apply = guarded(head, body);
  if (made.results === undefined) return { apply, gather };
  const silent = making(elements, within, { ...made, target: undefined });
  return { apply, gather, compute: guarded({ ...head, target: undefined }, silent) };
}

/** Takes away what the rules named for the element before. */
type Forget = (x: Execution) => void;

/** Before the rules of an element: names of results belong to the element at hand. */
function forgetting(names: readonly string[]): readonly Forget[] {
  if (names.length === 0) return [];
  return [
    (x) => {
      for (const name of names) {
        x.name(name, undefined);
        x.rounds?.unsent.delete(name);
      }
    },
  ];
}

/** With a target, rules write to an output of their own; without, to the one that the loop is in. */
function withinOf(rule: Members, target: Target | undefined, place: RuleContext): RuleContext {
  const isNamed = rule.has('as');
  if (!rule.has('target') && !isNamed) return place;
  if (target !== undefined) {
    // A result that has a name stays what it is, whatever rules write into the output.
    place.places.add(target, [], isNamed ? 0 : 2);
    place.places.add(target, [ANY], isNamed ? 0 : 1);
  }
  // Rules may read all of a result that has a name.
  const shown = isNamed
    ? new OutputSchema(undefined)
    : place.shown.below(target?.steps ?? []).elements;
  return { ...place, places: new Places(), shown };
}

function gathering(elements: Elements, gathers: readonly Gather[]): Gather {
  return (x) => {
    elements.each(x, 1, () => {
      for (const gather of gathers) gather(x);
    });
  };
}

/** Whether an `onError` of the loop decides on faults of its rules, too. Spec silent. */
function decides({ onError }: RuleHead): boolean {
  return onError.action !== 'fail' || onError.message !== undefined;
}

/** Goes through the elements; faults of rules become the loop's own. @throws RuleFault */
function deciding(x: Execution, go: () => void): void {
  const before = x.faults.length;
  x.deciding += 1;
  try {
    go();
  } finally {
    x.deciding -= 1;
  }
  if (x.faults.length > before) {
    throw new RuleFault(x.faults.splice(before).map(({ path: _, ...reason }) => reason));
  }
}

/** Without a target. */
function writing(elements: Elements, { rules, isDeciding }: LoopBody): Apply {
  const steps = 2 + rules.length;
  return (x, output) => {
    const go = () => {
      elements.each(x, steps, () => {
        for (const apply of rules) apply(x, output);
      });
    };
    if (isDeciding) deciding(x, go);
    else go();
  };
}

/** With a target: a fresh object for each element; they join the array that is there, if one is. */
function making(
  elements: Elements,
  within: LoopBody,
  { target, places, results }: LoopOutput,
): Apply {
  const each = { rules: within.rules, places };
  return (x, output) => {
    const from = elements.of(x);
    if (from === undefined) {
      x.trace?.note('its array is not there');
      return;
    }
    x.trace?.input(from as Json); // It is JSON; nobody changes it.
    const array = roomFor(from, elements);
    const before = x.rounds?.leftOut;
    if (within.isDeciding) deciding(x, () => makeAll(from, elements, each, array, x));
    else makeAll(from, elements, each, array, x);
    if (results?.name !== undefined) {
      if (x.rounds?.leftOut !== before) throw new Unsent('some of its requests were not sent');
      x.name(results.name, array.slice());
    }
    if (target !== undefined) join(array, target, x, output);
  };
}

/**
 * An array for what is made. Of objects that are all gone through it is a copy, to be written over:
 * as large as it is going to be, from the start.
 */
function roomFor(from: readonly Json[], { isFiltered }: Elements): Json[] {
  return isFiltered || typeof from[0] !== 'object' ? [] : from.slice();
}

function makeAll(
  from: readonly Json[],
  elements: Elements,
  { rules, places }: Pick<LoopBody, 'rules'> & Pick<LoopOutput, 'places'>,
  into: Json[],
  x: Execution,
): void {
  const steps = 2 + rules.length;
  const inner = new Output();
  let count = 0;
  for (let at = 0; at < from.length; at += 1) {
    if (!elements.enter(x, from[at], at, steps)) continue;
    x.take(CONTAINER_BYTES + ELEMENT_BYTES);
    begun(inner, places);
    for (let rule = 0; rule < rules.length; rule += 1) rules[rule]?.(x, inner);
    into[count] = inner.object ?? inner.other ?? {};
    count += 1;
  }
}

function join(array: Json[], target: Target, x: Execution, output: Output): void {
  x.tell(2 + 3 * array.length);
  const known = valueAt(target, x, output);
  if (!Array.isArray(known)) {
    put(target, array, x, output);
    return;
  }
  for (const each of array) known.push(each);
}
