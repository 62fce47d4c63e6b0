/** What rules only move arrives as it was written; what they compute is the same, whichever way it was. Contract §1. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Json, type JsonObject, parseJson } from '../../../proto/json.ts';
import { orderedText, unordered } from '../../../proto/ordered-json.ts';
import { body } from '../../../proto/test-json-texts.ts';
import { parseWritten, writtenText } from '../../../proto/written-json.ts';
import type { Compiled } from '../compiled.ts';
import { BOUNDS, type Draft, read, render, runOf } from './test/run.ts';

const rules = (...each: readonly Json[]): Draft => ({ transformationRules: each });
const nested: Readonly<Record<string, Compiled>> = {
  inner: read(rules({ target: 'value', source: 'value' })),
  whole: read(rules({ target: '$', source: '$' })),
};

/** Templates that move the input `{"value": …}`, and the text of their output by that of the input. */
const MOVES: Readonly<Record<string, readonly [Draft, (text: string) => string]>> = {
  'a source': [rules({ target: 'value', source: 'value' }), same],
  'a pointer': [rules({ target: '/value', source: '/value' }), same],
  JSONPath: [rules({ target: '$.value', source: '$.value' }), same],
  'JSONPath that finds several': [
    rules({ target: 'value', source: '$.*', transformers: ['reverse', 'first'] }),
    same,
  ],
  'the whole input': [rules({ target: '$', source: '$' }), same],
  'an expression': [rules({ target: 'value', expression: '$.value' }), same],
  'an expression that builds': [
    rules({ target: '$', expression: '({value: [value, 1][0]})' }),
    same,
  ],
  'a function': [
    {
      functions: { around: '(each) => ({value: each})' },
      ...rules({ target: '$', function: 'around', args: ['value'] }),
    },
    same,
  ],
  'copy of members': [rules({ copy: { from: '$' } }), same],
  'copy of fields': [rules({ copy: { from: '$', fields: ['value'] } }), same],
  forEach: [
    rules({
      forEach: { array: '$.*', as: 'each' },
      target: 'all',
      rules: [{ target: 'value', source: 'each' }],
    }),
    (text) => `{"all":[${text}]}`,
  ],
  pick: [
    rules({ target: '$', source: '$', transformers: [{ name: 'pick', args: ['value'] }] }),
    same,
  ],
  'omit and default': [
    rules({
      target: '$',
      source: '$',
      transformers: [
        { name: 'omit', args: ['other'] },
        { name: 'default', args: [1] },
      ],
    }),
    same,
  ],
  'entries and back': [
    rules({ target: '$', source: '$', transformers: ['entries', 'fromEntries'] }),
    same,
  ],
  'a nested template': [rules({ target: '$', template: 'inner', input: '$' }), same],
  'a nested template of members': [
    rules({ target: '$', template: 'whole', input: { a: 'value' } }),
    (text) => text.replace('{"value":', '{"a":'),
  ],
  'a block with a validation': [
    rules({
      condition: 'true',
      rules: [{ target: 'value', source: 'value', validation: { required: false } }],
    }),
    same,
  ],
};

function same(text: string): string {
  return text;
}

function outputOf(draft: Draft, input: Json, parameters: JsonObject = {}): Json {
  const output = read(draft).run(input, runOf({ nested, parameters, parametersAreTexts: true }));
  if (output instanceof Promise) throw new Error('gives a promise');
  return output;
}

const EXAMPLES = [
  '{"value":{"b":1.10,"10":1.0,"2":[{"3":-0,"1":1e3}]}}',
  '{"value":1000000000000000000000}',
];
const compact = body.map((each) => each.compact);

describe.each(Object.entries(MOVES))('%s', (_, [draft, place]) => {
  test('keeps each digit and each member in its place', () => {
    fc.assert(
      fc.property(compact, (text) => {
        expect(writtenText(outputOf(draft, parseWritten(text)))).toBe(place(text));
      }),
      { numRuns: 60, examples: EXAMPLES.map((each): [string] => [each]) },
    );
  });
});

test('what a definition holds stays as it was written', () => {
  fc.assert(
    fc.property(compact, (text) => {
      const held = parseWritten(text);
      const draft: Draft = {
        parameters: { p: { default: held } },
        functions: { same: '(each) => each', none: '() => { throw 1 }' },
        transformationRules: [
          { target: 'constant', value: held },
          { target: 'default', function: 'none', onError: { action: 'default', value: held } },
          { initialize: { initialized: held } },
          { target: 'mapped', expression: '"a"', mapping: { a: held } },
          { target: 'argument', function: 'same', args: [{ value: held }] },
          { target: 'filled', source: 'none', transformers: [{ name: 'default', args: [held] }] },
          { target: 'parameter', source: 'parameters.p' },
          { target: 'nested', template: 'whole', input: { a: { value: held } } },
        ],
      };
      const output = outputOf(draft, {});
      expect(writtenText(output)).toBe(
        `{"constant":${text},"default":${text},"initialized":${text},"mapped":${text},"argument":${text},"filled":${text},"parameter":${text},"nested":{"a":${text}}}`,
      );
    }),
    { numRuns: 60, examples: EXAMPLES.map((each): [string] => [each]) },
  );
});

test('what rules write into is a copy that stays as it was written', () => {
  const draft = rules({ target: 'out', source: '$' }, { target: 'out.value[0].z', value: 1 });
  const input = parseWritten('{"value":[{"2":1.0,"1":1.10}],"1":0}');
  expect(writtenText(outputOf(draft, input))).toBe(
    '{"out":{"value":[{"2":1.0,"1":1.10,"z":1}],"1":0}}',
  );
  expect(writtenText(input)).toBe('{"value":[{"2":1.0,"1":1.10}],"1":0}');
});

test('members that are copied follow those that are there', () => {
  const draft = rules(
    { target: 'to', value: parseWritten('{"9":1,"b":2}') },
    { copy: { from: 'value', to: 'to' } },
  );
  const output = outputOf(draft, parseWritten('{"value":{"10":1.0,"b":3,"2":1e0}}'));
  expect(writtenText(output)).toBe('{"to":{"9":1,"b":3,"10":1.0,"2":1e0}}');
});

test('a JSON text and a parameter of a query are read as they are written', () => {
  const draft: Draft = {
    parameters: { rate: { type: 'number' } },
    transformationRules: [
      { target: 'a', source: 'text', transformers: ['fromJson'] },
      { target: 'b', source: 'parameters.rate' },
    ],
  };
  const output = outputOf(draft, { text: '{"2":1.10,"1":1.0}' }, { rate: '0.190' });
  expect(writtenText(output)).toBe('{"a":{"2":1.10,"1":1.0},"b":0.190}');
});

test('a render shows what was written', () => {
  const draft = rules({ target: 'a', source: 'value' });
  const { output } = render(draft, parseWritten('{"value":{"2":1.10,"1":1.0}}'));
  expect(orderedText(output)).toBe('{"a":{"2":1.10,"1":1.0}}');
});

/** Rules that look at numbers. */
const COMPUTES: readonly Json[] = [
  ...['round', 'floor', 'ceil', 'abs', 'toString', 'toBoolean', 'toDate', 'toTimestamp'].map(
    (name) => ({ target: name, source: 'n', transformers: [name] }),
  ),
  { target: 'places', source: 'n', transformers: [{ name: 'round', args: [JSON.rawJSON('2.0')] }] },
  ...['join', 'sum', 'average', 'unique', 'sort', 'toJson', 'length'].map((name) => ({
    target: name,
    source: 'l',
    transformers: [name],
  })),
  { target: 'json', source: 'n', transformers: ['toJson'] },
  { target: 'mapped', source: 'n', mapping: { '1': 'one', '1.1': 'more', '100': 'many' } },
  ...[
    { enum: [1, 1.1, JSON.rawJSON('1e2')] },
    { type: 'integer' },
    { minimum: JSON.rawJSON('1.10') },
    { exclusiveMaximum: 1.1 },
    { type: 'custom', expression: 'value' },
  ].map((validation, at) => ({ target: `valid${at}`, source: 'n', validation })),
  { target: 'distinct', source: 'l', validation: { uniqueItems: true } },
  { target: 'holds', value: 1, condition: 'n' },
  { forEach: { array: 'l', as: 'each', filter: 'each' }, target: 'kept', rules: [] },
].map((rule) => ({ ...rule, onError: { action: 'skip' } }) as Json);

test('what is computed is the same, whichever way numbers are written', () => {
  const number = fc.constantFrom(
    '1',
    '1.0',
    '1e0',
    '1.10',
    '1.1',
    '0',
    '0.0',
    '-0',
    '1e2',
    '100.00',
    '-1.50',
    '1e400',
  );
  const limited = { ...BOUNDS, fuel: 1_000_000 };
  const schema = { type: 'object', properties: { n: { enum: [1, 100, 1.1, 0, -1.5] } } };
  const draft: Draft = { transformationRules: COMPUTES };
  fc.assert(
    fc.property(number, fc.array(number, { maxLength: 4 }), (n, l) => {
      const text = `{"n":${n},"l":[${l.join()}]}`;
      const run = (input: Json, inputSchema?: Json) => {
        const compiled = read(inputSchema === undefined ? draft : { ...draft, inputSchema });
        try {
          // Of a zero that moves the sign is part of how it is written.
          return JSON.stringify(unordered(compiled.run(input, runOf({ bounds: limited })) as Json));
        } catch (error) {
          return String(error);
        }
      };
      expect(run(parseWritten(text))).toEqual(run(parseJson(text)));
      expect(run(parseWritten(text), schema)).toEqual(run(parseJson(text), schema));
    }),
    { numRuns: 300 },
  );
});
