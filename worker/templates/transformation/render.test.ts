/** Rendering: a step for each rule, with what it did, and every fault. */
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../proto/json.ts';
import { render, run } from './test/run.ts';

test('shows each rule with its input and every transformer with its output', () => {
  const transformationRules = [
    {
      target: 'name',
      source: 'name',
      transformers: ['trim', { name: 'replace', args: ['a', 'o'] }],
      mapping: { odo: 'Ada' },
    },
    { target: 'sum', expression: 'a + b' },
    { target: 'twice', function: 'twice', args: ['a', 'none'] },
    { target: 'none', source: 'nothing.here' },
    { target: 'never', value: 1, condition: 'a > 100' },
    {
      target: 'bad',
      source: 'a',
      transformers: ['trim'],
      onError: { action: 'default', value: '-', logLevel: 'warn', message: 'no text' },
    },
    { target: 'gone', source: 'a', transformers: ['trim'], onError: { action: 'skip' } },
    { condition: 'a > 0', rules: [{ target: 'c', value: 'EUR' }], else: [] },
    { forEach: { array: 'list', as: 'e' }, target: 'list', rules: [{ target: 'n', source: 'e' }] },
    { copy: { from: 'deep', fields: ['x'] } },
    { initialize: { 'i.j': 0 } },
  ];
  const draft = { transformationRules, functions: { twice: '(n) => 2 * n' } };
  const input = { name: ' ada ', a: 1, b: 2, list: [7], deep: { x: 1 } };
  const rendered = render(draft, input);
  expect(rendered).toEqual({
    success: true,
    inputValidation: { valid: true },
    output: run(draft, input),
    transformationSteps: [
      {
        rule: 'name',
        input: ' ada ',
        transformations: [
          { name: 'trim', output: 'ada' },
          { name: 'replace', output: 'odo' },
          { name: 'mapping', output: 'Ada' },
        ],
      },
      { rule: 'sum', transformations: [{ name: 'expression', output: 3 }] },
      { rule: 'twice', input: [1, null], transformations: [{ name: 'twice', output: 2 }] },
      { rule: 'none', transformations: [], note: 'its source is not there' },
      { rule: 'never', transformations: [], note: 'its condition does not hold' },
      {
        rule: 'bad',
        input: 1,
        transformations: [],
        note: 'its default, because it failed: no text',
        logLevel: 'warn',
      },
      {
        rule: 'gone',
        input: 1,
        transformations: [],
        note: 'left out, because it failed: trim takes a text, not a number',
      },
      { rule: 'condition', transformations: [], note: 'its condition holds' },
      { rule: 'c', input: 'EUR', transformations: [] },
      { rule: 'list', input: [7], transformations: [] },
      { rule: 'n', input: 7, transformations: [] },
      { rule: 'copy deep', input: { x: 1 }, transformations: [] },
      { rule: 'initialize', input: { 'i.j': 0 }, transformations: [] },
    ],
    outputValidation: { valid: true },
  });
});

describe('what is wrong', () => {
  const schema = { type: 'object', required: ['a', 'b'] };

  test('with the input: every path, and nothing is run', () => {
    const rendered = render(
      { inputSchema: schema, transformationRules: [{ target: 'x', value: 1 }] },
      {},
    );
    const errors = [
      { path: 'a', message: expect.any(String) },
      { path: 'b', message: expect.any(String) },
    ];
    expect(rendered).toEqual({
      success: false,
      inputValidation: { valid: false, errors },
      output: null,
      transformationSteps: [],
      outputValidation: { valid: false },
      errors,
    });
  });

  test('with parameters', () => {
    const rendered = render(
      { parameters: { n: { type: 'number' } } },
      {},
      { parameters: { n: 'x' } },
    );
    expect(rendered).toMatchObject({
      success: false,
      errors: [{ path: 'parameters.n', message: 'is not of type number' }],
    });
  });

  test('with rules: the steps are shown, and all faults', () => {
    const bad = { target: 't', source: 'a', transformers: ['trim'] };
    const rendered = render(
      { transformationRules: [bad, bad, { target: 'u', value: 1 }] },
      { a: 1 },
    );
    expect(rendered).toMatchObject({
      success: false,
      output: null,
      transformationSteps: [{ note: 'failed: trim takes a text, not a number' }, {}, { rule: 'u' }],
      errors: [{ path: 'transformationRules.0' }, { path: 'transformationRules.1' }],
    });
  });

  test('with the output, which is shown', () => {
    const rendered = render(
      { outputSchema: schema, transformationRules: [{ target: 'a', value: 1 }] },
      {},
    );
    expect(rendered).toMatchObject({
      success: false,
      output: { a: 1 },
      outputValidation: { valid: false, errors: [{ path: 'b' }] },
      errors: [{ path: 'b' }],
    });
  });

  test('with a budget', () => {
    const rendered = render(
      { transformationRules: [{ target: 'a', expression: '(() => { for (;;) {} })()' }] },
      {},
    );
    expect(rendered).toMatchObject({
      success: false,
      errors: [
        {
          path: 'transformationRules.0',
          message: expect.stringContaining('more steps than one run may take'),
          line: 1,
        },
      ],
    });
  });
});

test('shows at most 1,000 steps, and says that there are more', () => {
  const list = Array.from({ length: 5_000 }, (_, at) => at);
  const transformationRules = [
    { forEach: { array: 'list', as: 'e' }, target: 'l', rules: [{ target: 'n', source: 'e' }] },
  ];
  const { transformationSteps: steps, output } = render({ transformationRules }, { list });
  expect(steps).toHaveLength(1_001);
  expect(steps.at(-1)?.note).toBe('there are more steps than are shown');
  expect(output).toEqual({ l: list.map((n) => ({ n })) });
});

test('shows no more bytes than an output may have', () => {
  const text = 'x'.repeat(100_000);
  const transformationRules = Array.from({ length: 50 }, () => ({ target: 't', source: 'text' }));
  const rendered = render({ transformationRules }, { text } satisfies Json, {
    bounds: { outputBytes: 6_000_000 },
  });
  expect(JSON.stringify(rendered.transformationSteps).length).toBeLessThan(6_100_000);
  expect(rendered.success).toBe(true);
});
