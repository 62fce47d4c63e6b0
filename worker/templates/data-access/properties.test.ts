/** What holds for whatever comes: the text that is sent depends on types only, and values are never read again. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Kind, parseRequest } from '../../../kinds/index.ts';
import type { Json, JsonObject } from '../../../proto/json.ts';
import { STATEMENT_KINDS, spansOf } from './literals.ts';
import { partsOf, type TextPart } from './placeholder.ts';
import { readStatement } from './statement.ts';
import { compiled, sentBy } from './test/trial.ts';

/** Texts; many are almost SQL, JSON, placeholders or protocol. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(
      fc.constantFrom(
        ...["'", '"', '`', '\\', '--', '/*', '*/', '#', ';', '$$', '$1', '?', ':a', '{', '}', '{{'],
        ...['}}', '{{x}}', '$', '$where', '..', '/', '%2e', '\r\n', '*', ' OR ', '\0', ',', 'x'],
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join('')),
);
const STATEMENT = "SELECT {{x}}, '{{x}}', {{y: Number}} FROM t WHERE a = {{?z: Boolean}}";

test.each(STATEMENT_KINDS)(
  'a statement of %s has one text for all values of a type',
  async (kind) => {
    const template = compiled(kind, { query: STATEMENT });
    const { query } = await sentBy(template, { x: 'a', y: 1, z: true });
    const run = async (x: string, y: number, z: boolean) => {
      const sent = await sentBy(template, { x, y, z });
      expect(sent.query).toBe(query);
      expect(Object.values(sent.params ?? {})).toEqual([x, x, y, z]);
    };
    await fc.assert(fc.asyncProperty(text, fc.integer(), fc.boolean(), run), { numRuns: 500 });
  },
);

describe('requests', () => {
  const REQUESTS: readonly (readonly [Kind, JsonObject, JsonObject])[] = [
    ['mongo', { type: 'insert_one', collection: 'c', document: { a: '{{x}}', b: ['{{x}}'] } }, {}],
    ['redis', { type: 'set', key: '{{x}}', value: '{{x}}' }, {}],
    ['redis', { type: 'xadd', args: ['s', '*', '{{x}}', '{{x}}'] }, {}],
    ['pinecone', { type: 'query', body: { vector: [1], filter: { a: '{{x}}' } } }, {}],
    ['http', { method: 'POST', query: { q: '{{x}}' }, body: { a: '{{x}}' } }, {}],
  ];
  test.each(REQUESTS)('to %s hold a text where it was put, as it is: %j', async (kind, request) => {
    const template = compiled(kind, request);
    const expected = (x: string): Json => filledAt(request, x);
    const run = async (x: string) => {
      const sent = await sentBy(template, { x });
      expect(sent).toEqual(expected(x));
    };
    await fc.assert(fc.asyncProperty(text, run), { numRuns: 300 });
  });

  test('to Redis have the same number of words for every text', async () => {
    const template = compiled('redis', { type: 'hset', args: ['{{x}}', 'f', '{{x}}'] });
    const run = async (x: string) => {
      const sent = await sentBy(template, { x });
      if (!x.isWellFormed()) return;
      expect(parseRequest('redis', sent).request).toEqual({ type: 'hset', args: [x, 'f', x] });
    };
    await fc.assert(fc.asyncProperty(text, run), { numRuns: 300 });
  });

  test('with a document in a text keep its shape', async () => {
    const command = '{"find": "c", "filter": {"a": "{{x}}", "b": "p {{x}}"}}';
    const template = compiled('mongo', { type: 'raw_command', command });
    const run = async (x: string) => {
      const sent = await sentBy(template, { x });
      const filter = { a: x, b: `p ${x}` };
      expect(JSON.parse(String(sent.command))).toEqual({ find: 'c', filter });
    };
    await fc.assert(fc.asyncProperty(text, run), { numRuns: 300 });
  });
});

/** The request with a text instead of each placeholder. */
function filledAt(value: Json, x: string): Json {
  if (value === '{{x}}') return x;
  if (Array.isArray(value)) return value.map((each) => filledAt(each, x));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, filledAt(each, x)]));
}

test('texts come apart and together again, whatever they are', () => {
  void fc.assert(
    fc.property(text, (whole) => {
      const { parts, fault } = partsOf(whole);
      if (fault !== undefined) return;
      const texts = parts.filter((part) => typeof part === 'string');
      let at = 0;
      for (const each of texts) {
        const found = whole.indexOf(each, at);
        expect(found).toBeGreaterThanOrEqual(at);
        at = found + each.length;
      }
      if (texts.length === parts.length) expect(texts.join('')).toBe(whole);
    }),
    { numRuns: 2_000 },
  );
});

test('any statement is read, or its fault told: what is bound is what its text has places for', () => {
  const pieces = fc.array(fc.oneof(text, fc.constant({ name: 'x' })), { maxLength: 6 });
  const run = (kind: (typeof STATEMENT_KINDS)[number], made: readonly (string | object)[]) => {
    const placeholder = { name: 'x', type: 'any', optional: false, fallback: null } as const;
    const parts: TextPart[] = made.map((each) => (typeof each === 'string' ? each : placeholder));
    const statement = readStatement(kind, parts, undefined, () => 'value');
    if (typeof statement === 'string') return;
    const { text: bound, params } = statement.bind(
      { value: () => 'value', refuse: () => {} },
      undefined,
    );
    const count = parts.filter((part) => typeof part !== 'string').length;
    expect(Object.keys(params)).toHaveLength(count);
    const marks = spansOf(kind, bound).filter(({ sort }) => sort === 'parameter');
    if (kind !== 'clickhouse' && count > 0) expect(marks.length).toBeGreaterThanOrEqual(count);
  };
  void fc.assert(fc.property(fc.constantFrom(...STATEMENT_KINDS), pieces, run), { numRuns: 3_000 });
});
