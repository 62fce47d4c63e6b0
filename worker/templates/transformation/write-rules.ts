/** `copy` and `initialize`: rules that write several places. Contract §8. */
import { isJsonObject, type Json, type JsonObject } from '../../../proto/json.ts';
import { inOrder, isReordered, namesOf } from '../../../proto/ordered-json.ts';
import type { Apply, Execution, Output, Rule } from './execution.ts';
import { RuleFault } from './failure.ts';
import { guarded } from './guard.ts';
import { tellMoved } from './measure.ts';
import { ANY } from './output-places.ts';
import type { Members } from './report.ts';
import { headOf, type RuleContext, targetAt } from './rule-context.ts';
import { type Get, getterOf, pathOf, sourceOf } from './source.ts';
import { put, Target, valueAt } from './target.ts';
import { hidden } from './value-rule.ts';

/** Reads `{copy: {from, to, fields}}`. */
export function copyRule(rule: Members, place: RuleContext): Rule | undefined {
  const copy = rule.members('copy');
  const head = headOf(rule, 'copy', undefined, place);
  if (copy === undefined) return undefined;
  copy.refuseOthers(['from', 'to', 'fields'], 'copy');
  const from = copy.has('from') ? sourceOf(copy, 'from', place.scope) : wholeInput(place);
  const to = copy.has('to')
    ? targetAt(copy.needText('to') ?? '$', copy.at('to'), copy, place.scope)
    : new Target('$', []);
  if (from === undefined || to === undefined) return undefined;
  const label = `copy ${copy.text('from') ?? '$'}`;
  if (place.shown.hides(to.steps)) return hidden({ text: label });
  const body = copy.has('fields')
    ? fieldsOf(copy, from, to, place)
    : wholeOf(from, to, copy.has('to'), place);
  return body && { apply: guarded({ ...head, label }, body), gather: undefined };
}

function wholeInput({ scope }: RuleContext): Get {
  return ({ slots }) => slots[scope.names.indexOf('$')] as Json; // Slots hold JSON.
}

/** Puts the value at its place; where an object is already, members join it. */
function wholeOf(from: Get, to: Target, mayBePut: boolean, { places }: RuleContext): Apply {
  places.add(to);
  places.add(to, [ANY]);
  return (x, output) => {
    const value = from(x);
    x.trace?.input(value);
    if (value === undefined) return absent(x);
    const isMerged = isJsonObject(value) && (isJsonObject(valueAt(to, x, output)) || !mayBePut);
    if (isMerged) {
      merge(value, to, x, output);
    } else {
      if (!mayBePut) throw new RuleFault('copies members, and there is no object at `from`');
      tellMoved(value, x);
      put(to, value, x, output);
    }
  };
}

function absent(x: Execution): void {
  x.trace?.note('its source is not there');
}

/** Each member goes to its own place: values are copied as deep as rules write into them. */
function merge(value: JsonObject, to: Target, x: Execution, output: Output): void {
  const known = valueAt(to, x, output);
  const before = isJsonObject(known) ? namesOf(known) : [];
  for (const name of namesOf(value)) {
    const each = value[name] ?? null;
    const place = to.below([name]);
    place.depth = Math.max(0, to.depth - 1);
    x.spend(1);
    x.take(8);
    tellMoved(each, x);
    put(place, each, x, output);
  }
  if (isReordered(value)) follow(value, before, valueAt(to, x, output));
}

/** Members that came are behind those that were there, in their own order. */
function follow(value: JsonObject, before: readonly string[], into: Json | undefined): void {
  if (isJsonObject(into)) inOrder(into, [...new Set([...before, ...namesOf(value)])]);
}

function fieldsOf(copy: Members, from: Get, to: Target, place: RuleContext): Apply | undefined {
  const fields = (copy.list('fields') ?? []).flatMap((field, index) => {
    const at = `${copy.at('fields')}.${index}`;
    if (typeof field !== 'string' || field === '') {
      copy.report.add(at, 'must be the name of a member, or a path below `from`');
      return [];
    }
    const path = pathOf(field, at, place.scope.bare);
    const target = path && targetAt(field, at, copy, place.scope);
    if (!path || !target) return [];
    const whole = to.below(target.steps);
    if (place.shown.hides(whole.steps)) return [];
    place.places.add(whole);
    // The path is one into the value at `from`, whatever loops are called.
    return [{ get: getterOf(path, place.scope.bare), target: whole }];
  });
  return (x, output) => {
    const value = from(x);
    x.trace?.input(value);
    if (value === undefined) return absent(x);
    const [input] = x.slots;
    x.slots[0] = value;
    try {
      for (const { get, target } of fields) {
        const found = get(x);
        if (found === undefined) continue;
        tellMoved(found, x);
        put(target, found, x, output);
      }
    } finally {
      x.slots[0] = input;
    }
  };
}

/** Reads `{initialize: {path: value}}`. */
export function initializeRule(rule: Members, place: RuleContext): Rule | undefined {
  const members = rule.members('initialize');
  const head = headOf(rule, 'initialize', undefined, place);
  if (members === undefined) return undefined;
  const values: { target: Target; value: Json }[] = [];
  for (const [path, value] of Object.entries(members.object)) {
    const target = targetAt(path, members.at(path), members, place.scope);
    if (target === undefined || place.shown.hides(target.steps)) continue;
    place.places.add(target);
    values.push({ target, value });
  }
  const body: Apply = (x, output) => {
    x.spend(values.length);
    x.trace?.input(members.object);
    for (const { target, value } of values) {
      tellMoved(value, x);
      put(target, value, x, output);
    }
  };
  return { apply: guarded(head, body), gather: undefined };
}
