/** Faults of definitions: all of them, each with its path. */
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../proto/json.ts';
import type { TransformationDefinition } from '../definition.ts';
import { readTransformation } from './index.ts';
import { type Draft, definitionOf } from './test/run.ts';

function faultsOf(draft: Draft): Record<string, string> {
  const { faults } = readTransformation(definitionOf(draft));
  return Object.fromEntries(
    faults.map(({ path, message, line, column }) => [
      path,
      line === undefined ? message : `${message} (${line}:${column})`,
    ]),
  );
}

test('every fault is told at once, with its path', () => {
  const draft = {
    transformationRules: [
      { target: 'a', source: 'b', expression: 'c' },
      { target: 'a', soruce: 'b' },
      { target: 'a', expression: '1 +\n  * 2' },
      'trim',
      {
        forEach: { array: 'x', as: 'item', filter: 'item..n' },
        target: 'l[*]',
        rules: [
          { target: '[j]', source: 'a..' },
          { forEach: { array: 'y', as: 'item' }, rules: [] },
        ],
      },
    ],
    functions: { ok: '() => 1', broken: '(a => {', other: 'return (' },
    inputSchema: { type: 'strnig' },
    outputSchema: { $ref: 'https://example.com/schema' },
    parameters: { rate: { type: 'number', default: 'x' } },
  } as unknown as Partial<TransformationDefinition>;
  expect(faultsOf(draft)).toEqual({
    'transformationRules.0': 'has source and expression: a rule has one of them',
    'transformationRules.1':
      'needs one of source, expression, value, function, template, copy, initialize, forEach, or rules under a condition; "soruce" is not known',
    'transformationRules.2.expression': expect.stringMatching(/\(2:3\)$/),
    'transformationRules.3': 'must be an object: a rule, or a block of rules under a condition',
    'transformationRules.4.forEach.filter': expect.stringMatching(/\(1:6\)$/),
    'transformationRules.4.target': expect.stringMatching(/^does not parse/),
    'transformationRules.4.rules.0.target': expect.stringMatching(
      /^does not parse at character 2, "j\]": in brackets stands an index, or the name of a loop's index: no loop around names one$/,
    ),
    'transformationRules.4.rules.0.source': expect.stringMatching(/^does not parse/),
    'transformationRules.4.rules.1.forEach.as': 'is the name of a loop around already: item',
    'functions.broken': expect.stringMatching(/\(1:\d+\)$/),
    'functions.other': expect.stringMatching(/\(1:\d+\)$/),
    'inputSchema.type': expect.any(String),
    'outputSchema.$ref': expect.any(String),
    'parameters.rate.default': 'is not of type number',
  });
});

test('a function is not called as something of the language, and each fault is told once', () => {
  const functions = {
    Math: '() => 1',
    now: '() => 1',
    parameters: '() => 1',
    $: '() => 1',
    parseInt: '() => 1',
    'a b': '() => 1',
    fine: '() => 1',
  };
  const { faults } = readTransformation(definitionOf({ functions }));
  const message = 'is what expressions call something else: choose another name';
  expect(faults.map(({ path, message: told }) => [path, told])).toEqual([
    ...['Math', 'now', 'parameters', '$', 'parseInt'].map((name) => [`functions.${name}`, message]),
    ['functions.a b', 'is not a name that a function can have'],
  ]);
});

describe('of one rule', () => {
  const loop = (forEach: Json) => ({ forEach, target: 't', rules: [] });
  test.each<[Json, string, string | RegExp]>([
    [
      { target: 't', source: 'a', sauce: 1 },
      '.sauce',
      /^is no member of a rule with source, which has source, target, transformers/,
    ],
    [{ target: 't', source: 'a', args: [] }, '.args', /^is no member of a rule with source/],
    [{ source: 'a' }, '.target', 'is required'],
    [{ target: '', source: 'a' }, '.target', 'must be a text of at least one character'],
    [{ target: 't', source: 5 }, '.source', 'must be a text of at least one character'],
    [
      { target: '$..a', value: 1 },
      '.target',
      'names several places, or counts from an end: a target is one place',
    ],
    [
      { target: '$[-1]', value: 1 },
      '.target',
      'names several places, or counts from an end: a target is one place',
    ],
    [{ target: 'a[4000000000]', value: 1 }, '.target', 'has an index beyond 1000000'],
    [{ target: 't', function: 'nope' }, '.function', "is none of the template's functions: double"],
    [{ target: 't', function: 'double', args: 5 }, '.args', 'must be an array'],
    [{ target: 't', function: 'double', args: ['a..b'] }, '.args.0', /^does not parse/],
    [{ target: 't', template: 'x', input: { a: 'b..' } }, '.input.a', /^does not parse/],
    [{ target: 't', template: 'x', parameters: [] }, '.parameters', 'must be an object'],
    [{ target: 't', source: 'a', mapping: ['x'] }, '.mapping', 'must be an object'],
    [{ target: 't', source: 'a', condition: 'a +' }, '.condition', /\(1:\d+\)$/],
    [
      { target: 't', source: 'a', onError: {} },
      '.onError.action',
      'is required: default, skip, fail',
    ],
    [
      { target: 't', source: 'a', onError: { action: 'retry' } },
      '.onError.action',
      'must be one of default, skip, fail',
    ],
    [
      { target: 't', source: 'a', onError: { action: 'default' } },
      '.onError.value',
      'is required: what `default` puts',
    ],
    [
      { target: 't', source: 'a', onError: { action: 'skip', value: 1 } },
      '.onError.value',
      'is of the action default alone',
    ],
    [
      { target: 't', source: 'a', onError: { action: 'skip', logLevel: 'loud' } },
      '.onError.logLevel',
      'must be one of debug, info, warn, error',
    ],
    [
      { copy: {}, onError: { action: 'default', value: 1 } },
      '.onError.action',
      'cannot be default: there is no single target for its value',
    ],
    [
      { copy: { from: 'a', too: 'b' } },
      '.copy.too',
      'is no member of copy, which has from, to, fields',
    ],
    [
      { copy: { fields: [1] } },
      '.copy.fields.0',
      'must be the name of a member, or a path below `from`',
    ],
    [{ initialize: { 'a..b': 1 } }, '.initialize.a..b', /^does not parse/],
    [{ rules: [] }, '.condition', 'is required in a block of rules'],
    [
      { condition: 'true', rules: [], target: 't' },
      '.target',
      'is no member of a block of rules, which has condition, rules, else',
    ],
    [{ condition: 'true', else: [] }, '.rules', 'is required: a list of rules'],
    [loop({ as: 'a' }), '.forEach.array', 'is required'],
    [loop({ array: 'a' }), '.forEach.as', 'is required: what rules call an element'],
    [loop({ array: 'a', as: 'a b' }), '.forEach.as', /^must be a name/],
    [loop({ array: 'a', as: 'parameters' }), '.forEach.as', /^cannot be parameters/],
    [
      loop({ array: 'a', as: 'double' }),
      '.forEach.as',
      'is the name of a function already: double',
    ],
    [
      loop({ array: 'a', as: 'x', index: 'x' }),
      '.forEach.index',
      'is the name of the element already',
    ],
    [loop({ array: [1], as: 'x' }), '.forEach.array', 'must be a text of at least one character'],
    [{ forEach: { array: 'a', as: 'x' }, target: 't' }, '.rules', 'is required: a list of rules'],
    [
      { target: 't', source: 'a', validation: { minimum: 'x' } },
      '.validation.minimum',
      'must be a number',
    ],
    [
      { target: 't', source: 'a', validation: { type: 'text' } },
      '.validation.type',
      /^must be one of string, number/,
    ],
    [
      { target: 't', source: 'a', validation: 5 },
      '.validation',
      'must be an object of bounds, or a list of checks',
    ],
    [
      { target: 't', source: 'a', validation: [{ minimum: 1 }] },
      '.validation.0.type',
      'is required',
    ],
    [
      { target: 't', source: 'a', validation: [{ type: 'odd' }] },
      '.validation.0.type',
      /^is no check: there are required, enum/,
    ],
    [
      { target: 't', source: 'a', validation: [{ type: 'pattern', pattern: '(' }] },
      '.validation.0.pattern',
      /Unterminated group/,
    ],
    [{ target: 't', source: 'items[*].sku' }, '.source', /; write \$\.items\[\*\]\.sku$/],
    [{ target: 't', source: 'items[-1]' }, '.source', /; write \$\.items\[-1\]$/],
    [{ target: 't', source: 'items[x]' }, '.source', /is written \\\[$/],
    [
      { target: 't', source: 'a', validation: [{ type: 'pattern', message: 'm' }] },
      '.validation.0.pattern',
      'is required',
    ],
    [
      { target: 't', source: 'a', validation: { format: 'mail' } },
      '.validation.format',
      'must be one of email, uuid, date, date-time, duration, uri, hostname, ipv4, ipv6',
    ],
    [
      { target: 't', source: 'a', validation: [{ type: 'custom' }] },
      '.validation.0.type',
      'is custom, which needs either `expression` or `function`',
    ],
    [
      { target: 't', source: 'a', validation: { rules: [{ type: 'enum', enum: [] }] } },
      '.validation.rules.0.enum',
      'must be an array of at least one value',
    ],
  ])('%j', (rule, below, message) => {
    const faults = faultsOf({ transformationRules: [rule], functions: { double: '(n) => 2 * n' } });
    const text = typeof message === 'string' ? message : expect.stringMatching(message);
    expect(faults).toEqual({ [`transformationRules.0${below}`]: text });
  });
});

test('a rule nested too deeply is told, not followed', () => {
  let rule: Json = { target: 't', value: 1 };
  for (let at = 0; at < 200; at += 1) rule = { condition: 'true', rules: [rule] };
  const faults = Object.values(faultsOf({ transformationRules: [rule] }));
  expect(faults).toEqual(['is nested deeper than 32 lists of rules']);
});

test('a large definition is read in time linear in its size', () => {
  const rules = Array.from({ length: 8_000 }, (_, at) => ({
    target: `a${at}.b.c.d`,
    source: `x${at}`,
  }));
  const functions = Object.fromEntries(rules.map((_, at) => [`f${at}`, '() => 1']));
  expect(faultsOf({ transformationRules: rules, functions })).toEqual({});
});

test('knows what a template nests, and whether time shows in its result', () => {
  const of = (draft: Draft) => readTransformation(definitionOf(draft)).compiled;
  const rules = [
    {
      forEach: { array: 'a', as: 'x' },
      target: 't',
      rules: [{ target: 'y', template: 'address' }],
    },
  ];
  const nesting = of({ transformationRules: rules });
  expect(nesting?.references).toEqual([
    { kind: 'template', id: 'address', path: 'transformationRules.0.rules.0.template' },
  ]);
  expect(nesting?.usesNow).toBe(false);
  const functions = { age: '(t) => now - t', plain: '() => 1' };
  const sees = (rule: object) =>
    of({ transformationRules: [{ target: 't', ...rule }], functions })?.usesNow;
  expect(sees({ expression: 'now' })).toBe(true);
  expect(sees({ expression: 'age(1)' })).toBe(true);
  expect(sees({ function: 'age' })).toBe(true);
  expect(sees({ value: 1, condition: 'now > 1' })).toBe(true);
  expect(sees({ value: 1, validation: [{ type: 'custom', function: 'age' }] })).toBe(true);
  expect(sees({ expression: 'plain()' })).toBe(false);
});

test('knows how long outputs are kept, and weighs itself', () => {
  const of = (caching?: { enabled: boolean; ttl: number }) =>
    readTransformation(definitionOf(caching ? { performanceSettings: { caching } } : {})).compiled;
  expect(of({ enabled: true, ttl: 30 })?.cacheTtlS).toBe(30);
  expect(of({ enabled: false, ttl: 30 })?.cacheTtlS).toBeUndefined();
  expect(of()?.cacheTtlS).toBeUndefined();
  expect(of()?.weight).toBeGreaterThan(1_000);
});
