/** A transformation that was read: how it runs. Contract §8, §13. */
import { type ErrorCode, GatewayError } from '../../../proto/errors.ts';
import type { Json } from '../../../proto/json.ts';
import { asMoved } from '../../../proto/ordered-json.ts';
import type { Compiled, Fault, Reference, Rendered, Run } from '../compiled.ts';
import type { TransformationDefinition } from '../definition.ts';
import { Execution } from './execution.ts';
import { cut, endOfRun } from './failure.ts';
import { after, applyRules, budgetFaults, callNested, faultsBy, type Parts } from './process.ts';
import { renderWith } from './render.ts';

/** Bytes that closures take for one byte of a definition, roughly. */
const GROWTH = 20;

/** Rules with the order, references and cost that were read for them. */
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
    return after(faultsBy(schemas.input, input, run), (faults) => {
      if (faults.length > 0) throw this.#error('BAD_REQUEST', faults);
      return this.#begin(new Execution(run, input, parameters));
    });
  }

  #begin(x: Execution): Json | Promise<Json> {
    const waiting = this.#guarded(x, () => callNested(this.#parts, x));
    return waiting === undefined ? this.#finish(x) : waiting.then(() => this.#finish(x));
  }

  render(input: Json, run: Run): Rendered | Promise<Rendered> {
    return renderWith(this.#parts, input, run);
  }

  #finish(x: Execution): Json | Promise<Json> {
    return after(
      this.#guarded(x, () => applyRules(this.#parts, x)),
      (output) => this.#checked(x, output),
    );
  }

  #checked(x: Execution, output: Json): Json | Promise<Json> {
    if (x.refused !== undefined) throw x.refused;
    const found =
      x.faults.length > 0 ? x.faults : faultsBy(this.#parts.schemas.output, output, x.run);
    return after(found, (faults) => {
      if (faults.length > 0) throw this.#error('TEMPLATE_FAILED', faults);
      return x.isMoved ? asMoved(output) : output;
    });
  }

  /** @throws GatewayError instead of what ended the run; a promise is rejected with it */
  #guarded<Made>(x: Execution, make: () => Made): Made {
    const refuse = (error: unknown): never => {
      throw this.#ended(x, error);
    };
    try {
      const made = make();
      // A promise has the same type, however it is rejected.
      return made instanceof Promise ? (made.catch(refuse) as Made) : made;
    } catch (error) {
      return refuse(error);
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
