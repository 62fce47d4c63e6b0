/** Requests to Pinecone as they are read: the same again when a relay reads what the edge has read. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson } from '../../proto/json.ts';
import { parseRequest } from '../index.ts';

const read = (text: string) => {
  const { request, mode } = parseRequest('pinecone', parseJson(text));
  return { text: JSON.stringify(request), mode };
};

const name = fc.string({ unit: 'grapheme', minLength: 1 });
const namespace = fc.option(name);
const values = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), {
  minLength: 1,
  maxLength: 5,
});
const metadata = fc.dictionary(
  fc.oneof(name, fc.constantFrom('__proto__', 'constructor')),
  fc.jsonValue({ maxDepth: 1 }),
);
const body = fc.oneof(
  fc.record({
    type: fc.constant('query'),
    body: fc.record({ vector: values, filter: metadata, namespace }),
  }),
  fc.record({
    type: fc.constant('upsert'),
    body: fc.record({
      vectors: fc.array(fc.record({ id: name, values, metadata }), { minLength: 1, maxLength: 3 }),
      namespace,
    }),
  }),
  fc.record({
    type: fc.constant('update'),
    body: fc.record({ id: name, setMetadata: metadata, namespace }),
  }),
  fc.record({
    type: fc.constant('delete'),
    body: fc.record({ ids: fc.array(name, { minLength: 1 }), namespace }),
  }),
);

test('what was read is read again as the same', () => {
  fc.assert(
    fc.property(body, (request) => {
      const once = read(JSON.stringify(request));
      expect(read(once.text)).toEqual(once);
    }),
  );
});

test('a text and an object are the same parameters', () => {
  fc.assert(
    fc.property(body, (request) => {
      const asText = { ...request, body: JSON.stringify(request.body) };
      expect(read(JSON.stringify(asText))).toEqual(read(JSON.stringify(request)));
    }),
  );
});

test('numbers and names of metadata stay as they were written', () => {
  const metadata = '{"__proto__":{"a":9007199254740993},"d":1.00000000000000000001,"e":1e999}';
  const upsert = `{"vectors":[{"id":"a","values":[0.12345678901234567890],"metadata":${metadata}}]}`;
  const expected = `{"body":${upsert},"type":"upsert"}`;
  for (const given of [upsert, JSON.stringify(upsert)]) {
    const { text } = read(`{"type":"upsert","body":${given}}`);
    expect(JSON.parse(text)).toEqual(JSON.parse(expected));
    expect(text).toContain(metadata);
    expect(text).toContain('0.12345678901234567890');
  }
});
