/** Random definitions: what is right is taken, and reads the same again; nothing that is wrong breaks the reader. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isJsonObject, type Json, type JsonObject } from '../../../proto/json.ts';
import { TIMES } from '../../test/runs.ts';
import { read } from './test/builders.ts';
import { definitions } from './test/random.ts';

const numRuns = 300 * TIMES;

/** The whole tree as text: what functions do is told by their sources. */
function written(value: unknown): string {
  const known = new Set<unknown>();
  return JSON.stringify(value, (_name, each: unknown) => {
    if (each instanceof Map) return [...each];
    if (each instanceof Set) return [...each];
    if (typeof each === 'function') return 'function';
    if (typeof each !== 'object' || each === null) return each;
    if (known.has(each)) return 'told already';
    known.add(each);
    return each;
  });
}

test('a definition in which nothing is wrong is taken', () => {
  fc.assert(
    fc.property(definitions, (definition) => {
      expect(read(definition).faults).toEqual([]);
    }),
    { numRuns },
  );
});

test('a definition that is written and read again is the same', () => {
  fc.assert(
    fc.property(definitions, (definition) => {
      const again = JSON.parse(JSON.stringify(definition)) as JsonObject;
      expect(written(read(again))).toBe(written(read(definition)));
    }),
    { numRuns },
  );
});

/** Puts a value in the place of one of those within. */
function mutated(json: Json, path: readonly number[], put: Json): Json {
  const [at, ...rest] = path;
  const names = isJsonObject(json) || Array.isArray(json) ? Object.keys(json) : [];
  const name = at === undefined ? undefined : names[at % names.length];
  if (name === undefined) return put;
  if (Array.isArray(json)) {
    return json.map((each, index) => (String(index) === name ? mutated(each, rest, put) : each));
  }
  if (!isJsonObject(json)) return put;
  return { ...json, [name]: mutated(json[name] ?? null, rest, put) };
}

const anything = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>; // It makes JSON.

test('one that is wrong somewhere is read to its end, and each fault has a path', () => {
  const path = fc.array(fc.nat({ max: 20 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(definitions, path, anything, (definition, at, put) => {
      const wrong = mutated(definition, at, put);
      if (!isJsonObject(wrong)) return;
      const { workflow, faults } = read(wrong);
      expect(workflow === undefined).toBe(faults.length > 0);
      for (const each of faults) expect(each.path).toMatch(/^[a-zA-Z]/);
    }),
    { numRuns: 3 * numRuns },
  );
});

test('whatever stands in the members is read', () => {
  const members = fc.dictionary(
    fc.constantFrom(
      'name',
      'actions',
      'trigger',
      'errorHandler',
      'input',
      'output',
      'key',
      'start',
    ),
    anything,
  );
  fc.assert(
    fc.property(members, (definition) => {
      const { workflow, faults } = read(definition);
      expect(workflow === undefined).toBe(faults.length > 0);
    }),
    { numRuns: 3 * numRuns },
  );
});
