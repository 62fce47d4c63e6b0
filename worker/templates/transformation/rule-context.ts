/** Where a rule is while it is read. */
import type { Expression } from '../../language/expressions/index.ts';
import type { Reference } from '../compiled.ts';
import type { Output } from './execution.ts';
import type { RuleHead } from './guard.ts';
import { onErrorOf } from './on-error.ts';
import type { Places } from './output-places.ts';
import type { OutputSchema } from './output-schema.ts';
import type { Members } from './report.ts';
import type { OwnResults } from './results.ts';
import type { Scope } from './scope.ts';
import { type Target, targetOf } from './target.ts';

/** What rules of one list share. */
export interface RuleContext {
  readonly scope: Scope;
  /** Of the output that they write to. */
  readonly places: Places;
  /** What is shown of that output. */
  readonly shown: OutputSchema;
  /** Lists of rules around. */
  readonly depth: number;
  /** Templates that are nested. */
  readonly references: Reference[];
  /** Of a template whose rules name results: of the rule at hand. */
  readonly results?: OwnResults | undefined;
}

/** The member that names a target; undefined, with a fault, when it cannot be one. */
export function targetIn(rule: Members, name: string, scope: Scope): Target | undefined {
  const text = rule.needText(name);
  return text === undefined ? undefined : targetAt(text, rule.at(name), rule, scope);
}

/** The same of any text. */
export function targetAt(
  text: string,
  at: string,
  { report }: Members,
  scope: Scope,
): Target | undefined {
  const target = targetOf(text, scope);
  if (typeof target !== 'string') return target;
  report.add(at, target);
  return undefined;
}

/** The condition, and what happens when the rule fails. */
export function headOf(
  rule: Members,
  label: string,
  target: Target | undefined,
  { scope, results }: RuleContext,
): RuleHead {
  return {
    path: rule.path,
    label,
    level: scope.level,
    condition: conditionOf(rule, scope),
    onError: onErrorOf(rule, target !== undefined || rule.has('target') || rule.has('as')),
    target,
    results,
  };
}

/** The expression of a member; undefined when it is absent or, with a fault, none. */
export function conditionOf(
  rule: Members,
  scope: Scope,
  name = 'condition',
): Expression | undefined {
  const source = rule.text(name);
  return source === undefined ? undefined : scope.expression(source, rule.at(name));
}

/** Makes an output what it is before any rule writes. */
export function begun(output: Output, places: Places): Output {
  output.object = places.mayBeArray ? undefined : {};
  output.other = undefined;
  return output;
}
