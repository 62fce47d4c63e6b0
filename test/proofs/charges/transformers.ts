/** Whether transformers and mappings cost what their fuel says. */
import { GatewayError } from '../../../proto/errors.ts';
import type { Json } from '../../../proto/json.ts';
import { Budget, BudgetFault } from '../../../worker/language/expressions/index.ts';
import type { Run } from '../../../worker/templates/compiled.ts';
import { Execution } from '../../../worker/templates/transformation/execution.ts';
import { RuleFault, RunOver } from '../../../worker/templates/transformation/failure.ts';
import {
  payInput,
  REFUSAL_STEPS,
  TRANSFORMERS,
  type Transformer,
} from '../../../worker/templates/transformation/transformers/index.ts';
import { cpuMs } from '../processor-time.ts';
import type { Choices } from '../random.ts';
import { valueBy } from './arguments.ts';
import { STEP_NS } from './expressions.ts';
import type { Case } from './proof.ts';

export { STEP_NS };

/** Fuel of one case: a little first, so that one that pays too little ends. */
const FUEL = [5_000, 600_000] as const;
/** Less than the first is too little to be measured; with less than the second it is tried with more fuel. */
const [LEAST_MS, ENOUGH_MS] = [1, 12];
/** What naming a transformer in a rule costs besides it. */
const RULE_STEPS = 3;

/** A transformer, its arguments and a value by chance. */
export function caseBy(choices: Choices): Case {
  const transformer = choices.pickAny(TRANSFORMERS);
  if (transformer === undefined) throw new Error('There are transformers.');
  const args = argumentsBy(transformer, choices);
  const { name, value } = valueBy(choices, 200_000);
  return {
    name: `${transformer.name} ${JSON.stringify(args).slice(0, 200)} of ${name}`,
    nsPerStep: () => nsPerStep(transformer, args, value),
  };
}

/** Those of its example, or larger ones. */
function argumentsBy({ example, args = [] }: Transformer, choices: Choices): readonly Json[] {
  const given = example.args ?? [];
  return given.map((each, at) => {
    const { kind, most } = args[Math.min(at, args.length - 1)] ?? {};
    if (kind === 'text' && choices.chance(0.5))
      return choices.pick(['', 'a', 'ab, ', '7'.repeat(200), '0'.repeat(5_000)]);
    if (kind === 'integer' && choices.chance(0.3)) return Math.min(most ?? 10_000, 10_000);
    return each;
  });
}

/** Nanoseconds that each step of a transformer took; undefined where it is not called. */
export function nsPerStep(
  transformer: Transformer,
  args: readonly Json[],
  value: Json,
): number | undefined {
  if (value === null) return undefined;
  const transform = transformer.make(args);
  let found: number | undefined;
  for (const fuel of FUEL) {
    const budget = new Budget({ fuel, depth: 200, outputBytes: 1e13 }, 0);
    // Of a run, transformers use its budget alone.
    const x = new Execution({ budget } as Run, null, {});
    const ms = cpuMs(() => {
      const once = () => {
        x.spend(RULE_STEPS);
        payInput(value, x);
        return transform(value, x);
      };
      while (attempt(once, x));
    });
    const steps = Math.max(1, fuel - Math.max(0, budget.fuel));
    found = ms < LEAST_MS ? undefined : (ms * 1e6) / steps;
    if (ms >= ENOUGH_MS) break;
  }
  return found;
}

/** Whether there is fuel left; what a transformer refuses takes time as well. */
function attempt(run: () => unknown, x: Execution): boolean {
  try {
    run();
    return true;
  } catch (error) {
    if (error instanceof RunOver || error instanceof BudgetFault) return false;
    if (!(error instanceof RuleFault || error instanceof GatewayError)) throw error;
    x.budget.fuel -= REFUSAL_STEPS;
    return true;
  }
}
