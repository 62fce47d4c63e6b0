/** What is wrong with `as` and `results` in a definition: each fault with its path. Contract §8. */
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../proto/json.ts';
import { readTransformation } from './index.ts';
import { definitionOf } from './test/run.ts';

describe('a definition', () => {
  const faultsOf = (rules: readonly Json[], functions?: Record<string, string>) =>
    readTransformation(
      definitionOf({ transformationRules: rules, ...(functions ? { functions } : {}) }),
    ).faults.map(({ path, message }) => `${path.replace('transformationRules.', '')}: ${message}`);
  const HOW = 'read it as results.<name>, by the name that a rule before gives with as';

  const INPUT = '$ is the input, and results of rules are no part of it';
  const EVERY = 'write results/t/rows/../n, where .. is every element';
  const COMPUTE = 'read results.<name> by an expression, which has filter, map and at';

  test.each<[string, readonly Json[], readonly string[]]>([
    [
      'a name that no rule before gives',
      [
        { target: 'x', source: 'results.lines' },
        { value: 1, as: 'lines' },
      ],
      ['0.source: results.lines: no rule before gives that name; none gives a name'],
    ],
    [
      'a near name',
      [
        { value: 1, as: 'lines' },
        { target: 'x', expression: 'results.line + 1' },
      ],
      ['1.expression: results.line: no rule before gives that name; did you mean "lines"?'],
    ],
    [
      'a name given twice',
      [
        { value: 1, as: 'a' },
        { value: 2, as: 'a' },
      ],
      ['1.as: is the name of a result before already: a'],
    ],
    [
      'results as a whole, or by a name that only a run knows',
      [
        { value: 1, as: 'a' },
        { target: 'x', expression: 'Object.keys(results)' },
        { target: 'y', expression: 'results[k]' },
        { target: 'z', source: 'results' },
        { target: 'p', template: 't', input: { r: 'results[0]' } },
      ],
      ['1.expression', '2.expression', '3.source', '4.input.r'].map(
        (path) => `${path}: results is no value by itself: ${HOW}`,
      ),
    ],
    [
      'results as a part of the input, and several places where dots name one',
      [
        { value: { rows: [{ n: 1 }] }, as: 't' },
        { target: 'a', source: 'results.t.rows[*].n' },
        { target: 'b', source: '$.results.t.rows[*].n' },
        { target: 'c', source: '$["results"].t.rows[0].n' },
        { target: 'd', source: '$.results.t.rows[?@.n > 1]' },
        { target: 'e', source: 'results.t.rows[-1].n' },
        { target: 'f', expression: '1 + $.results.t.rows.length' },
        { target: 'g', template: 't', input: { r: '$.results.t' } },
      ],
      [
        `1.source: does not parse at character 16, "*].n": in brackets stands an index; a bracket of a name is written \\[; ${EVERY}`,
        `2.source: ${INPUT}; ${EVERY}`,
        `3.source: ${INPUT}; write results.t.rows[0].n`,
        `4.source: ${INPUT}; ${COMPUTE}`,
        `5.source: does not parse at character 16, "-1].n": in brackets stands an index; a bracket of a name is written \\[; ${COMPUTE}`,
        `6.expression: ${INPUT}; write results.t`,
        `7.input.r: ${INPUT}; write results.t`,
      ],
    ],
    [
      'a name of another element, and of the branch that does not run',
      [
        { forEach: { array: 'l', as: 'e' }, rules: [{ value: 1, as: 'in' }] },
        { target: 'x', source: 'results.in' },
        {
          condition: 'true',
          rules: [{ value: 1, as: 'then' }],
          else: [{ target: 'y', source: 'results.then' }],
        },
      ],
      [
        '1.source: results.in: no rule before gives that name; none gives a name',
        '2.else.0.source: results.then: no rule before gives that name; none gives a name',
      ],
    ],
    [
      'what is no name, and as where nothing is made',
      [
        { value: 1, as: 'a b' },
        { value: 1, as: 7 },
        { copy: { from: 'a' }, as: 'c' },
        { condition: 'true', rules: [], as: 'd' },
      ],
      [
        '0.as: must be a name, such as lines: letters, digits, _ and $',
        '1.as: must be a text of at least one character',
        '2.as: is no member of a rule with copy, which has copy, condition, onError',
        '3.as: is no member of a block of rules, which has condition, rules, else',
      ],
    ],
    [
      'an element called results',
      [
        { value: 1, as: 'a' },
        { forEach: { array: 'l', as: 'results' }, rules: [] },
      ],
      ['1.forEach.as: cannot be results, which means something else in expressions'],
    ],
  ])('is refused for %s', (_, rules, faults) => {
    expect(faultsOf(rules)).toEqual(faults);
  });

  test('cannot call a function results', () => {
    expect(faultsOf([{ value: 1, as: 'a' }], { results: '() => 1' })).toEqual([
      'functions.results: is what rules with as call their results: choose another name',
    ]);
  });
});
