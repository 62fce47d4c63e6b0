/** Renders of what nests templates: nothing is sent, and nothing is asked of what was not answered. */
import { describe, expect, test } from 'vitest';
import { access } from './test/access.ts';
import { read, runOf } from './test/run.ts';

const double = read({
  name: 'Double',
  transformationRules: [{ target: '$', expression: '2 * $' }],
});

describe('render', () => {
  const transformationRules = [
    { target: 'd', template: 'double', input: 'n' },
    { target: 'row', template: 'db', input: 'n' },
    { target: 'n', source: 'n' },
  ];

  test('shows requests instead of sending them, and leaves their targets out', async () => {
    const { compiled, seen } = access('Write');
    const outputSchema = { type: 'object', required: ['row'] };
    const draft = { transformationRules, outputSchema };
    const rendered = await read(draft).render(
      { n: 2 },
      runOf({ nested: { db: compiled, double } }),
    );
    expect(rendered).toEqual({
      success: true,
      inputValidation: { valid: true },
      output: { d: 4, n: 2 },
      transformationSteps: [
        { rule: 'd', input: 2, transformations: [{ name: 'double', output: 4 }] },
        { rule: 'double: $', transformations: [{ name: 'expression', output: 4 }] },
        {
          rule: 'row',
          input: 2,
          transformations: [],
          note: 'its request was not sent, so that there is no result',
        },
        {
          rule: 'db: Read',
          transformations: [],
          request: { endpoint: 'db', operation: 'read', request: {} },
        },
        { rule: 'n', input: 2, transformations: [] },
      ],
      outputValidation: { valid: false, errors: [{ path: 'row', message: expect.any(String) }] },
    });
    expect(seen.inputs).toEqual([]);
  });

  test('asks nothing about a result that is not there: no transformer, check or default has a say', async () => {
    const { compiled } = access('Read');
    const rule = {
      ...{ target: 'r', template: 'db', input: 'n' },
      transformers: [{ name: 'default', args: [9] }, 'trim'],
      validation: [{ type: 'required' }, { type: 'string' }],
      onError: { action: 'default', value: 'none' },
    };
    const rendered = await read({ transformationRules: [rule] }).render(
      { n: 2 },
      runOf({ nested: { db: compiled } }),
    );
    const [step] = rendered.transformationSteps;
    expect([rendered.success, rendered.output, step]).toEqual([
      true,
      {},
      {
        rule: 'r',
        input: 2,
        transformations: [],
        note: 'its request was not sent, so that there is no result',
      },
    ]);
  });

  test('tells faults of nested templates with theirs', async () => {
    const rendered = await read({ transformationRules: [{ target: 't', template: 'bad' }] }).render(
      {},
      runOf({
        nested: { bad: read({ transformationRules: [{ target: 't', expression: 'a.b()' }] }) },
      }),
    );
    expect(rendered).toMatchObject({
      success: false,
      errors: [
        {
          path: 'transformationRules.0',
          message: expect.stringMatching(/^bad: transformationRules\.0: /),
        },
      ],
    });
  });
});
