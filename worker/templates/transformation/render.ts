/** Renders a transformation: the same rules, with what each did, and nothing sent. Spec: "Render result". */
import { GatewayError } from '../../../proto/errors.ts';
import type { Json } from '../../../proto/json.ts';
import type { Fault, Rendered, Run, Step } from '../compiled.ts';
import { Execution } from './execution.ts';
import { after, applyRules, budgetFaults, callNested, faultsBy, type Parts } from './process.ts';
import { RenderTrace } from './trace.ts';

/** Never throws for what a caller can mend. */
export function renderWith(parts: Parts, input: Json, run: Run): Rendered | Promise<Rendered> {
  return after(faultsBy(parts.schemas.input, input, run), (errors) =>
    errors.length > 0 ? stopped({ valid: false, errors }, errors) : renderValid(parts, input, run),
  );
}

function renderValid(parts: Parts, input: Json, run: Run): Rendered | Promise<Rendered> {
  const trace = new RenderTrace(run.budget.bounds.outputBytes);
  let x: Execution | undefined;
  const stop = (error: unknown) =>
    stopped({ valid: true }, mendable(error, x?.endedAt), trace.steps);
  try {
    const parameters = parts.readParameters(run.parameters, run.parametersAreTexts);
    const running = new Execution(run, input, parameters, trace);
    x = running;
    const rendered = after(callNested(parts, running), () =>
      after(applyRules(parts, running), (output) => shown(parts, running, trace, output)),
    );
    return rendered instanceof Promise ? rendered.catch(stop) : rendered;
  } catch (error) {
    return stop(error);
  }
}

function shown(
  parts: Parts,
  x: Execution,
  trace: RenderTrace,
  output: Json,
): Rendered | Promise<Rendered> {
  const inputValidation = { valid: true };
  const { refused } = x;
  const faults = [
    ...x.faults,
    ...(refused === undefined ? [] : [{ path: 'transformationRules', message: refused.message }]),
  ];
  if (faults.length > 0) return stopped(inputValidation, faults, trace.steps);
  return after(faultsBy(parts.schemas.output, output, x.run), (errors) => {
    // What stands for a result that was not asked for says nothing about a run.
    const isWhole = !trace.isUnsent;
    const isRefused = errors.length > 0 && isWhole;
    return {
      success: !isRefused,
      inputValidation,
      output,
      transformationSteps: trace.steps,
      outputValidation: errors.length === 0 ? { valid: true } : { valid: false, errors },
      ...(isRefused ? { errors } : {}),
    };
  });
}

function stopped(
  inputValidation: Rendered['inputValidation'],
  errors: readonly Fault[],
  transformationSteps: readonly Step[] = [],
): Rendered {
  return {
    success: false,
    inputValidation,
    output: null,
    transformationSteps,
    outputValidation: { valid: false },
    errors,
  };
}

/** The faults that an error is told as. @throws it, where it is not for a caller to mend */
function mendable(error: unknown, endedAt: string | undefined): readonly Fault[] {
  const faults = budgetFaults(error, endedAt);
  if (faults !== undefined) return faults;
  if (!(error instanceof GatewayError)) throw error;
  const { code, details, message } = error;
  if (code !== 'BAD_REQUEST' && code !== 'TEMPLATE_FAILED') throw error;
  const found = details.flatMap((each) => ('path' in each ? [each as Fault] : []));
  return found.length > 0 ? found : [{ path: '', message }];
}
