/** Runs nested templates: all that rules are going to need, before the rules write. Contract §8. */
import { GatewayError } from '../../../proto/errors.ts';
import { BudgetFault } from '../../language/expressions/index.ts';
import type { Compiled, Fault, Rendered, Run } from '../compiled.ts';
import type { Execution, NestedCall, NestedOutcome } from './execution.ts';
import { cut, endOfRun, RuleFault, RunOver } from './failure.ts';

/**
 * Makes every call that was gathered, from one on; outcomes are in the order of the calls. A promise only
 * where a call returns one; then at most `width` calls are under way at a time.
 * @throws what ends the whole run
 */
export function callAll(x: Execution, width: number, from = 0): Promise<void> | undefined {
  for (let at = from; at < x.calls.length; at += 1) {
    const outcome = call(x, at);
    if (outcome instanceof Promise) return callOthers(x, at, outcome, width);
    x.outcomes[at] = outcome;
  }
  return undefined;
}

async function callOthers(
  x: Execution,
  first: number,
  pending: Promise<NestedOutcome>,
  width: number,
): Promise<void> {
  let next = first + 1;
  let isOver = false;
  const work = async (
    at: number,
    outcome: NestedOutcome | Promise<NestedOutcome>,
  ): Promise<void> => {
    try {
      x.outcomes[at] = await outcome;
      while (next < x.calls.length && !isOver) {
        const mine = next;
        next += 1;
        x.outcomes[mine] = await call(x, mine);
      }
    } catch (error) {
      isOver = true;
      throw error;
    }
  };
  const workers = [work(first, pending)];
  while (workers.length < width && next < x.calls.length && !isOver) {
    const mine = next;
    next += 1;
    workers.push(work(mine, started(x, mine)));
  }
  // None of this run goes on once it has ended.
  for (const each of await Promise.allSettled(workers)) {
    if (each.status === 'rejected') throw each.reason;
  }
}

/** A call whose failure to start is a promise's too. */
async function started(x: Execution, at: number): Promise<NestedOutcome> {
  return await call(x, at);
}

function call(x: Execution, at: number): NestedOutcome | Promise<NestedOutcome> {
  const made = x.calls[at];
  if (made === undefined) return { output: undefined };
  x.run.signal.throwIfAborted();
  x.budget.depth -= 1;
  try {
    if (x.budget.depth < 0) throw new RunOver('depth');
    const compiled = x.run.nested(made.id);
    if (made.isUnseen && !writes(compiled, x.run, new Set())) return { output: undefined };
    const other = x.run.within?.(made.id);
    const run = { ...x.run, ...other, parameters: made.parameters, parametersAreTexts: false };
    return x.trace === undefined ? runOf(compiled, made, run) : renderOf(compiled, made, run, x);
  } catch (error) {
    return failed(error, made);
  } finally {
    x.budget.depth += 1;
  }
}

function runOf(
  compiled: Compiled,
  made: NestedCall,
  run: Run,
): NestedOutcome | Promise<NestedOutcome> {
  const output = compiled.run(made.input, run);
  if (!(output instanceof Promise)) return { output };
  return output.then(
    (value) => ({ output: value }),
    (error: unknown) => failed(error, made),
  );
}

/** @throws what ends the whole run */
function failed(error: unknown, { id }: NestedCall): NestedOutcome {
  if (!(error instanceof GatewayError)) {
    throw endOfRun(error) ?? error;
  }
  const { cause, code, details } = error;
  const inner = faultsOf(id, details as readonly Fault[], error);
  if (cause instanceof BudgetFault) {
    throw new NestedOver(cause, inner[0]?.message ?? id);
  }
  if (code !== 'TEMPLATE_FAILED' && code !== 'BAD_REQUEST') return { error };
  return { error: new RuleFault(inner) };
}

/** A budget that was spent within a nested template. */
class NestedOver extends RunOver {
  constructor({ kind }: BudgetFault, message: string) {
    super(kind);
    this.message = message;
  }
}

/** The faults of a nested template as those of the rule that nests it: they name it. */
function faultsOf(id: string, details: readonly Fault[], { message }: Error) {
  const found = details.filter((each) => typeof each.path === 'string');
  if (found.length === 0) return [{ message: cut(`${id}: ${message}`) }];
  return found.map(({ path, ...fault }) => ({
    ...fault,
    message: cut(`${id}: ${path === '' ? '' : `${path}: `}${fault.message}`),
  }));
}

/** Whether a template, or one that it nests, may change anything at an endpoint. */
function writes(compiled: Compiled, run: Run, seen: Set<Compiled>): boolean {
  if (seen.has(compiled)) return false;
  seen.add(compiled);
  return compiled.references.some((each) =>
    each.kind === 'endpoint' ? each.level !== 'Read' : writes(run.nested(each.id), run, seen),
  );
}

function renderOf(
  compiled: Compiled,
  made: NestedCall,
  run: Run,
  x: Execution,
): NestedOutcome | Promise<NestedOutcome> {
  const rendered = compiled.render(made.input, run);
  if (!(rendered instanceof Promise)) return outcomeOf(rendered, compiled, made, x);
  return rendered.then((each) => outcomeOf(each, compiled, made, x));
}

/** @throws RunOver when the nested render spent a budget */
function outcomeOf(
  rendered: Rendered,
  compiled: Compiled,
  { id }: NestedCall,
  x: Execution,
): NestedOutcome {
  const steps = rendered.transformationSteps.map((each) => ({
    ...each,
    rule: `${id}: ${each.rule}`,
  }));
  if (x.budget.fuel < 0 || x.budget.memory < 0)
    throw new RunOver(x.budget.fuel < 0 ? 'fuel' : 'memory');
  if (!rendered.success) {
    const faults = [
      ...(rendered.errors ?? []),
      ...(rendered.inputValidation.errors ?? []),
      ...(rendered.outputValidation.errors ?? []),
    ];
    const told = faults.filter(
      (each, at) =>
        faults.findIndex((one) => one.path === each.path && one.message === each.message) === at,
    );
    return { error: new RuleFault(faultsOf(id, told, new Error('fails'))), steps };
  }
  const isSent = compiled.references.some(({ kind }) => kind === 'endpoint');
  if (!isSent) return { output: rendered.output, steps };
  return { output: undefined, steps, note: 'its request was not sent, so that there is no result' };
}
