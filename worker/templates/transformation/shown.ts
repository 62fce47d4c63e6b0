/** What an `outputSchema` lets an output have: rules whose target it hides need not run. Spec: `lazyEvaluation`. */
import { isJsonObject, type Json } from '../../../proto/json.ts';
import { indexOf } from '../../paths/step.ts';
import type { TargetStep } from './target.ts';

/** A schema as far as it is known at one place; undefined where anything may be shown. */
export class Shown {
  readonly #schema: Json | undefined;

  constructor(schema: Json | undefined) {
    this.#schema = schema;
  }

  /** Whether an output with this place could never fit. */
  hides(steps: readonly TargetStep[]): boolean {
    let schema = this.#schema;
    for (const step of steps) {
      const next = childOf(schema, step);
      if (next === 'hidden') return true;
      schema = next;
    }
    return false;
  }

  /** What is known below a place that is not hidden. */
  below(steps: readonly TargetStep[]): Shown {
    let schema = this.#schema;
    for (const step of steps) {
      const next = childOf(schema, step);
      if (next === 'hidden') return new Shown(undefined);
      schema = next;
    }
    return new Shown(schema);
  }

  /** What is known of the elements of an array. */
  get elements(): Shown {
    return new Shown(elementsOf(this.#schema));
  }
}

function childOf(schema: Json | undefined, step: TargetStep): Json | undefined | 'hidden' {
  // What a reference leads to, and what stands beside it in draft 7, is left to the schema's own check.
  if (!isJsonObject(schema) || Object.hasOwn(schema, '$ref')) return undefined;
  const name =
    typeof step === 'string' ? step : typeof step === 'object' && 'token' in step ? step.token : '';
  if (
    typeof step === 'number' ||
    (typeof step === 'object' && (!('token' in step) || indexOf(name) >= 0))
  ) {
    return elementsOf(schema);
  }
  const properties = Object.hasOwn(schema, 'properties') ? schema.properties : undefined;
  if (isJsonObject(properties) && Object.hasOwn(properties, name)) return properties[name];
  const isClosed =
    Object.hasOwn(schema, 'additionalProperties') && schema.additionalProperties === false;
  return isClosed && !Object.hasOwn(schema, 'patternProperties') ? 'hidden' : undefined;
}

function elementsOf(schema: Json | undefined): Json | undefined {
  if (
    !isJsonObject(schema) ||
    Object.hasOwn(schema, '$ref') ||
    Object.hasOwn(schema, 'prefixItems')
  ) {
    return undefined;
  }
  const items = Object.hasOwn(schema, 'items') ? schema.items : undefined;
  return isJsonObject(items) ? items : undefined;
}
