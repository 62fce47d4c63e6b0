/** Whatever a schema is, it is taken or refused in words; and whatever a value is, so is the value. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { GatewayError } from '../../../proto/errors.ts';
import { isJsonObject, type Json } from '../../../proto/json.ts';
import { compileSchema, schemaOf } from './compile.ts';
import { filesOf } from './test/suite.ts';

const groups = [...filesOf('draft2020-12'), ...filesOf('draft7')].flatMap(([, of]) => of);
const schemas = groups.map(({ schema }) => schema);
const values = groups.flatMap(({ tests }) => tests.map(({ data }) => data));

const ODD: Json[] = [
  ...['#', '#/', '#a', '../', 'http://', '%', '#%', '\0', '__proto__', '#/$defs/__proto__'],
  ...[null, -1, 1e308, JSON.rawJSON('1e400'), JSON.rawJSON('99999999999999999999'), [], {}],
];

/** Everything that is in a value, the value first. */
function parts(value: Json): Json[] {
  const inside = Array.isArray(value) ? value : isJsonObject(value) ? Object.values(value) : [];
  return [value, ...inside.flatMap(parts)];
}

/** The value with another instead of one of its parts, or of a member's name. */
function changed(value: Json, target: Json, other: Json): Json {
  if (value === target) return other;
  if (Array.isArray(value)) return value.map((item) => changed(item, target, other));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, of]) => [
      name === target && typeof other === 'string' ? other : name,
      changed(of, target, other),
    ]),
  );
}

const everything = schemas.flatMap(parts);
const anything = fc.oneof(
  fc.constantFrom(...everything),
  fc.constantFrom(...ODD),
  fc.constantFrom('$id', '$ref', '$dynamicRef', '$dynamicAnchor', 'toString', '__proto__'),
);

const schema = fc
  .tuple(fc.constantFrom(...schemas), fc.array(fc.tuple(fc.nat(), anything), { maxLength: 4 }))
  .map(([start, changes]) =>
    changes.reduce((sofar, [at, other]) => {
      const all = parts(sofar);
      return changed(sofar, all[at % all.length] ?? null, other);
    }, start),
  );

/** The outcome of it, or the error that says why nothing does. */
function told<Made>(make: () => Made): Made | undefined {
  try {
    return make();
  } catch (error) {
    expect(error).toBeInstanceOf(GatewayError);
    return undefined;
  }
}

test('no schema and no value is a failure of ours', () => {
  void fc.assert(
    fc.property(schema, fc.constantFrom(...values, ...ODD), (one, value) => {
      told(() => schemaOf(one));
      const compiled = told(() => compileSchema(one));
      const faults = told(() => compiled?.validate(value)) ?? [];
      for (const { message } of faults) expect(message).not.toMatch(/undefined|fit the schema$/);
    }),
    { numRuns: 5_000 },
  );
});
