/** Runs of templates that take all their fuel, and large inputs. */
import { always, filled, type Operation, post, template } from './operation.ts';

const MIB = 1024 * 1024;

/** A template of one rule that computes, and what it is run with. */
function computing(
  name: string,
  expression: string,
  input: () => Buffer | string = () => '{"a":1}',
  rest: object = {},
): Operation {
  const id = name.replaceAll(/[^a-z0-9]+/g, '-');
  const definition = { transformationRules: [{ target: 'made', expression }], ...rest };
  return {
    ...always(name, () => post(`/templates/${id}`, input())),
    setUp: template(id, definition),
  };
}

const functions = (source: string) => ({ functions: { work: source } });
const numbers = (bytes: number) => () =>
  filled(['{"all":[', ']}'], (index) => String(index % 997), bytes);

const ENDING = '},"actions":[{"id":"wait","type":"wait","mode":"duration","duration":"PT5M"}]}';
const definition = (before: string, bytes: number, after = ENDING) =>
  filled([before, after], (index) => `"k${index}":1`, bytes);

export const templateOperations: readonly Operation[] = [
  computing(
    'run a loop without an end',
    'work()',
    undefined,
    functions('let n = 0; while (true) { n += 1 } return n'),
  ),
  computing('run a sort', 'all.toSorted((one, other) => one - other).length', numbers(MIB)),
  computing(
    'run texts that grow',
    'work()',
    undefined,
    functions(
      "let text = 'a'; while (true) { text = text.slice(0, 1000) + 'b'.repeat(100000) } return text",
    ),
  ),
  computing('run a pattern', "'aaaaaaaaab'.repeat(20000).replace(/(a|b|ab)*c/g, '').length"),
  computing(
    'run JSON.parse again and again',
    'work(all)',
    numbers(MIB / 2),
    functions(
      '(all) => { const text = JSON.stringify(all); while (true) { JSON.parse(text) } return 1 }',
    ),
  ),
  computing('run with 10 MiB', 'all.length', numbers(10 * MIB)),
  computing('run that answers all of 10 MiB', '$', numbers(10 * MIB)),
  // Stored once; after that its id is taken, which is told when it was read.
  always('a definition of many names', () =>
    post(
      '/workflows',
      definition('{"id":"many-names","name":"many","documentation":{', 0.95 * MIB),
    ),
  ),
  always('a definition of many names that is too large', () =>
    post('/workflows', definition('{"json":{', 6.5 * MIB, '}}')),
  ),
  {
    ...always('run with a schema over 10 MiB', () =>
      post(
        '/templates/strict',
        filled(['{"all":[', ']}'], (index) => `{"a":${index},"b":"x"}`),
      ),
    ),
    setUp: template('strict', {
      inputSchema: {
        type: 'object',
        properties: {
          all: {
            type: 'array',
            items: { anyOf: [{ required: ['c'] }, { properties: { b: { pattern: '^x+$' } } }] },
          },
        },
      },
      transformationRules: [{ target: 'a', source: 'all[0].a' }],
    }),
  },
  {
    ...always('run $..*..* in a template', () =>
      post(
        '/templates/paths',
        filled(['{"all":[', ']}'], (index) => `{"a":[${index}]}`, MIB),
      ),
    ),
    setUp: template('paths', {
      transformationRules: [{ target: 'a', source: '$..*..*' }],
    }),
  },
];
