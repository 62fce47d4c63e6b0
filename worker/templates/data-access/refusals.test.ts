/** What is refused: operators and code of callers, and of authors what would let them in. Contract §8. */
import { describe, expect, test } from 'vitest';
import type { Kind } from '../../../kinds/index.ts';
import type { JsonObject } from '../../../proto/json.ts';
import { compiled, faultsOf, runOf } from './test/trial.ts';

const find = { type: 'find', collection: 'c' };
const set = { type: 'json.set', key: 'k', path: '$' };

const OPERATOR = "may hold no operator: names that begin with $ are the template's alone";
const REFUSED: readonly (readonly [Kind, JsonObject, JsonObject, string])[] = [
  ['mongo', { ...find, filter: { p: '{{p: Object}}' } }, { p: { $ne: '' } }, OPERATOR],
  ['mongo', { ...find, filter: { p: '{{p: Array}}' } }, { p: [{ a: { $gt: 1 } }] }, OPERATOR],
  ['mongo', { ...find, filter: { '{{p}}': 1 } }, { p: '$where' }, OPERATOR],
  ['mongo', { ...find, filter: { 'a{{p}}': 1 } }, { p: '.$[]' }, OPERATOR],
  ['mongo', { ...find, filter: '{{p: Object}}' }, { p: { a: { $code: 'x' } } }, OPERATOR],
  [
    'mongo',
    { ...find, filter: '{{p: Object}}' },
    { p: { a: { $regularExpression: { pattern: 'x', options: '' } } } },
    OPERATOR,
  ],
  ['mongo', { ...find, filter: '{{p: Object}}' }, { p: { $oid: 'x', $where: 'y' } }, OPERATOR],
  [
    'pinecone',
    { type: 'delete', body: '{{p: Object}}' },
    { p: { filter: { a: { $ne: 1 } } } },
    OPERATOR,
  ],
  [
    'http',
    { path: '/a/{{p}}' },
    { p: '' },
    'must be a text that is not empty: it is a part of a path',
  ],
  [
    'http',
    { path: '/a/{{p}}' },
    { p: '\ud800' },
    'must be a text that is not empty: it is a part of a path',
  ],
  [
    'http',
    { headers: { Cookie: 's={{p}}' } },
    { p: 'x; admin=1' },
    'has characters that no cookie can hold',
  ],
];
test.each(REFUSED)('%s takes no operators: %j %j', async (kind, request, input, message) => {
  const template = compiled(kind, request);
  const fault = { path: 'p', message };
  await expect(template.run(input, runOf())).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    details: [fault],
  });
  expect(template.render(input, runOf())).toMatchObject({
    success: false,
    inputValidation: { valid: false, errors: [fault] },
  });
});

test.each([
  ['..', 'must have no part that is . or ..'],
  ['a/../../b', 'must have no part that is . or ..'],
  ['%2e%2e', 'must have no part that is . or ..'],
  ['..\\x', 'must have no part that is . or ..'],
  ['a\r\nHost: x', 'must encode text in UTF-8, without control characters'],
])('a path never leaves its URL by %j, and a render says so', (value, message) => {
  const template = compiled('http', { path: '/a/{{p}}' });
  expect(template.render({ p: value }, runOf())).toMatchObject({
    success: false,
    inputValidation: { valid: false, errors: [{ path: 'template.path', message }] },
  });
});

describe('an author is told', () => {
  const BAD: readonly (readonly [Kind, JsonObject, string])[] = [
    ['mongo', { type: 'raw_command', command: '{{c: Object}}' }, 'the command its caller chooses'],
    ['mongo', { type: 'run_command', command: { '{{c}}': 1 } }, 'it would choose the command'],
    ['mongo', { type: 'raw_command', command: '{"{{c}}": 1}' }, 'it would choose the command'],
    ['mongo', { type: 'raw_command', command: '{"find": {{c}}}' }, 'put quotes around'],
    ['mongo', { ...find, filter: { $where: 'this.a == {{x}}' } }, 'is fixed'],
    ['mongo', { ...find, filter: { a$: 1, '${{op}}': 1 } }, 'operators are fixed'],
    ['mongo', { ...find, filter: { $expr: { $eq: ['$a.{{x}}', 1] } } }, 'reads as code'],
    ['redis', { type: 'raw_command', command: 'GET {{k}}' }, 'is fixed'],
    ['redis', { type: 'raw_command_read_only', command: 'GET {{k}}' }, 'is fixed'],
    ['redis', { type: ' EVAL', args: ['{{s}}', 0] }, 'is fixed'],
    ['redis', { type: 'config|set', args: ['dir', '{{s}}'] }, 'is fixed'],
    ['redis', { request: { type: 'raw_command', command: ['GET', '{{k}}'] } }, 'is fixed'],
    ['redis', { type: 'eval', script: '{{s}}', keys: [], args: [] }, 'is fixed'],
    ['redis', { type: 'eval', args: ['{{s}}', 0] }, 'is fixed'],
    ['redis', { type: 'config', args: ['set', 'dir', '{{d}}'] }, 'is fixed'],
    ['redis', { type: 'set', args: '{{a: Array}}' }, 'is fixed'],
    ['redis', { type: 'object', args: ['{{s}}', 'k'] }, 'is fixed'],
    ['redis', { type: 'ft.search', index: 'i', query: '@a:{{x}}' }, 'reads as code'],
    ['redis', { ...set, path: '$.{{x}}', value: 1 }, 'reads as code'],
    ['redis', { ...set, value: '{"a": {{x}}}' }, 'put quotes around'],
    ['redis', { type: 'subscribe', channels: ['{{c}}'] }, 'answers events'],
    ['pinecone', { type: 'query', body: '{{b}}' }, 'write {{b: Object}}'],
    ['http', { method: '{{m}}' }, 'is fixed'],
    ['http', { headers: { '{{h}}': 'x' } }, 'headers are fixed'],
    ['http', { method: 'POST', body: '{"a": {{x}}}' }, 'a form that is not known'],
    [
      'http',
      { method: 'POST', headers: { 'content-type': 'text/csv' }, body: 'a,{{x}}' },
      'a form that is not known',
    ],
    ['http', { '{{m}}': 1 }, 'members of a request are fixed'],
  ];
  test.each(BAD)('%s %j', (kind, request, message) => {
    expect(faultsOf(kind, request)).toContainEqual(expect.stringContaining(message));
  });
});

test('what the whole request is at fault for is told at the request', () => {
  expect(faultsOf('postgres', { query: 'select 1', colour: 'red' })).toEqual([
    'template "colour" is not known; known are type, query, kind, timeout_ms, row_format, params',
  ]);
});
