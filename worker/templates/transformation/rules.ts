/** Reads lists of rules: which sort each is, and that it has no member of another. Contract §8. */
import { isJsonObject, type Json } from '../../../proto/json.ts';
import { truncated } from '../../../proto/truncate.ts';
import type { Pieces } from '../../../proto/work/pieces.ts';
import type { Apply, Gather, Rule } from './execution.ts';
import { guarded, guardedGather } from './guard.ts';
import { loopRule } from './loop.ts';
import { FAILS } from './on-error.ts';
import { Members } from './report.ts';
import type { ResultNames } from './result-names.ts';
import { inRounds, OwnResults, resultName } from './results.ts';
import { conditionOf, type RuleContext } from './rule-context.ts';
import { holds } from './scope.ts';
import { valueRule } from './value-rule.ts';
import { copyRule, initializeRule } from './write-rules.ts';

/** Most lists of rules within each other. Spec silent. */
export const DEPTH_MAX = 32;
/** Each takes some 20 microseconds, or with long expressions more. */
const RULES_OF_A_PIECE = 16;
const ofValues = ['target', 'transformers', 'mapping', 'validation', 'onError', 'condition', 'as'];

/** Sorts of rules by the member that makes them, and what else each may have. */
const SORTS: Readonly<Record<string, readonly string[]>> = {
  source: ofValues,
  expression: ofValues,
  value: ofValues,
  function: [...ofValues, 'args'],
  template: [...ofValues, 'input', 'parameters'],
  copy: ['condition', 'onError'],
  initialize: ['condition', 'onError'],
  forEach: ['target', 'rules', 'condition', 'onError', 'as'],
};
const PRODUCERS = Object.keys(SORTS);
const MEMBERS: ReadonlySet<string> = new Set([
  ...PRODUCERS,
  ...Object.values(SORTS).flat(),
  'rules',
  'else',
]);
/** Most unknown names that a message repeats, and most characters of each. */
const SHOWN_MAX = 32;

/** Reads the rules of a member, in pieces. */
function* rulesOf(rule: Members, name: string, place: RuleContext): Pieces<readonly Rule[]> {
  const list = rule.list(name);
  if (list === undefined) {
    if (!rule.has(name)) rule.fault(name, 'is required: a list of rules');
    return [];
  }
  return yield* readRules(list, rule.at(name), rule, { ...place, depth: place.depth + 1 });
}

/** Reads a list of rules, in pieces. @param path of the list */
export function* readRules(
  list: readonly Json[],
  path: string,
  { report }: Pick<Members, 'report'>,
  place: RuleContext,
): Pieces<readonly Rule[]> {
  if (place.depth > DEPTH_MAX) {
    report.add(path, `is nested deeper than ${DEPTH_MAX} lists of rules`);
    return [];
  }
  const rules: Rule[] = [];
  for (const [index, each] of list.entries()) {
    const at = `${path}.${index}`;
    if (isJsonObject(each)) {
      const rule = yield* readRule(new Members(each, at, report), place);
      if (rule) rules.push(rule);
    } else report.add(at, 'must be an object: a rule, or a block of rules under a condition');
    if (index % RULES_OF_A_PIECE === RULES_OF_A_PIECE - 1) yield;
  }
  return rules;
}

/** Reads a rule, and gives it its turn where rules of the template name results. */
function* readRule(rule: Members, place: RuleContext): Pieces<Rule | undefined> {
  const { naming } = place.scope;
  if (naming === undefined) return yield* readSort(rule, place);
  const own = naming.ofRule();
  const results = new OwnResults(own);
  const before = naming.known.count;
  const made = yield* readSort(rule, { ...place, scope: place.scope.withNaming(own), results });
  const isGroup = rule.has('rules') || rule.has('forEach');
  results.name = rule.has('as') ? resultName(rule, naming) : undefined;
  const turn = made && inRounds(made, own, results, { isGroup, within: results.within });
  // What cannot be read gives its name all the same: rules that use it are not at fault.
  if (results.name !== undefined && !naming.known.has(results.name)) {
    naming.known.set(results.name, 0);
  }
  results.gives = naming.known.since(before);
  return turn;
}

function* readSort(rule: Members, place: RuleContext): Pieces<Rule | undefined> {
  const sorts = PRODUCERS.filter((name) => rule.has(name));
  const [sort] = sorts;
  if (sort === undefined) {
    if (rule.has('rules') || rule.has('else')) return yield* blockOf(rule, place);
    const needed = `needs one of ${PRODUCERS.join(', ')}, or rules under a condition`;
    rule.report.add(rule.path, `${needed}${strangersIn(rule)}`);
    return undefined;
  }
  if (sorts.length > 1) {
    rule.report.add(rule.path, `has ${sorts.join(' and ')}: a rule has one of them`);
    return undefined;
  }
  rule.refuseOthers([sort, ...(SORTS[sort] ?? [])], `a rule with ${sort}`);
  if (sort === 'forEach') return yield* loopRule(rule, place, rulesOf);
  if (sort === 'copy') return copyRule(rule, place);
  if (sort === 'initialize') return initializeRule(rule, place);
  return valueRule(rule, sort, place);
}

/** Members that no rule has: one of them was meant for what is missing. */
function strangersIn(rule: Members): string {
  const names = Object.keys(rule.object).filter((name) => !MEMBERS.has(name));
  if (names.length === 0) return '';
  const shown = names.slice(0, SHOWN_MAX).map((name) => JSON.stringify(truncated(name, SHOWN_MAX)));
  return `; ${shown.join(', ')} ${shown.length === 1 ? 'is' : 'are'} not known`;
}

/** `{condition, rules, else}`. */
function* blockOf(rule: Members, place: RuleContext): Pieces<Rule | undefined> {
  rule.refuseOthers(['condition', 'rules', 'else'], 'a block of rules');
  if (!rule.has('condition')) rule.fault('condition', 'is required in a block of rules');
  const condition = conditionOf(rule, place.scope);
  const { then, otherwise } = yield* branchesOf(rule, place);
  if (condition === undefined) return undefined;
  const branch = (rules: readonly Rule[]) => rules.map(({ apply }) => apply);
  const [applied, others] = [branch(then), branch(otherwise)];
  const body: Apply = (x, output) => {
    const isTrue = holds(condition.run(x.slots, x.budget));
    x.trace?.note(isTrue ? 'its condition holds' : 'its condition does not hold');
    for (const apply of isTrue ? applied : others) apply(x, output);
  };
  const gathers = [then, otherwise].map((rules) => rules.flatMap(({ gather }) => gather ?? []));
  const [gatherThen = [], gatherElse = []] = gathers;
  const gather: Gather = (x) => {
    const isTrue = holds(condition.run(x.slots, x.budget));
    for (const each of isTrue ? gatherThen : gatherElse) each(x);
  };
  const head = {
    path: rule.path,
    label: 'condition',
    level: place.scope.level,
    condition: undefined,
    onError: FAILS,
    target: undefined,
    results: place.results,
  };
  return {
    apply: guarded(head, body),
    gather: gathers.flat().length === 0 ? undefined : guardedGather(undefined, gather),
  };
}

/** Both lists of rules of a block. What either names is visible after the block; neither sees what the other names. */
function* branchesOf(
  rule: Members,
  place: RuleContext,
): Pieces<{ readonly then: readonly Rule[]; readonly otherwise: readonly Rule[] }> {
  const { scope, results } = place;
  const { naming } = scope;
  const inner = (known?: ResultNames): RuleContext => ({
    ...place,
    scope: scope.withNaming(naming?.within(known, results?.within)),
  });
  const [ofThen, ofElse] = [naming?.branch(), naming?.branch()];
  const then = yield* rulesOf(rule, 'rules', inner(ofThen));
  const otherwise = rule.has('else') ? yield* rulesOf(rule, 'else', inner(ofElse)) : [];
  for (const each of [ofThen, ofElse]) if (each) naming?.known.takeIn(each);
  return { then, otherwise };
}
