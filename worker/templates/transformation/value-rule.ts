/** Rules that give one value: `source`, `expression`, `value`, `function`, `template`. Contract §8. */
import type { Json } from '../../../proto/json.ts';
import { isMovedWithin } from '../../../proto/ordered-json.ts';
import type { Value } from '../../language/expressions/index.ts';
import type { Apply, Execution, Gather, Rule } from './execution.ts';
import { RuleFault } from './failure.ts';
import { fastPath, type PlainMove } from './fast-path.ts';
import { guarded, guardedGather, type RuleHead } from './guard.ts';
import { mappingOf } from './mapping.ts';
import { jsonOf, tellMoved } from './measure.ts';
import { nestedOf } from './nested-rule.ts';
import type { Members } from './report.ts';
import { headOf, type RuleContext, targetIn } from './rule-context.ts';
import { argumentOf, type Get, getterOf, type Member, memberOfSlot, pathOf } from './source.ts';
import { put, type Target } from './target.ts';
import { type Step, stepsOf } from './transformers/index.ts';
import { type Validate, validationOf } from './validation.ts';

/** Functions that a fault names at most. */
const NAMES_SHOWN = 20;

/** Where a rule's value comes from. */
export interface Producer {
  /** The value as JSON; undefined leaves the target out. */
  readonly produce: Get;
  /** The same, without a word to a render. */
  readonly untraced?: Get;
  /** Where it is no more than a member of a slot's value. */
  readonly member?: Member | undefined;
  readonly gather?: Gather;
  /** Why there may be no value, in words. */
  readonly absence: string;
}

/** What is done to a value before it is written. */
interface Treatment {
  readonly steps: readonly Step[];
  readonly validate: Validate | undefined;
}

/** Reads a rule of that sort. */
export function valueRule(rule: Members, sort: string, place: RuleContext): Rule | undefined {
  const isNamed = rule.has('as');
  const hasTarget = rule.has('target') || !isNamed;
  const target = hasTarget ? targetIn(rule, 'target', place.scope) : undefined;
  const label = target?.text ?? (isNamed ? `results.${String(rule.get('as'))}` : '');
  const head = headOf(rule, label, target, place);
  const producer = producerOf(rule, sort, target, place);
  const mapping = mappingOf(rule);
  const steps = [...stepsOf(rule), ...(mapping ? [mapping] : [])];
  const validate = validationOf(rule, place.scope);
  if (producer === undefined || (hasTarget && target === undefined)) return undefined;
  if (target !== undefined) place.places.add(target);
  if (isNamed) return namedRule(head, producer, { steps, validate }, place);
  return target && writingRule(head, producer, { steps, validate }, { target, place });
}

/** A rule that writes its value to its target. */
function writingRule(
  head: RuleHead,
  producer: Producer,
  { steps, validate }: Treatment,
  { target, place }: { readonly target: Target; readonly place: RuleContext },
): Rule {
  const isHidden = place.shown.hides(target.steps);
  const body = treated(producer, target, { steps, validate });
  const { gather } = producer;
  if (isHidden && gather === undefined) return hidden(target);
  const careful = guarded(head, isHidden ? unseen(producer) : body);
  return {
    apply:
      isHidden || gather
        ? careful
        : fastPath(careful, head, workOf(producer, { steps, validate }), target),
    gather: gather && guardedGather(head.condition, gather),
  };
}

/** A rule that names its result, and writes it where it has a target that is shown. */
function namedRule(
  head: RuleHead,
  producer: Producer,
  treatment: Treatment,
  place: RuleContext,
): Rule {
  const { target } = head;
  const shown = target !== undefined && place.shown.hides(target.steps) ? undefined : target;
  return {
    apply: guarded({ ...head, target: shown }, naming(producer, shown, treatment, head)),
    compute: guarded({ ...head, target: undefined }, naming(producer, undefined, treatment, head)),
    gather: producer.gather && guardedGather(head.condition, producer.gather),
  };
}

function naming(
  { produce, absence }: Producer,
  target: Target | undefined,
  treatment: Treatment,
  { results }: RuleHead,
): Apply {
  return (x, output) => {
    const value = treat(produce(x), treatment, x);
    if (results?.name !== undefined) x.name(results.name, value);
    if (value === undefined) x.trace?.note(absence);
    else if (target !== undefined) {
      tellMoved(value, x);
      put(target, value, x, output);
    }
  };
}

/** What the rule does where no render looks on. */
function workOf(producer: Producer, treatment: Treatment): PlainMove {
  const { produce, untraced = produce, member } = producer;
  const isPlain = treatment.steps.length === 0 && treatment.validate === undefined;
  if (isPlain) return { make: untraced, member };
  const [first, ...others] = treatment.steps;
  const isChangedOnce = first !== undefined && others.length === 0 && !treatment.validate;
  const make: Get = isChangedOnce
    ? changed(untraced, first)
    : (x) => treat(untraced(x), treatment, x);
  return { make, member: undefined };
}

/** What one step makes of a value: as `treat` does it, without a word to a render. */
function changed(get: Get, { apply }: Step): Get {
  return (x) => {
    const given = get(x);
    const { memory } = x.budget;
    const value = apply(given, x);
    x.budget.memory = memory;
    return value === undefined || value === given ? value : jsonOf(value, x);
  };
}

/** A rule that is not run, because nothing shows what it would write. */
export function hidden({ text }: { readonly text: string }): Rule {
  return {
    apply: ({ trace }) => {
      trace?.begin(text);
      trace?.note('not run: outputSchema does not show its target');
    },
    gather: undefined,
  };
}

function unseen({ produce }: Producer): Apply {
  return (x) => {
    produce(x);
    x.trace?.note('outputSchema does not show its target');
  };
}

function treated({ produce, absence }: Producer, target: Target, treatment: Treatment): Apply {
  return (x, output) => {
    const value = treat(produce(x), treatment, x);
    if (value === undefined) {
      x.trace?.note(absence);
      return;
    }
    tellMoved(value, x);
    put(target, value, x, output);
  };
}

/** @throws RuleFault */
function treat(
  given: Json | undefined,
  { steps, validate }: Treatment,
  x: Execution,
): Json | undefined {
  let value = given;
  if (steps.length > 0) {
    const { memory } = x.budget;
    for (const { name, apply } of steps) {
      value = apply(value, x);
      x.trace?.made(name, value);
    }
    // What was made on the way is garbage now.
    x.budget.memory = memory;
    if (value !== undefined && value !== given) value = jsonOf(value, x);
  }
  const reasons = validate?.(value, x) ?? [];
  if (reasons.length > 0) throw new RuleFault(reasons);
  return value;
}

function producerOf(
  rule: Members,
  sort: string,
  target: Target | undefined,
  place: RuleContext,
): Producer | undefined {
  if (sort === 'source') return sourceProducer(rule, place);
  if (sort === 'expression') return expressionProducer(rule, place);
  if (sort === 'function') return functionProducer(rule, place);
  if (sort === 'template') {
    const isUnseen = target !== undefined && !rule.has('as') && place.shown.hides(target.steps);
    return nestedOf(rule, place, isUnseen);
  }
  const constant = rule.get('value') ?? null;
  return { produce: shownInput(() => constant), absence: '' };
}

function sourceProducer(rule: Members, { scope }: RuleContext): Producer | undefined {
  const text = rule.text('source');
  const path = text === undefined ? undefined : pathOf(text, rule.at('source'), scope);
  if (path === undefined) return undefined;
  const get = getterOf(path, scope);
  const member = memberOfSlot(path, scope);
  return { produce: shownInput(get), untraced: get, member, absence: 'its source is not there' };
}

/** Shows in a render what the rule began with. */
function shownInput(get: Get): Get {
  return (x) => {
    const value = get(x);
    if (x.trace !== undefined) x.trace.input(value);
    return value;
  };
}

function expressionProducer(rule: Members, { scope }: RuleContext): Producer | undefined {
  const source = rule.text('expression');
  const expression =
    source === undefined ? undefined : scope.expression(source, rule.at('expression'));
  if (expression === undefined) return undefined;
  const produce: Get = (x) => made('expression', expression.run(x.slots, x.budget), x);
  return { produce, absence: 'its expression is undefined' };
}

function functionProducer(rule: Members, { scope }: RuleContext): Producer | undefined {
  const { functions } = scope.sources;
  const name = rule.text('function');
  const args = (rule.list('args') ?? []).map((each, index) =>
    argumentOf(each, `${rule.at('args')}.${index}`, scope),
  );
  if (name === undefined || args.includes(undefined)) return undefined;
  if (!functions?.has(name)) {
    const known = functions?.names.slice(0, NAMES_SHOWN).join(', ') ?? '';
    return rule.fault(
      'function',
      `is none of the template's functions${known === '' ? '' : `: ${known}`}`,
    );
  }
  if (functions.usesNow(name)) scope.sources.usesNow();
  const getters = args.flatMap((each) => each ?? []);
  const produce: Get = (x) => {
    const values: Value[] = getters.map((get) => get(x));
    x.isMoved ||= values.some(isMovedWithin);
    x.trace?.input(values.map((each) => (each ?? null) as Json)); // Read from JSON.
    return made(name, functions.call(name, values, x.budget), x);
  };
  return { produce, absence: 'its function answers undefined' };
}

/** The JSON that a source of the author's made. @throws RuleFault */
function made(name: string, value: Value, x: Execution): Json | undefined {
  if (value === undefined) return undefined;
  const json = jsonOf(value, x);
  x.trace?.made(name, json);
  return json;
}
