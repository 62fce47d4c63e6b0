/** Every type of BSON both ways: from a request's text to the server and back as text. */
import { type Document, Double, Int32, Long } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failureOf } from '../contract.ts';
import { callOf, openClient } from '../test/host.ts';
import { type MongoBackend, mongo } from './index.ts';
import { request, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let session: MongoBackend;

beforeAll(async () => {
  database = await TestDatabase.create();
  session = await openClient(mongo, { connection: { url: database.url }, mode: 'write' });
});
afterAll(async () => {
  await session.close();
  await database.drop();
});

async function run(text: string, canonical = false): Promise<string> {
  const result = await session.run(request(text), callOf('write', { canonical }));
  return Buffer.from(result).toString();
}

/** What comes back of a value that a request held, relaxed and canonical. */
async function through(value: string): Promise<[relaxed: string, canonical: string]> {
  await run(
    `{"type":"replace_one","collection":"t","filter":{"_id":1},"replacement":{"v":${value}},"options":{"upsert":true}}`,
  );
  const find =
    '{"type":"find_one","collection":"t","filter":{"_id":1},"options":{"projection":{"_id":0}}}';
  const [relaxed, canonical] = [await run(find), await run(find, true)];
  const inner = (text: string) => text.replace(/^\{"document":\{"v":(.*)\}\}$/s, '$1');
  return [inner(relaxed), inner(canonical)];
}

describe('a value travels as it is', () => {
  test.each([
    ['1', '1', '{"$numberInt":"1"}'],
    ['-2147483648', '-2147483648', '{"$numberInt":"-2147483648"}'],
    ['2147483648', '2147483648', '{"$numberLong":"2147483648"}'],
    ['9007199254740991', '9007199254740991', '{"$numberLong":"9007199254740991"}'],
    [
      '9007199254740993',
      '{"$numberLong":"9007199254740993"}',
      '{"$numberLong":"9007199254740993"}',
    ],
    [
      '-9223372036854775808',
      '{"$numberLong":"-9223372036854775808"}',
      '{"$numberLong":"-9223372036854775808"}',
    ],
    [
      '9223372036854775808',
      '{"$numberDecimal":"9223372036854775808"}',
      '{"$numberDecimal":"9223372036854775808"}',
    ],
    ['1.0', '1.0', '{"$numberDouble":"1.0"}'],
    ['-0.0', '-0.0', '{"$numberDouble":"-0.0"}'],
    ['-0', '-0.0', '{"$numberDouble":"-0.0"}'],
    ['0.1', '0.1', '{"$numberDouble":"0.1"}'],
    ['1e3', '1000.0', '{"$numberDouble":"1000.0"}'],
    ['1e300', '1E+300', '{"$numberDouble":"1E+300"}'],
    [
      '0.10000000000000000000000001',
      '{"$numberDecimal":"0.10000000000000000000000001"}',
      '{"$numberDecimal":"0.10000000000000000000000001"}',
    ],
    ['{"$numberDouble":"NaN"}', '{"$numberDouble":"NaN"}', '{"$numberDouble":"NaN"}'],
    [
      '{"$numberDouble":"-Infinity"}',
      '{"$numberDouble":"-Infinity"}',
      '{"$numberDouble":"-Infinity"}',
    ],
    ['{"$numberDecimal":"1.50"}', '{"$numberDecimal":"1.50"}', '{"$numberDecimal":"1.50"}'],
    [
      '{"$date":"1969-12-31T23:59:59.999Z"}',
      '{"$date":{"$numberLong":"-1"}}',
      '{"$date":{"$numberLong":"-1"}}',
    ],
    [
      '{"$date":"2026-01-05T10:30:00.5+01:00"}',
      '{"$date":"2026-01-05T09:30:00.500Z"}',
      '{"$date":{"$numberLong":"1767605400500"}}',
    ],
    [
      '{"$uuid":"c8edabc3-f738-4ca3-b68d-ab92a91478a3"}',
      '{"$binary":{"base64":"yO2rw/c4TKO2jauSqRR4ow==","subType":"04"}}',
      '{"$binary":{"base64":"yO2rw/c4TKO2jauSqRR4ow==","subType":"04"}}',
    ],
    [
      '{"$regularExpression":{"pattern":"a/b","options":"xi"}}',
      '{"$regularExpression":{"pattern":"a/b","options":"ix"}}',
      '{"$regularExpression":{"pattern":"a/b","options":"ix"}}',
    ],
    [
      '{"$timestamp":{"t":1,"i":4294967295}}',
      '{"$timestamp":{"t":1,"i":4294967295}}',
      '{"$timestamp":{"t":1,"i":4294967295}}',
    ],
    ['{"$minKey":1}', '{"$minKey":1}', '{"$minKey":1}'],
    [
      '{"$code":"x","$scope":{"2":1,"1":2}}',
      '{"$code":"x","$scope":{"2":1,"1":2}}',
      '{"$code":"x","$scope":{"2":{"$numberInt":"1"},"1":{"$numberInt":"2"}}}',
    ],
    ['"\\u0000\\ud83d\\ude00\\"\\\\"', '"\\u0000😀\\"\\\\"', '"\\u0000😀\\"\\\\"'],
    ['[true,null,[],{}]', '[true,null,[],{}]', '[true,null,[],{}]'],
    [
      '{"9":1,"a":2,"10":{"b":1,"0":2},"__proto__":3,"":4}',
      '{"9":1,"a":2,"10":{"b":1,"0":2},"__proto__":3,"":4}',
      expect.any(String),
    ],
    [
      '{"$ref":"x","$id":1,"$db":"y"}',
      '{"$ref":"x","$id":1,"$db":"y"}',
      '{"$ref":"x","$id":{"$numberInt":"1"},"$db":"y"}',
    ],
  ])('%s', async (sent, relaxed, canonical) => {
    expect(await through(sent)).toEqual([relaxed, canonical]);
  });

  test('integers are stored as integers, by their size', async () => {
    await run(
      '{"type":"insert_one","collection":"sizes","document":{"a":1,"b":4294967296,"c":1.0}}',
    );
    const options = { promoteValues: false, projection: { _id: 0 } };
    const stored = await database.db.collection<Document>('sizes').findOne({}, options);
    expect([stored?.a, stored?.b, stored?.c]).toEqual([
      expect.any(Int32),
      expect.any(Long),
      expect.any(Double),
    ]);
  });
});

describe('what is no value is refused, and where it stands is told', () => {
  test.each([
    ['{"$oid":"x"}', 'document.v: $oid is 24 hexadecimal digits'],
    ['{"$date":1}', /^document\.v: \$date is ISO 8601 text/],
    [
      '[1,{"$numberInt":"2147483648"}]',
      'document.v.1: $numberInt is an integer of 32 bits as text',
    ],
    ['{"$oid":"6b01c259702ff595a0d9c41c","x":1}', 'document.v: $oid stands alone, without x'],
    ['123456789012345678901234567890123456789', /^document\.v: has more than 34 digits/],
    ['{"$numberDouble":"-1e400"}', 'document.v: $numberDouble is beyond all doubles'],
    ['{"$date":"2026-02-30T00:00:00Z"}', /^document\.v: \$date is ISO 8601 text/],
    ['["a\\ud800b"]', 'document.v.0: holds half of a surrogate pair'],
    ['{"a\\u0000":1}', /NUL/],
    ['{"a":1,"a":2}', 'body: the member "a" is there twice'],
  ])('%s', async (value, message) => {
    const insert = async () =>
      run(`{"type":"insert_one","collection":"t","document":{"v":${value}}}`);
    expect(await failureOf(insert())).toMatchObject({
      code: 'BAD_REQUEST',
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    });
  });
});

test('replies of all sorts keep the order of members that are named like numbers', async () => {
  const change = (type: string, more: string) =>
    `{"type":"${type}","collection":"r","filter":{"_id":1}${more}}`;
  await run('{"type":"insert_one","collection":"r","document":{"_id":1,"2":{"b":1,"0":2},"1":1}}');
  const document = '{"_id":1,"2":{"b":1,"0":2},"1":1}';
  const update = ',"update":{"$set":{"1":1}},"options":{"returnDocument":"after"}';
  expect(await run(change('find_one_and_update', update))).toBe(`{"document":${document}}`);
  const distinct = '{"type":"distinct","collection":"r","field":"2"}';
  expect(await run(distinct)).toBe('{"value":[{"b":1,"0":2}]}');
  const found = await run('{"type":"run_command","command":{"find":"r"}}');
  expect(found).toContain(`"firstBatch":[${document}]`);
  expect(await run(change('find_one_and_delete', ''))).toBe(`{"document":${document}}`);
  expect(await run(change('find_one_and_delete', ''))).toBe('{"document":null}');
});

test('a pipeline, a sort and an index keep the order of fields that are named like numbers', async () => {
  await run(
    '{"type":"insert_many","collection":"o","documents":[{"_id":1,"2":1,"1":2},{"_id":2,"2":2,"1":1}]}',
  );
  const sorted =
    '{"type":"find","collection":"o","options":{"sort":{"2":-1,"1":1},"projection":{"_id":1}}}';
  expect(await run(sorted)).toBe('{"documents":[{"_id":2},{"_id":1}]}');
  const index = '{"type":"create_index","collection":"o","model":{"key":{"2":1,"1":-1}}}';
  expect(await run(index)).toBe('{"value":"2_1_1_-1"}');
});
