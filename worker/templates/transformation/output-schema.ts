/** What an `outputSchema` lets an output have: rules whose target it hides do not have to run. Spec: `lazyEvaluation`. */
import { isJsonObject, type Json } from '../../../proto/json.ts';
import { indexOf } from '../../language/paths/step.ts';
import type { TargetStep } from './target.ts';

/** A schema as far as it is known at one place; undefined where anything may be shown, false where nothing is. */
export class OutputSchema {
  readonly #schema: Json | undefined;

  constructor(schema: Json | undefined) {
    this.#schema = schema;
  }

  /** Whether an output with this place could never fit. */
  hides(steps: readonly TargetStep[]): boolean {
    return this.below(steps).#schema === false;
  }

  /** What is known below a place. */
  below(steps: readonly TargetStep[]): OutputSchema {
    let schema = this.#schema;
    for (const step of steps) {
      if (schema === false) break;
      schema = childOf(schema, step);
    }
    return new OutputSchema(schema);
  }

  /** What is known of the elements of an array. */
  get elements(): OutputSchema {
    return new OutputSchema(this.#schema === false ? false : elementsOf(this.#schema));
  }
}

/** False where nothing may be. */
function childOf(schema: Json | undefined, step: TargetStep): Json | undefined {
  // What a reference leads to, and what is next to it in draft 7, is left to the schema's own check.
  if (!isJsonObject(schema) || Object.hasOwn(schema, '$ref')) return undefined;
  const name = nameOf(step);
  if (name === undefined) return elementsOf(schema);
  const properties = Object.hasOwn(schema, 'properties') ? schema.properties : undefined;
  if (isJsonObject(properties) && Object.hasOwn(properties, name)) return properties[name];
  const isClosed =
    Object.hasOwn(schema, 'additionalProperties') && schema.additionalProperties === false;
  return isClosed && !Object.hasOwn(schema, 'patternProperties') ? false : undefined;
}

/** The member that a step leads to; undefined of one to an element. */
function nameOf(step: TargetStep): string | undefined {
  if (typeof step === 'string') return step;
  return typeof step === 'object' && 'token' in step && indexOf(step.token) < 0
    ? step.token
    : undefined;
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
