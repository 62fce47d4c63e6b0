/** Whether a JSON Schema speaks of a place, so that it can be told which paths are of the output. */
import { isJsonObject, type Json, type JsonObject } from '../../proto/json.ts';
import { Pace, type Pieces } from '../../proto/work/pieces.ts';
import type { Budget } from '../language/paths/budget.ts';
import { Patterns } from '../language/paths/pattern.ts';
import { indexOf, type Step } from '../language/paths/step.ts';
import { resolve } from '../language/paths/walk.ts';

/** Keywords whose schemas speak of the same place as their own. */
const SAME_PLACE = ['allOf', 'anyOf', 'oneOf'];

/** Schemas that are looked at between two pauses. */
const SCHEMAS_OF_A_PIECE = 8_192;

/** Whether the schema names the place by properties and items, also by way of references within itself. */
export function* declares(
  schema: Json,
  steps: readonly Step[] | undefined,
  budget: Budget,
): Pieces<boolean> {
  if (steps === undefined) return false;
  let places = yield* samePlace([schema], schema, budget);
  for (const step of steps) {
    const children = [...places].flatMap((place) => childrenOf(place, step));
    places = yield* samePlace(children, schema, budget);
  }
  return places.size > 0;
}

/** The schemas, and all that they say of the same place; each once, so circles end. */
function* samePlace(schemas: readonly Json[], root: Json, budget: Budget): Pieces<Set<Json>> {
  const found = new Set<Json>();
  const left = [...schemas];
  const pace = new Pace(SCHEMAS_OF_A_PIECE);
  for (let each = left.pop(); each !== undefined; each = left.pop()) {
    budget.charge(1);
    if (pace.isOver(1)) yield;
    if (found.has(each)) continue;
    found.add(each);
    if (!isJsonObject(each)) continue;
    for (const alternative of alternativesOf(each, root, budget)) left.push(alternative);
  }
  return found;
}

function alternativesOf(schema: JsonObject, root: Json, budget: Budget): Json[] {
  const reference = member(schema, '$ref');
  return [
    ...SAME_PLACE.flatMap((keyword) => elementsOf(member(schema, keyword))),
    ...(typeof reference === 'string' ? referredIn(root, reference, budget) : []),
  ];
}

/** Where a JSON Pointer in a fragment leads; other references do not lead to members. */
function referredIn(root: Json, reference: string, budget: Budget): Json[] {
  if (!/^#(?:\/|$)/.test(reference)) return [];
  const tokens = reference.slice(1).split('/').slice(1).map(unescaped);
  const steps = tokens.map((name) => ({ kind: 'token', name }) as const);
  const found = resolve(steps, root, { root, budget, patterns: new Patterns() });
  return found === undefined ? [] : [found];
}

function unescaped(token: string): string {
  try {
    return decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return token; // Compiling the schema reports what is wrong with it.
  }
}

function childrenOf(schema: Json, step: Step): Json[] {
  if (!isJsonObject(schema)) return [];
  const text = typeof step === 'object' ? step.token : step;
  return [
    ...(typeof text === 'string' ? present(member(member(schema, 'properties'), text)) : []),
    ...itemsAt(schema, typeof step === 'object' ? indexOf(step.token) : step),
  ];
}

/** Of an index; draft 7 has a list of items where 2020-12 has `prefixItems`. */
function itemsAt(schema: JsonObject, index: string | number): Json[] {
  if (typeof index === 'string' || index < 0) return [];
  const items = member(schema, 'items');
  const listed = Array.isArray(items) ? items : elementsOf(member(schema, 'prefixItems'));
  const only = listed[index];
  if (only !== undefined) return [only];
  return present(Array.isArray(items) ? member(schema, 'additionalItems') : items);
}

function member(schema: Json | undefined, name: string): Json | undefined {
  return isJsonObject(schema) && Object.hasOwn(schema, name) ? schema[name] : undefined;
}

function elementsOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

function present(value: Json | undefined): Json[] {
  return value === undefined ? [] : [value];
}
