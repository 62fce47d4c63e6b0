/** Nested templates: what they are given, how many run at a time, and what becomes of their faults. */
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../proto/json.ts';
import type { Compiled } from '../compiled.ts';
import { access } from './test/access.ts';
import { type Draft, read, runOf } from './test/run.ts';

const double = read({
  name: 'Double',
  transformationRules: [{ target: '$', expression: '2 * $' }],
});
const echo = read({
  name: 'Echo',
  parameters: { p: {} },
  transformationRules: [
    { target: 'input', source: '$' },
    { target: 'p', source: 'parameters.p' },
  ],
});

function runWith(draft: Draft, input: Json, nested: Readonly<Record<string, Compiled>>) {
  return read(draft).run(input, runOf({ nested }));
}

describe('input and parameters', () => {
  test.each<[string, Json, Json]>([
    ['a path', { input: 'a.b' }, { input: 5 }],
    ['the whole input when left out', {}, { input: { a: { b: 5 } } }],
    [
      'an object from name to path or value',
      { input: { x: 'a.b', n: 1, t: { value: 'text' }, none: 'c' } },
      { input: { x: 5, n: 1, t: 'text' } },
    ],
    ['a value', { input: [1] }, { input: [1] }],
    ['a constant text', { input: { value: 'a.b' } }, { input: 'a.b' }],
    ['parameters as they are', { input: 1, parameters: { p: 'a.b' } }, { input: 1, p: 'a.b' }],
  ])('%s', (_, rule, t) => {
    const rules = [{ target: 't', template: 'echo', ...(rule as object) }];
    expect(runWith({ transformationRules: rules }, { a: { b: 5 } }, { echo })).toEqual({ t });
  });

  test('input that is not there leaves the target out', () => {
    const rules = [
      { target: 't', template: 'echo', input: 'c' },
      { target: 'u', template: 'echo', input: 'a' },
    ];
    expect(runWith({ transformationRules: rules }, { a: 1 }, { echo })).toEqual({
      u: { input: 1 },
    });
  });
});

test('what reaches no endpoint is no promise, in loops and blocks as well', () => {
  const rules = [
    {
      forEach: { array: 'l', as: 'e', filter: 'e > 1' },
      target: 'l',
      rules: [
        {
          condition: 'e > 2',
          rules: [{ target: 'd', template: 'double', input: 'e' }],
          else: [{ target: 'd', value: 0 }],
        },
        {
          target: 'q',
          template: 'double',
          input: 'e',
          condition: 'e < 3',
          transformers: ['toString'],
        },
      ],
    },
  ];
  expect(runWith({ transformationRules: rules }, { l: [1, 2, 3] }, { double })).toEqual({
    l: [{ d: 0, q: '4' }, { d: 6 }],
  });
});

describe('data access', () => {
  const transformationRules = [
    {
      forEach: { array: 'l', as: 'e' },
      target: 'l',
      rules: [{ target: '$', template: 'db', input: 'e' }],
    },
  ];
  const input = { l: Array.from({ length: 12 }, (_, at) => at) };
  const output = { l: input.l.map((got) => ({ got })) };

  test.each([
    [{}, 1],
    [{ parallelization: { enabled: false, maxWorkers: 5 } }, 1],
    [{ parallelization: { enabled: true, maxWorkers: 5 } }, 5],
  ])('%j: %i at a time, in the order of the rules', async (performanceSettings, most) => {
    const { compiled, seen } = access();
    const made = runWith({ transformationRules, performanceSettings }, input, { db: compiled });
    expect(made).toBeInstanceOf(Promise);
    expect(await made).toEqual(output);
    expect(seen.most).toBe(most);
    expect(seen.inputs).toHaveLength(12);
  });

  test('a request that fails is told as it is, unless onError decides', async () => {
    const { compiled, seen } = access();
    const rule = { target: 't', template: 'db', input: { value: 'down' } };
    const of = async (more: object) =>
      runWith({ transformationRules: [{ ...rule, ...more }] }, {}, { db: compiled });
    await expect(of({})).rejects.toThrow(expect.objectContaining({ code: 'TIMED_OUT' }));
    expect(await of({ onError: { action: 'default', value: 0 } })).toEqual({ t: 0 });
    await expect(of({ onError: { action: 'fail', message: 'no stock' } })).rejects.toThrow(
      expect.objectContaining({
        code: 'TEMPLATE_FAILED',
        details: [{ path: 'transformationRules.0', message: 'no stock' }],
      }),
    );
    expect(seen.underWay).toBe(0);
  });

  test('is left out where nothing shows its result, unless it writes', async () => {
    const draft = {
      transformationRules: [
        { target: 'hidden', template: 'db', input: 'n' },
        { target: 'n', source: 'n' },
      ],
      outputSchema: { type: 'object', properties: { n: {} }, additionalProperties: false },
      performanceSettings: { lazyEvaluation: true },
    };
    const [reads, writes] = [access('Read'), access('Write')];
    expect(await runWith(draft, { n: 1 }, { db: reads.compiled })).toEqual({ n: 1 });
    expect(await runWith(draft, { n: 1 }, { db: writes.compiled })).toEqual({ n: 1 });
    expect([reads.seen.inputs, writes.seen.inputs]).toEqual([[], [1]]);
  });

  test('nothing more is sent once the caller is gone', async () => {
    const { compiled, seen } = access();
    const gone = new AbortController();
    const stopping = {
      ...compiled,
      run: (...args: Parameters<Compiled['run']>) => {
        gone.abort();
        return compiled.run(...args);
      },
    };
    const made = read({ transformationRules }).run(
      input,
      runOf({ nested: { db: stopping }, signal: gone.signal }),
    );
    await expect(made).rejects.toThrow();
    expect(seen.inputs).toHaveLength(1);
  });
});

describe('faults', () => {
  const picky = read({
    name: 'Picky',
    inputSchema: { type: 'number' },
    transformationRules: [{ target: 't', expression: '1 +\n$.f()' }],
  });

  test.each<[string, Json, object]>([
    [
      'of its rules',
      1,
      { message: expect.stringMatching(/^picky: transformationRules\.0: /), line: 2 },
    ],
    ['of its input', 'x', { message: expect.stringMatching(/^picky: /) }],
  ])('%s name both templates', (_, value, fault) => {
    const rules = [{ target: 't', template: 'picky', input: { value } }];
    expect(() => runWith({ name: 'Outer', transformationRules: rules }, {}, { picky })).toThrow(
      expect.objectContaining({
        code: 'TEMPLATE_FAILED',
        message: expect.stringMatching(/^Outer: transformationRules\.0: picky: /),
        details: [expect.objectContaining({ path: 'transformationRules.0', ...fault })],
      }),
    );
    const onError = { action: 'default', value: 7 };
    const kept = runWith(
      { transformationRules: rules.map((rule) => ({ ...rule, onError })) },
      {},
      { picky },
    );
    expect(kept).toEqual({ t: 7 });
  });

  test('a spent budget ends the whole run, whatever onError says', () => {
    const endless = read({
      name: 'Endless',
      functions: { f: '() => { for (;;) {} }' },
      transformationRules: [{ target: 't', function: 'f' }],
    });
    const rules = [{ target: 't', template: 'endless', onError: { action: 'skip' } }];
    expect(() => runWith({ name: 'Outer', transformationRules: rules }, {}, { endless })).toThrow(
      expect.objectContaining({
        code: 'TEMPLATE_FAILED',
        message: expect.stringMatching(
          /^Outer: transformationRules.*endless: .*more steps than one run may take/,
        ),
      }),
    );
  });
});
