/** Templates and inputs that want too much: every one ends within its budget, and the next is unharmed. */
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../proto/json.ts';
import type { RunBounds } from '../../language/expressions/index.ts';
import { apply, type Draft, read, run, runOf } from './test/run.ts';

/** As an installation has it without a word. */
const BOUNDS: RunBounds = { fuel: 10_000_000, depth: 200, outputBytes: 32 * 1024 * 1024 };
const MEGABYTE = 'x,'.repeat(500_000);
const rules = (...transformationRules: Json[]): Draft => ({ transformationRules });
const through = (...transformers: Json[]) => rules({ target: 't', source: 'v', transformers });
const loop = (array: string, inner: Json[], target?: string): Json => ({
  forEach: { array, as: 'e', index: 'i' },
  rules: inner,
  ...(target === undefined ? {} : { target }),
});
const range = (length: number) => Array.from({ length }, (_, at) => at);
const deep = (levels: number): Json => {
  let value: Json = 1;
  for (let at = 0; at < levels; at += 1) value = [value];
  return value;
};

describe('ends with a clear error', () => {
  test.each<[string, Draft, Json]>([
    [
      'pieces of pieces',
      through({ name: 'split', args: [''] }, 'toJson', { name: 'split', args: [''] }, 'toJson', {
        name: 'split',
        args: [''],
      }),
      { v: MEGABYTE },
    ],
    [
      'a text that grows',
      through(...range(40).map(() => ({ name: 'replace', args: ['x', 'xxxxxxxx'] }))),
      { v: 'x' },
    ],
    ['JSON of JSON', through(...range(60).map(() => 'toJson')), { v: '"\\' }],
    [
      'joined with long texts',
      through({ name: 'split', args: [','] }, { name: 'join', args: ['y'.repeat(10_000)] }),
      { v: MEGABYTE },
    ],
    [
      'many sums of numbers of many digits',
      rules(loop('l', [{ target: 't', source: 'v', transformers: ['sum'] }], 'l')),
      { l: range(10_000), v: range(1_000).map(() => JSON.rawJSON(`0.${'1'.repeat(1000)}`)) },
    ],
    [
      'sorting again and again',
      rules(loop('l', [{ target: 't', source: 'l', transformers: ['sort', 'length'] }], 'l')),
      { l: range(20_000) },
    ],
    [
      'hashing again and again',
      rules(loop('l', [{ target: 't', source: 'v', transformers: ['hash'] }], 'l')),
      { l: range(20_000), v: MEGABYTE },
    ],
    [
      'unique of long texts',
      rules(loop('l', [{ target: 't', source: 'v', transformers: ['unique', 'length'] }], 'l')),
      { l: range(1_000), v: [MEGABYTE, MEGABYTE] },
    ],
    [
      'the whole input in every element',
      rules(loop('l', [{ target: 't', source: '$' }], 'l')),
      { l: range(100_000) },
    ],
    [
      'the same large text everywhere',
      rules(loop('l', [{ target: 't', source: 'v' }], 'l')),
      { l: range(1_000), v: MEGABYTE },
    ],
    [
      'loops within loops',
      rules(
        loop(
          'l',
          [
            {
              forEach: { array: 'l', as: 'f' },
              target: 'm',
              rules: [{ forEach: { array: 'l', as: 'g' }, target: 'n', rules: [] }],
            },
          ],
          'o',
        ),
      ),
      { l: range(1_000) },
    ],
    [
      'loops that do nothing',
      rules(
        loop('l', [
          {
            forEach: { array: 'l', as: 'f' },
            rules: [{ forEach: { array: 'l', as: 'g' }, rules: [] }],
          },
        ]),
      ),
      { l: range(1_000) },
    ],
    ['searches', rules(loop('l', [{ target: 't', source: '$..none' }])), { l: range(20_000) }],
    ['gaps', rules(...range(60).map((at) => ({ target: `g${at}[999999]`, value: 1 }))), {}],
    [
      'checks of large values',
      rules(loop('l', [{ target: 't', source: 'v', validation: { uniqueItems: true } }])),
      { l: range(10_000), v: range(10_000) },
    ],
    [
      'a pattern that explodes elsewhere',
      rules(loop('l', [{ target: 't', source: 'v', validation: { pattern: '(a+)+$' } }])),
      { l: range(1_000), v: `${'a'.repeat(20_000)}b` },
    ],
    [
      'copies of copies',
      rules(loop('l', [{ copy: { from: 'l', to: 'c[i]' } }, { target: 'c[i][0]', value: 1 }])),
      { l: range(20_000) },
    ],
    ['JSON that is too deep', through('fromJson'), { v: '['.repeat(100_000) }],
    [
      'an expression without an end',
      rules({ target: 't', expression: '(() => { for (;;) {} })()' }),
      {},
    ],
  ])('%s', (_, draft, input) => {
    const compiled = read(draft);
    const started = performance.now();
    let error: unknown;
    try {
      void compiled.run(input, runOf({ bounds: BOUNDS }));
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({
      code: 'TEMPLATE_FAILED',
      details: [
        { path: expect.stringMatching(/^transformationRules\.0|^transformationRules\.\d+/) },
      ],
    });
    // Where the clock does not stand still.
    expect(performance.now() - started).toBeLessThan(15_000);
    expect(apply([{ target: 't', source: 'v' }], { v: 1 })).toEqual({ t: 1 });
  });
});

describe('goes well', () => {
  test('1,000,000 elements', () => {
    const input = { items: range(1_000_000).map((n) => ({ n })) };
    const inner = [{ target: 'n', source: 'e.n' }];
    const output = run(rules(loop('items', inner, 'lines')), input, { bounds: BOUNDS }) as {
      lines: Json[];
    };
    expect(output.lines).toHaveLength(1_000_000);
    expect(output.lines.at(-1)).toEqual({ n: 999_999 });
  });

  test('one element more than fits is refused, not a dead isolate', () => {
    const input = { items: range(1_100_000) };
    expect(() =>
      run(rules(loop('items', [{ target: 'n', source: 'e' }], 'lines')), input, { bounds: BOUNDS }),
    ).toThrow('the run makes more data than one run may hold');
  });

  test('a target of brackets and a text of digits take no time', () => {
    expect(() => read(rules({ target: '[a'.repeat(400_000), value: 1 }))).toThrow(
      'longer than 4096 characters',
    );
    const number = rules({
      target: 't',
      source: 'v',
      transformers: ['toNumber'],
      onError: { action: 'skip' },
    });
    expect(run(number, { v: `${'1'.repeat(9_999)}x` })).toEqual({});
  });

  test('JSON text of one long string is read', () => {
    const v = JSON.stringify('x\n'.repeat(1_000_000));
    const output = run(through('fromJson', 'length'), { v }, { bounds: BOUNDS });
    expect(output).toEqual({ t: 2_000_000 });
  });

  test('deep values move', () => {
    expect(apply([{ target: 't', source: 'v' }], { v: deep(900) })).toEqual({ t: deep(900) });
    expect(() => apply([{ target: 't', source: 'v' }], { v: deep(5_000) })).toThrow(
      'deeper than a run may go',
    );
  });

  test('hostile names', () => {
    const input = JSON.parse('{"__proto__":{"x":1},"constructor":{"prototype":{"y":2}}}') as Json;
    const output = apply(
      [
        { target: '__proto__.x', source: '__proto__.x' },
        { target: 'constructor.prototype.y', source: 'constructor.prototype.y' },
        { copy: { from: '$', to: 'all' } },
        { copy: { from: '$', fields: ['__proto__'] } },
        { initialize: { 'i.__proto__': { z: 1 } } },
        { target: 'e', expression: '$' },
        { target: 'p', source: '$', transformers: [{ name: 'pick', args: ['__proto__'] }] },
      ],
      input,
    );
    const text = JSON.stringify(input);
    expect(JSON.stringify(output)).toBe(
      `{"__proto__":{"x":1},"constructor":{"prototype":{"y":2}},"all":${text},"i":{"__proto__":{"z":1}},"e":${text},"p":{"__proto__":{"x":1}}}`,
    );
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});
