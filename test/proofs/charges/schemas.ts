/** Whether checks against JSON Schemas cost what their steps say. */
import { GatewayError } from '../../../proto/errors.ts';
import { type Json, type JsonObject, parseJson } from '../../../proto/json.ts';
import { type CompiledSchema, compileSchema } from '../../../worker/language/schemas/compile.ts';
import { STEP_NS, ValidationBudget } from '../../../worker/language/schemas/validation-budget.ts';
import { cpuMs } from '../processor-time.ts';
import type { Choices } from '../random.ts';
import { valueBy } from './arguments.ts';
import type { Case } from './proof.ts';

export { STEP_NS };

/** Steps of one case; fewer are too few to be measured. */
const STEPS = 200_000;
const STEPS_LEAST = 30_000;
/** Schemas within each other. */
const DEPTH = 3;

const numberBy = (choices: Choices): Json =>
  parseJson(choices.pick(['3', '0.01', '7'.repeat(20), '7'.repeat(300), `0.${'7'.repeat(4_000)}`]));

/** Keywords, each with a schema by chance where it holds one. */
const KEYWORDS: readonly ((choices: Choices, depth: number) => JsonObject)[] = [
  () => ({ type: ['object', 'array', 'string', 'number'] }),
  () => ({ type: 'integer', minimum: 1, multipleOf: 0.01 }),
  (choices) => ({ type: 'integer', multipleOf: numberBy(choices) }),
  (choices) => ({ minimum: numberBy(choices), exclusiveMaximum: numberBy(choices) }),
  () => ({ maxLength: 5, minLength: 100_000 }),
  () => ({ pattern: '^(a|b)*c$' }),
  () => ({ pattern: '[a-z]{1,80}x' }),
  () => ({ uniqueItems: true }),
  (choices) => ({ const: valueBy(choices, 300).value }),
  (choices) => ({ enum: [valueBy(choices, 300).value, valueBy(choices, 30).value] }),
  (choices, depth) => ({ items: schemaBy(choices, depth) }),
  (choices, depth) => ({ prefixItems: [schemaBy(choices, depth)], unevaluatedItems: true }),
  (choices, depth) => ({ contains: schemaBy(choices, depth), minContains: 0 }),
  (choices, depth) => ({ additionalProperties: schemaBy(choices, depth) }),
  (choices, depth) => ({ patternProperties: { '^k': schemaBy(choices, depth), '9$': true } }),
  (choices, depth) => ({ propertyNames: schemaBy(choices, depth) }),
  (choices, depth) => ({ unevaluatedProperties: schemaBy(choices, depth) }),
  () => ({ dependentRequired: { a: ['b'] }, required: ['a', 'b'] }),
  ...['allOf', 'anyOf', 'oneOf'].map((keyword) => (choices: Choices, depth: number) => ({
    [keyword]: Array.from({ length: 1 + Math.floor(choices.next() * 8) }, () =>
      schemaBy(choices, depth),
    ),
  })),
  (choices, depth) => ({ not: schemaBy(choices, depth) }),
  (choices, depth) => ({
    if: schemaBy(choices, depth),
    // biome-ignore lint/suspicious/noThenProperty: a keyword of schemas.
    then: schemaBy(choices, depth),
    else: true,
  }),
  () => ({ $ref: '#/$defs/chain' }),
  () => ({ $ref: '#/$defs/tree' }),
];

function schemaBy(choices: Choices, depth: number): Json {
  if (depth === 0) return choices.chance(0.5);
  const keyword = () => choices.pickAny(KEYWORDS)?.(choices, depth - 1);
  return { ...keyword(), ...keyword() };
}

/** References that lead through others, and down a value. */
const DEFINITIONS: JsonObject = {
  chain: { $ref: '#/$defs/second' },
  second: { allOf: [{ $ref: '#/$defs/third' }, { $ref: '#/$defs/third' }] },
  third: { type: ['object', 'array', 'string', 'number', 'boolean', 'null'] },
  tree: { additionalProperties: { $ref: '#/$defs/tree' }, items: { $ref: '#/$defs/tree' } },
};

/** A schema and a value by chance. */
export function caseBy(choices: Choices): Case {
  const schema = { ...(schemaBy(choices, DEPTH) as JsonObject), $defs: DEFINITIONS }; // Of a depth, never a boolean.
  const { name, value } = valueBy(choices, 100_000);
  return {
    name: `${JSON.stringify(schema).slice(0, 400)} on ${name}`,
    nsPerStep: () => nsPerStep(schema, value),
  };
}

function nsPerStep(schema: Json, value: Json): number | undefined {
  const compiled = compiledOf(schema);
  if (compiled === undefined) return undefined;
  const work = new ValidationBudget(STEPS);
  const ms = cpuMs(() => attempt(() => compiled.validate(value, work)));
  const steps = STEPS - Math.max(0, work.left);
  return steps < STEPS_LEAST ? undefined : (ms * 1e6) / steps;
}

function compiledOf(schema: Json): CompiledSchema | undefined {
  return attempt(() => compileSchema(schema));
}

/** What is refused is none: a schema that is too large, a value that takes too much. */
function attempt<Result>(run: () => Result): Result | undefined {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return undefined;
  }
}
