/** What checking a value may cost: counted, since clocks stand still in the deployed isolate. */
import { badRequest, type GatewayError } from '../../../proto/errors.ts';

/** Nanoseconds that a step stands for. */
export const STEP_NS = 65;
/** Of `STEP_NS` each, some 0.4 s; 10 MiB of ordinary records take most of them. Spec silent. */
const MOST_STEPS = 6_000_000;
/**
 * Schemas inside one another while a value is checked, and objects and arrays inside one another in
 * a schema; the runtime's stack takes twice as many at worst. Spec silent.
 */
export const DEEPEST = 400;

/** The work of one check of one value. */
export class ValidationBudget {
  #steps: number;
  #depth = 0;

  /** @param steps `MOST_STEPS` when left out */
  constructor(steps: number = MOST_STEPS) {
    this.#steps = steps;
  }

  /** Steps that may still be taken; below zero once there were too many. */
  get left(): number {
    return this.#steps;
  }

  /** @throws GatewayError BAD_REQUEST when the steps are used up */
  spend(steps: number): void {
    this.#steps -= steps;
    if (this.#steps < 0) throw tooMuch();
  }

  /** How many schemas, or parts of a value, the present one is inside of. */
  get depth(): number {
    return this.#depth;
  }

  /**
   * Goes one deeper.
   * @returns the depth before
   * @throws GatewayError BAD_REQUEST when it is too deep already
   */
  enter(): number {
    if (this.#depth >= DEEPEST) throw tooDeep();
    this.#depth += 1;
    return this.#depth - 1;
  }

  /**
   * Comes back.
   * @returns the depth then
   */
  leave(): number {
    this.#depth -= 1;
    return this.#depth;
  }
}

function tooMuch(): GatewayError {
  const message = `takes more than ${MOST_STEPS} steps to check: the schema or the value is too large`;
  return badRequest('', message, `The value ${message}`);
}

function tooDeep(): GatewayError {
  const message = `leads through more than ${DEEPEST} schemas inside one another: it is nested too deeply, or the schema leads back to itself without an end`;
  return badRequest('', message, `The value ${message}`);
}
