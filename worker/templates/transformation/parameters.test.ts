/** Parameters, and the schemas of inputs and outputs. */
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../proto/json.ts';
import { run } from './test/run.ts';

const parameters = {
  rate: { type: 'number', default: 0.5 },
  name: { type: 'string' },
  count: { type: 'integer' },
  flag: { type: 'boolean' },
  list: { type: 'array' },
  object: { type: 'object' },
  nothing: { type: 'null' },
  any: {},
} as const;
const transformationRules = [{ copy: { from: 'parameters' } }];

function given(values: JsonObject, parametersAreTexts = false): Json {
  return run({ parameters, transformationRules }, {}, { parameters: values, parametersAreTexts });
}

describe('parameters', () => {
  test('have their defaults until a call gives others', () => {
    expect(given({})).toEqual({ rate: 0.5 });
    expect(given({ rate: 2, any: [1] })).toEqual({ rate: 2, any: [1] });
    expect(given({})).toEqual({ rate: 0.5 });
  });

  test('of a query string are read by their types', () => {
    const texts = {
      rate: '12345678901234567890',
      name: '5',
      count: '3',
      flag: 'true',
      list: '[1]',
      object: '{"a":1}',
      nothing: 'null',
      any: '7',
    };
    expect(given(texts, true)).toEqual({
      rate: JSON.rawJSON('12345678901234567890'),
      name: '5',
      count: 3,
      flag: true,
      list: [1],
      object: { a: 1 },
      nothing: null,
      any: '7',
    });
  });

  test.each([false, true])('of another type are refused, all at once (texts: %s)', (areTexts) => {
    const wrong = { rate: 'x', count: '1.5', flag: 'yes', list: '{}', other: '1' };
    const types = { rate: 'number', count: 'integer', flag: 'boolean', list: 'array' };
    expect(() => given(wrong, areTexts)).toThrow(
      expect.objectContaining({
        code: 'BAD_REQUEST',
        details: [
          ...Object.entries(types).map(([name, type]) => ({
            path: `parameters.${name}`,
            message: `is not of type ${type}`,
          })),
          {
            path: 'parameters.other',
            message:
              'is no parameter of the template: there is rate, name, count, flag, list, object, nothing, any',
          },
        ],
      }),
    );
  });
});

describe('schemas', () => {
  const schema = {
    type: 'object',
    required: ['a'],
    properties: { a: { type: 'number' }, b: { type: 'string' } },
  };

  test('an input that does not fit is refused with every path', () => {
    const draft = { inputSchema: schema, transformationRules: [] };
    expect(() => run(draft, { a: 'x', b: 1 })).toThrow(
      expect.objectContaining({
        code: 'BAD_REQUEST',
        message: expect.stringMatching(/^The input does not fit Test: a: /),
        details: [
          { path: 'a', message: expect.any(String) },
          { path: 'b', message: expect.any(String) },
        ],
      }),
    );
  });

  test('an output that does not fit fails the template', () => {
    const draft = { outputSchema: schema, transformationRules: [{ target: 'b', value: 'x' }] };
    expect(() => run(draft, {})).toThrow(
      expect.objectContaining({
        code: 'TEMPLATE_FAILED',
        details: [{ path: 'a', message: expect.any(String) }],
      }),
    );
    expect(run({ ...draft, transformationRules: [{ target: 'a', value: 1 }] }, {})).toEqual({
      a: 1,
    });
  });
});

describe('lazyEvaluation', () => {
  const closed = (properties: JsonObject) => ({
    type: 'object',
    properties,
    additionalProperties: false,
  });
  const outputSchema = closed({
    a: {},
    inner: closed({ x: {} }),
    list: { type: 'array', items: closed({ id: {} }) },
    open: { type: 'object' },
  });
  const boom = { expression: '(() => { throw "was run" })()' };
  const performanceSettings = { lazyEvaluation: true };

  test.each<[string, Json]>([
    ['a member', { target: 'b', ...boom }],
    ['a member within', { target: 'inner.y', ...boom }],
    [
      'in a loop',
      {
        forEach: { array: 'l', as: 'e' },
        target: 'list',
        rules: [
          { target: 'id', source: 'e' },
          { target: 'no', ...boom },
        ],
      },
    ],
    [
      'a loop',
      { forEach: { array: 'l', as: 'e' }, target: 'none', rules: [{ target: 'id', ...boom }] },
    ],
    [
      'by index',
      { forEach: { array: 'l', as: 'e', index: 'i' }, rules: [{ target: 'list[i].no', ...boom }] },
    ],
    ['in a block', { condition: 'true', rules: [{ target: 'b', ...boom }] }],
    ['copied fields', { copy: { from: 'c', fields: ['a', 'zip'] } }],
    ['initial values', { initialize: { b: 1, a: 2 } }],
  ])('a rule that nothing shows is not run: %s', (_, rule) => {
    const draft = { outputSchema, performanceSettings, transformationRules: [rule] };
    expect(() => run(draft, { l: [1], c: { zip: 1 } })).not.toThrow();
  });

  test.each<[string, Json]>([
    ['a member', { target: 'a', ...boom }],
    ['below what is open', { target: 'open.any', ...boom }],
  ])('one that is shown is run: %s', (_, rule) => {
    const draft = { outputSchema, performanceSettings, transformationRules: [rule] };
    expect(() => run(draft, {})).toThrow('was run');
    expect(() => run({ ...draft, performanceSettings: {} }, {})).toThrow('was run');
  });

  test('does not look through references and patterns', () => {
    const rule = { target: 'b', ...boom };
    for (const outside of [
      { ...outputSchema, patternProperties: { b: {} } },
      { $ref: '#/$defs/a', $defs: { a: outputSchema } },
    ]) {
      const draft = { outputSchema: outside, performanceSettings, transformationRules: [rule] };
      expect(() => run(draft, {})).toThrow('was run');
    }
  });
});
