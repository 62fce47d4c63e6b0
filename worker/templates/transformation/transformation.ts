/** A transformation that was read: how it runs. Contract §8, §13. */
import { type ErrorCode, GatewayError } from '../../../proto/errors.ts';
import type { Json } from '../../../proto/json.ts';
import type { Compiled, Fault, Reference, Rendered, Run } from '../compiled.ts';
import type { TransformationDefinition } from '../definition.ts';
import { Execution } from './execution.ts';
import { cut, endOfRun } from './failure.ts';
import { applyRules, budgetFaults, callNested, faultsBy, type Parts } from './process.ts';
import { renderWith } from './render.ts';

/** Closures take so many bytes for one of a definition, roughly. */
const GROWTH = 20;

/** Rules with what surrounds them. */
export class Transformation implements Compiled {
  readonly references: readonly Reference[];
  readonly usesNow: boolean;
  readonly weight: number;
  readonly cacheTtlS: number | undefined;
  readonly #parts: Parts;

  constructor(definition: TransformationDefinition, parts: Parts) {
    const { caching } = definition.performanceSettings ?? {};
    this.references = parts.references;
    this.usesNow = parts.usesNow;
    this.weight = 1_000 + GROWTH * JSON.stringify(definition).length;
    this.cacheTtlS = caching?.enabled === true ? caching.ttl : undefined;
    this.#parts = parts;
  }

  run(input: Json, run: Run): Json | Promise<Json> {
    const { schemas, readParameters } = this.#parts;
    const parameters = readParameters(run.parameters, run.parametersAreTexts);
    const faults = faultsBy(schemas.input, input);
    if (faults.length > 0) throw this.#error('BAD_REQUEST', faults);
    const x = new Execution(run, input, parameters);
    const waiting = this.#guarded(x, () => callNested(this.#parts, x));
    if (waiting === undefined) return this.#finish(x);
    return waiting.then(
      () => this.#finish(x),
      (error: unknown) => {
        throw this.#ended(x, error);
      },
    );
  }

  render(input: Json, run: Run): Rendered | Promise<Rendered> {
    return renderWith(this.#parts, input, run);
  }

  #finish(x: Execution): Json {
    const output = this.#guarded(x, () => applyRules(this.#parts, x));
    if (x.refused !== undefined) throw x.refused;
    const faults = x.faults.length > 0 ? x.faults : faultsBy(this.#parts.schemas.output, output);
    if (faults.length > 0) throw this.#error('TEMPLATE_FAILED', faults);
    return output;
  }

  /** @throws GatewayError in place of what ended the run */
  #guarded<Made>(x: Execution, make: () => Made): Made {
    try {
      return make();
    } catch (error) {
      throw this.#ended(x, error);
    }
  }

  #ended(x: Execution, error: unknown): unknown {
    const faults = budgetFaults(error, x.endedAt);
    return faults === undefined ? error : this.#error('TEMPLATE_FAILED', faults, endOfRun(error));
  }

  #error(code: ErrorCode, details: readonly Fault[], cause?: unknown): GatewayError {
    const [first] = details;
    const what = code === 'BAD_REQUEST' ? 'The input does not fit' : '';
    const where = first === undefined || first.path === '' ? '' : `${first.path}: `;
    const message = cut(
      `${what === '' ? this.#parts.name : `${what} ${this.#parts.name}`}: ${where}${first?.message ?? 'failed'}`,
    );
    return new GatewayError(code, message, cause === undefined ? { details } : { details, cause });
  }
}
