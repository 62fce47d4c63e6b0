/** Regular expressions of schemas, run in time linear in the text, whatever the expression. */
import { RE2JS, RE2Set } from 're2js';
import { toLinear, Unsupported } from '../expressions/index.ts';
import type { ValidationBudget } from './validation-budget.ts';

/** Longer ones are refused. Spec silent. */
const LONGEST = 2_000;
/** Instructions of a compiled expression; `[a-z]{1,200}` has about as many. Spec silent. */
const LARGEST = 300;
/** Bytes that an expression may remember of what it has seen: enough for tables of Unicode letters. */
const MEMORY = 128 * 1024;
/** At worst a character costs each instruction a fiftieth of a microsecond. */
const INSTRUCTIONS_PER_STEP = 8;

/** An expression that is looked for anywhere in a text. */
export class Pattern {
  /** As it is in the schema. */
  readonly source: string;
  readonly #expression: RE2Set;
  readonly #stepsPerCharacter: number;

  private constructor(source: string, expression: RE2Set) {
    this.source = source;
    this.#expression = expression;
    this.#stepsPerCharacter = expression.prog.numInst() / INSTRUCTIONS_PER_STEP;
  }

  /** The expression, or in words why it cannot be run. */
  static compile(source: string): Pattern | string {
    if (source.length > LONGEST) return `is longer than ${LONGEST} characters`;
    const expression = new RE2Set(RE2Set.UNANCHORED, RE2JS.LOOKBEHINDS, MEMORY);
    try {
      expression.add(toLinear(source, { looksBehind: true }));
      expression.compile();
    } catch (refusal) {
      return refusal instanceof Unsupported ? messageOf(refusal) : UNKNOWN;
    }
    const fits = expression.prog.numInst() <= LARGEST;
    return fits ? new Pattern(source, expression) : TOO_LARGE;
  }

  /** @throws GatewayError BAD_REQUEST when the steps are used up */
  test(text: string, work: ValidationBudget): boolean {
    work.spend(1 + text.length * this.#stepsPerCharacter);
    return this.#expression.match(text).length > 0;
  }
}

function messageOf({ message, looksAhead }: Unsupported): string {
  return looksAhead ? `${message}: use allOf with one pattern each` : message;
}

const UNKNOWN = 'uses what cannot be matched in linear time, or repeats more than 1000 times';
const TOO_LARGE = `is too large: its repetitions come to more than ${LARGEST} steps; minLength and maxLength count characters`;
