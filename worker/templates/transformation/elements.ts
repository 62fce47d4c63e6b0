/** What a loop goes through: `array`, `as`, `index`, `filter` and `validation` of `forEach`. Contract §8. */
import type { Json } from '../../../proto/json.ts';
import type { Expression } from '../../language/expressions/index.ts';
import type { Execution } from './execution.ts';
import { RuleFault } from './failure.ts';
import type { Members } from './report.ts';
import { conditionOf } from './rule-context.ts';
import { holds, type Scope } from './scope.ts';
import { type Get, sourceOf } from './source.ts';
import { kindOf } from './transformers/transformer.ts';
import { type Validate, validationOf } from './validation.ts';

const NONE: readonly Json[] = [];

/** The elements of a loop, and where a run keeps the one at hand. */
export class Elements {
  readonly #get: Get;
  readonly #validate: Validate | undefined;
  readonly #filter: Expression | undefined;
  /** Whether it may leave elements out. */
  readonly isFiltered: boolean;
  readonly #slot: number;
  readonly #hasIndex: boolean;
  readonly #level: number;

  constructor(
    get: Get,
    validate: Validate | undefined,
    filter: Expression | undefined,
    scope: Scope,
  ) {
    this.#get = get;
    this.#validate = validate;
    this.#filter = filter;
    this.isFiltered = filter !== undefined;
    this.#hasIndex = scope.hasIndex;
    this.#slot = scope.elementSlot;
    this.#level = scope.level - 1;
  }

  /** The array; undefined when it is not there. @throws RuleFault for what is none, or is not valid */
  of(x: Execution): readonly Json[] | undefined {
    const elements = this.#get(x);
    if (this.#validate !== undefined) {
      const reasons = this.#validate(elements, x);
      if (reasons.length > 0) throw new RuleFault(reasons);
    }
    if (elements === undefined || Array.isArray(elements)) return elements;
    throw new RuleFault(`forEach takes an array, not ${kindOf(elements)}`);
  }

  /** Takes up an element; whether its rules run. @throws RuleFault, RunOver */
  enter(x: Execution, element: Json | undefined, at: number, steps: number): boolean {
    const { slots, trail } = x;
    trail[this.#level] = at;
    slots[this.#slot] = element;
    if (this.#hasIndex) slots[this.#slot + 1] = at;
    x.spend(steps);
    return this.#filter === undefined || holds(this.#filter.run(slots, x.budget));
  }

  /** Does something for each. */
  each(x: Execution, steps: number, visit: () => void): void {
    const elements = this.of(x) ?? NONE;
    for (let at = 0; at < elements.length; at += 1) {
      if (this.enter(x, elements[at], at, steps)) visit();
    }
  }
}

/** Reads `forEach`, and the scope of rules for its elements. */
export function elementsOf(
  forEach: Members,
  scope: Scope,
): { readonly elements: Elements | undefined; readonly inner: Scope } {
  forEach.refuseOthers(['array', 'as', 'index', 'filter', 'validation'], 'forEach');
  const array = sourceOf(forEach, 'array', scope);
  const validate = validationOf(forEach, scope);
  const element = nameOf(forEach, 'as', scope);
  const index = nameOf(forEach, 'index', scope);
  if (!forEach.has('as')) forEach.fault('as', 'is required: what rules call an element');
  if (element !== undefined && element === index) {
    forEach.fault('index', 'is the name of the element already');
  }
  // A name that cannot be stands for itself: rules that use it are not at fault.
  const inner = scope.within(element ?? forEach.text('as') ?? '', index);
  const filter = conditionOf(forEach, inner, 'filter');
  const elements = array && new Elements(array, validate, filter, inner);
  return { elements, inner };
}

function nameOf(forEach: Members, member: string, scope: Scope): string | undefined {
  const name = forEach.text(member);
  const refusal = name === undefined ? undefined : scope.refusal(name);
  return refusal === undefined ? name : forEach.fault(member, refusal);
}
