/** `as`: what rules name is read by the rules after them, and requests wait only for what they need. Contract §8. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../proto/json.ts';
import type { Compiled } from '../compiled.ts';
import { access } from './test/access.ts';
import { apply, read, run, runOf } from './test/run.ts';

/** Data access that answers by its input, and notes when each was sent and what had ended before. */
function source(answer: (input: Json) => Json) {
  const sent: { readonly input: Json; readonly ended: number }[] = [];
  let ended = 0;
  const { compiled } = access('Read');
  const later: Compiled['run'] = async (input) => {
    sent.push({ input, ended });
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    ended += 1;
    return answer(input);
  };
  const replacement: Partial<Compiled> = { run: later };
  return {
    compiled: Object.assign(Object.create(compiled), compiled, replacement) as Compiled,
    sent,
  };
}

async function outputOf(
  rules: readonly Json[],
  input: Json,
  nested: Readonly<Record<string, Compiled>>,
) {
  return await read({ transformationRules: rules }).run(input, runOf({ nested }));
}

const FAILS = { validation: [{ type: 'string' }] };

describe('a run', () => {
  test('reads every element of a result in the slash form, and an own member results of the input', async () => {
    const rules = [
      { value: { rows: [{ title: 'A' }, { title: 'B' }] }, as: 't' },
      { target: 'titles', source: 'results/t/rows/../title' },
      { target: 'second', source: '/results/t/rows/1/title' },
      { target: 'own', expression: '$.results.mine' },
    ];
    expect(await outputOf(rules, { results: { mine: 1 } }, {})).toEqual({
      titles: ['A', 'B'],
      second: 'B',
      own: 1,
    });
  });

  test('makes an invoice: fetches lines, and sums price times quantity', async () => {
    const lines = [
      { name: 'Lamp', price: 20, quantity: 2 },
      { name: 'Desk', price: 150, quantity: 1 },
    ];
    const { compiled, sent } = source(() => ({ rows: lines }));
    const rules = [
      { template: 'lines', input: { order: 'id' }, as: 'lines' },
      {
        forEach: { array: 'results.lines.rows', as: 'line' },
        target: 'lines',
        as: 'priced',
        rules: [
          { target: 'name', source: 'line.name' },
          { target: 'amount', expression: 'line.price * line.quantity' },
        ],
      },
      {
        target: 'total',
        expression: 'results.priced.reduce((sum, { amount }) => sum + amount, 0)',
        as: 'total',
      },
      { target: 'isLarge', expression: 'results.total > 100' },
    ];
    expect(await outputOf(rules, { id: 7 }, { lines: compiled })).toEqual({
      lines: [
        { name: 'Lamp', amount: 40 },
        { name: 'Desk', amount: 150 },
      ],
      total: 190,
      isLarge: true,
    });
    expect(sent).toEqual([{ input: { order: 7 }, ended: 0 }]);
  });

  test('sends together what does not depend on each other, and later what does', async () => {
    const { compiled, sent } = source((input) => ({ got: input }));
    const rules = [
      { template: 'db', input: 'a', as: 'a' },
      { template: 'db', input: { of: 'results.a.got' }, target: 'c', as: 'c' },
      { template: 'db', input: 'b', as: 'b' },
      { template: 'db', input: { a: 'results.a.got', b: 'results.b.got' }, target: 'd' },
      {
        template: 'db',
        input: { value: 'last' },
        target: 'e',
        condition: 'results.c.got.of === 1',
      },
    ];
    expect(await outputOf(rules, { a: 1, b: 2 }, { db: compiled })).toEqual({
      c: { got: { of: 1 } },
      d: { got: { a: 1, b: 2 } },
      e: { got: 'last' },
    });
    expect(sent).toEqual([
      { input: 1, ended: 0 },
      { input: 2, ended: 0 },
      { input: { of: 1 }, ended: 2 },
      { input: { a: 1, b: 2 }, ended: 2 },
      { input: 'last', ended: 4 },
    ]);
  });

  test('gives each element of a loop its own results', async () => {
    const { compiled, sent } = source((input) => (input === 2 ? null : { n: input }));
    const rules = [
      {
        forEach: { array: 'l', as: 'e' },
        target: 'l',
        rules: [
          { template: 'db', input: 'e', as: 'first', condition: 'e !== 3' },
          { template: 'db', input: 'results.first.n', as: 'second', target: 'second' },
          { target: 'known', expression: 'results.first === undefined ? 0 : 1' },
        ],
      },
    ];
    expect(await outputOf(rules, { l: [1, 2, 3, 4] }, { db: compiled })).toEqual({
      l: [
        { second: { n: 1 }, known: 1 },
        { known: 1 },
        { known: 0 },
        { second: { n: 4 }, known: 1 },
      ],
    });
    expect(sent.map(({ input }) => input)).toEqual([1, 2, 4, 1, 4]);
  });

  test.each<[string, JsonObject]>([
    ['that holds', { a: 1 }],
    ['that does not hold', { a: 0 }],
  ])('reads after a block what either branch names: of a condition %s', async (_, input) => {
    const { compiled } = source((given) => given);
    const rules = [
      {
        condition: 'a > 0',
        rules: [{ template: 'db', input: { value: 'then' }, as: 'x' }],
        else: [{ value: 'else', as: 'x' }],
      },
      { template: 'db', input: 'results.x', target: 'x' },
    ];
    expect(await outputOf(rules, input, { db: compiled })).toEqual({
      x: input.a === 1 ? 'then' : 'else',
    });
  });

  test('gives undefined for a rule that did not run, and its default for one that failed', () => {
    const rules = [
      { value: 1, as: 'a', condition: 'false' },
      { value: 1, as: 'b', ...FAILS, onError: { action: 'default', value: 'none' } },
      { value: 1, as: 'c', ...FAILS, onError: { action: 'skip' } },
      { target: 'told', expression: '[typeof results.a, results.b, typeof results.c]' },
    ];
    expect(apply(rules, {})).toEqual({ told: ['undefined', 'none', 'undefined'] });
  });

  test('sends nothing more once a rule has failed whose result has a name', async () => {
    const { compiled, sent } = source((input) => input);
    const rules = [
      { template: 'db', input: 'a', as: 'a', validation: [{ type: 'string' }] },
      { template: 'db', input: { a: 'results.a' }, target: 'b' },
    ];
    await expect(outputOf(rules, { a: 1 }, { db: compiled })).rejects.toMatchObject({
      code: 'TEMPLATE_FAILED',
      details: [{ path: 'transformationRules.0' }],
    });
    expect(sent.map(({ input }) => input)).toEqual([1]);
  });

  test('lets conditions, functions, filters, checks and nested inputs read results', () => {
    const rules = [
      { value: { n: 2, l: [1, 2, 3] }, as: 'a' },
      { target: 'c', value: 1, condition: 'results.a.n === 2' },
      { target: 'f', function: 'twice', args: ['results.a.n'] },
      {
        forEach: { array: 'results.a.l', as: 'e', index: 'i', filter: 'e >= results.a.n' },
        target: 'l',
        rules: [{ target: 'at', expression: 'e + i + results.a.n' }],
      },
      {
        target: 'v',
        value: 5,
        validation: [{ type: 'custom', expression: 'value > results.a.n' }],
      },
      { copy: { from: 'results.a', to: 'copied', fields: ['n'] } },
    ];
    const draft = { transformationRules: rules, functions: { twice: '(n) => 2 * n' } };
    expect(run(draft, {})).toEqual({
      ...{ c: 1, f: 4, l: [{ at: 5 }, { at: 7 }], v: 5 },
      copied: { n: 2 },
    });
  });

  test('has results as a member of the input where no rule names any', () => {
    expect(apply([{ target: 'x', source: 'results.a' }], { results: { a: 1 } })).toEqual({ x: 1 });
  });

  test('is what rules one after the other would make', async () => {
    // Each rule adds what some rules before it made; some ask a template for the sum.
    const rule = fc.record({ asks: fc.boolean(), needs: fc.array(fc.nat(), { maxLength: 3 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(rule, { minLength: 1, maxLength: 12 }), async (drawn) => {
        const expected: number[] = [];
        const rules = drawn.map(({ asks, needs }, at) => {
          const before = at === 0 ? [] : needs.map((need) => need % at);
          expected.push(1 + before.reduce((sum, each) => sum + (expected[each] ?? 0), 0));
          const named = before.map((each) => `results.r${each}`);
          if (!asks)
            return { expression: ['1', ...named].join(' + '), as: `r${at}`, target: `r${at}` };
          const input = Object.fromEntries(named.map((each, index) => [`x${index}`, each]));
          return { template: 'sum', input, as: `r${at}`, target: `r${at}` };
        });
        const { compiled, sent } = source((input) =>
          Object.values(input as Record<string, number>).reduce((sum, each) => sum + each, 1),
        );
        const output = await outputOf(rules, {}, { sum: compiled });
        expect(output).toEqual(Object.fromEntries(expected.map((each, at) => [`r${at}`, each])));
        expect(sent).toHaveLength(drawn.filter(({ asks }) => asks).length);
      }),
    );
  });
});

test('a render leaves out what needs the result of a request, and tells the order of requests', async () => {
  const { compiled, seen } = access('Read');
  const rules = [
    { template: 'db', input: 'n', as: 'row' },
    { target: 'double', expression: '2 * n', as: 'double' },
    { template: 'db', input: 'results.row.id', target: 'next', as: 'next' },
    { template: 'db', input: 'results.double', target: 'beside' },
    { target: 'sum', expression: 'results.double + 1' },
    { target: 'id', source: 'results.next.id' },
  ];
  const rendered = await read({ transformationRules: rules }).render(
    { n: 2 },
    runOf({ nested: { db: compiled } }),
  );
  expect(rendered).toMatchObject({ success: true, output: { double: 4, sum: 5 } });
  const told = rendered.transformationSteps
    .filter(({ request }) => request === undefined)
    .map(({ rule, round, note }) => ({ rule, round, note }));
  const UNSENT = 'its request was not sent, so that there is no result';
  expect(told).toEqual([
    { rule: 'results.row', round: 1, note: UNSENT },
    { rule: 'double', round: undefined, note: undefined },
    { rule: 'next', round: 2, note: 'needs results.row, whose request was not sent' },
    { rule: 'beside', round: 1, note: UNSENT },
    { rule: 'sum', round: undefined, note: undefined },
    { rule: 'id', round: undefined, note: 'needs results.next, whose request was not sent' },
  ]);
  expect(seen.inputs).toEqual([]);
});
