/** What holds for every value and every order. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Json, parseJson } from '../../../proto/json.ts';
import type { Compiled } from '../compiled.ts';
import { apply, read, render, run, runOf } from './test/run.ts';

/** JSON with names and numbers that are easily lost. */
const json: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<Json>(null, true, false, '', 0, -1),
    fc.string(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
    fc
      .constantFrom('12345678901234567890', '0.10000000000000000000001', '1e400')
      .map((text) => JSON.rawJSON(text)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc
      .array(
        fc.tuple(
          fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'rawJSON', 'length')),
          tie('value'),
        ),
        { maxLength: 4 },
      )
      .map((entries) =>
        parseJson(
          `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join()}}`,
        ),
      ),
  ),
})).value;

test('a template of moves alone keeps every value with all its digits, and changes nothing', () => {
  const moves = read({
    transformationRules: [
      { target: 'whole', source: '$' },
      { target: 'a.b[1]', source: 'v' },
      { copy: { from: '$', to: 'copied' } },
      {
        forEach: { array: 'list', as: 'e' },
        target: 'list',
        rules: [{ target: 'e', source: 'e' }],
      },
      { target: 'same', expression: 'v' },
    ],
  });
  fc.assert(
    fc.property(json, (v) => {
      const input = { v, list: [v] };
      const text = JSON.stringify(v);
      const before = JSON.stringify(input);
      const output = JSON.stringify(moves.run(input, runOf()));
      const whole = `{"v":${text},"list":[${text}]}`;
      expect(output).toBe(
        `{"whole":${whole},"a":{"b":[null,${text}]},"copied":${whole},"list":[{"e":${text}}],"same":${text}}`,
      );
      expect(JSON.stringify(input)).toBe(before);
    }),
    { numRuns: 300 },
  );
});

test('a member that no input has is not there, whatever the input', () => {
  fc.assert(
    fc.property(
      json,
      fc.constantFrom('toString', 'hasOwnProperty', 'at', '__defineGetter__'),
      (v, name) => {
        fc.pre(!JSON.stringify(v).includes(JSON.stringify(name)));
        const sources = [name, `a.${name}`, `a[0].${name}`, `/a/${name}`, `$.a.${name}`];
        const rules = sources.map((source, at) => ({ target: `t${at}`, source }));
        expect(apply(rules, { a: v })).toEqual({});
      },
    ),
  );
});

test("a render's output is the run's", () => {
  const pieces: readonly Json[] = [
    { target: 'a', source: 'v' },
    { target: 'a.b', value: 1, onError: { action: 'skip' } },
    {
      target: 'c',
      source: 'v',
      transformers: ['toString', 'trim'],
      onError: { action: 'default', value: 0 },
    },
    { target: 'd', expression: 'v', condition: 'v' },
    { copy: { from: 'v' }, onError: { action: 'skip' } },
    {
      forEach: { array: 'v', as: 'e', index: 'i' },
      target: 'l',
      rules: [{ target: 'x', source: 'e' }],
      onError: { action: 'skip' },
    },
    {
      forEach: { array: 'v', as: 'e', index: 'i' },
      rules: [{ target: 'm[i]', source: 'e' }],
      onError: { action: 'skip' },
    },
    { condition: 'v', rules: [{ target: 'f', value: [1] }], else: [{ target: 'g', value: {} }] },
  ];
  fc.assert(
    fc.property(json, fc.shuffledSubarray([...pieces]), (v, transformationRules) => {
      const [draft, input] = [{ transformationRules }, { v }];
      const rendered = render(draft, input);
      expect(rendered.success).toBe(true);
      expect(JSON.stringify(rendered.output)).toBe(JSON.stringify(run(draft, input)));
    }),
    { numRuns: 300 },
  );
});

test('in whatever order nested calls end, the output is the same', async () => {
  const slow = (turns: readonly number[]): Compiled => ({
    ...read({}),
    run: async (input) => {
      for (let turn = 0; turn < (turns[Number(input)] ?? 0); turn += 1) await Promise.resolve();
      return input;
    },
  });
  const rules = [
    {
      forEach: { array: 'l', as: 'e' },
      rules: [
        { target: 'last', template: 'slow', input: 'e' },
        { target: 'l[i]', template: 'slow', input: 'e' },
      ],
    },
  ];
  const [loop] = rules;
  const transformationRules = [{ ...loop, forEach: { ...loop?.forEach, index: 'i' } }] as Json[];
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(9), { minLength: 1, maxLength: 9 }),
      fc.integer({ min: 1, max: 9 }),
      async (turns, maxWorkers) => {
        const l = turns.map((_, at) => at);
        const performanceSettings = { parallelization: { enabled: true, maxWorkers } };
        const output = await read({ transformationRules, performanceSettings }).run(
          { l },
          runOf({ nested: { slow: slow(turns) } }),
        );
        expect(output).toEqual({ last: l.length - 1, l });
      },
    ),
    { numRuns: 100 },
  );
});
