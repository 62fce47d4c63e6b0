/** `template` with `input` and `parameters`: what a rule asks of another template. Contract §8. */
import { isJsonObject, type Json } from '../../../proto/json.ts';
import type { Gather } from './execution.ts';
import { Unsent } from './failure.ts';
import { Members } from './report.ts';
import type { RuleContext } from './rule-context.ts';
import { argumentOf, type Get, isConstant, objectOf } from './source.ts';
import type { Producer } from './value-rule.ts';

/** Reads such a rule. @param isUnseen whether nothing shows its result */
export function nestedOf(
  rule: Members,
  place: RuleContext,
  isUnseen: boolean,
): Producer | undefined {
  const id = rule.text('template');
  const input = inputOf(rule, place);
  const { object: parameters = {} } = rule.members('parameters') ?? {};
  if (id === undefined || input === undefined) return undefined;
  const number = place.references.length;
  place.references.push({ kind: 'template', id, path: rule.at('template') });
  const gather: Gather = (x) => {
    x.spend(10);
    x.take(100);
    const value = input(x);
    if (value !== undefined) x.calls.push({ id, input: value, parameters, isUnseen, rule: number });
  };
  const produce: Get = (x) => {
    const value = input(x);
    x.trace?.input(value);
    if (value === undefined) return undefined;
    const outcome = x.outcome(number);
    if ('error' in outcome) {
      x.trace?.fold(outcome.steps ?? []);
      throw outcome.error;
    }
    if (outcome.note === undefined) x.trace?.made(id, outcome.output);
    x.trace?.fold(outcome.steps ?? []);
    if (outcome.note !== undefined) throw new Unsent(outcome.note);
    return outcome.output;
  };
  return { produce, gather, absence: 'its input is not there' };
}

/** A path, an object from name to path or value, or another value as itself; left out, the whole input. */
function inputOf(rule: Members, { scope }: RuleContext): Get | undefined {
  const input: Json = rule.get('input') ?? '$';
  if (isJsonObject(input) && !isConstant(input)) {
    return objectOf(new Members(input, rule.at('input'), rule.report), scope);
  }
  return argumentOf(input, rule.at('input'), scope);
}
