/** Every PostgreSQL type with values at its edges: what is sent as a parameter, and what comes back. */
import type { Json } from '../../../../proto/json.ts';

/** One value's way in and out. */
interface TypeRow {
  readonly type: string;
  readonly sent: Json;
  /** JSON text of the value in the result; the text that was sent, quoted, when left out. */
  readonly received?: string;
  /** As results name the type, when that is not `type`. */
  readonly named?: string;
}

const ALL_BYTES = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString('base64');
const DIGITS = `${'9'.repeat(35)}.${'1'.repeat(30)}`;

/** Types that the test makes; the rows below use them. */
export const OWN_TYPES = `
  CREATE TYPE mood AS ENUM ('sad', 'very "happy"');
  CREATE DOMAIN small AS int8 CHECK (VALUE < 10);
  CREATE DOMAIN payload AS jsonb;
  CREATE TYPE pair AS (a int, b text);
  CREATE TYPE span AS RANGE (subtype = float8);
  CREATE EXTENSION hstore;
  CREATE EXTENSION citext;`;

export const TYPE_ROWS: readonly TypeRow[] = [
  { type: 'boolean', sent: true, received: 'true' },
  { type: 'boolean', sent: false, received: 'false' },
  { type: 'smallint', sent: -32_768, received: '-32768' },
  { type: 'integer', sent: 2_147_483_647, received: '2147483647' },
  { type: 'bigint', sent: 9_007_199_254_740_991, received: '9007199254740991' },
  { type: 'bigint', sent: '9007199254740993', received: '"9007199254740993"' },
  { type: 'bigint', sent: '-9223372036854775808' },
  { type: 'bigint', sent: JSON.rawJSON('9223372036854775807'), received: '"9223372036854775807"' },
  { type: 'oid', sent: 4_294_967_295, received: '4294967295' },
  { type: 'xid', sent: 4_294_967_295, received: '4294967295' },
  { type: 'xid', sent: '4294967295', received: '4294967295' },
  { type: 'cid', sent: '7', received: '7' },
  { type: 'xid8', sent: '42', received: '42' },
  { type: 'xid8', sent: '18446744073709551615' },
  { type: 'real', sent: 1.1, received: '1.1' },
  { type: 'real', sent: '1e-45', received: '1e-45' },
  { type: 'double precision', sent: 0.1, received: '0.1' },
  { type: 'double precision', sent: 1.7976931348623157e308, received: '1.7976931348623157e+308' },
  { type: 'double precision', sent: '-0', received: '-0' },
  { type: 'double precision', sent: 'NaN' },
  { type: 'double precision', sent: 'Infinity' },
  { type: 'double precision', sent: '-Infinity' },
  { type: 'real', sent: { Float4: 'NaN' }, received: '"NaN"' },
  { type: 'numeric', sent: JSON.rawJSON(DIGITS), received: `"${DIGITS}"` },
  { type: 'numeric(65,30)', sent: `-${DIGITS}`, named: 'numeric' },
  { type: 'numeric', sent: '1.500' },
  { type: 'numeric', sent: 'NaN' },
  { type: 'numeric', sent: '-Infinity' },
  { type: 'money', sent: '$1,234.56' },
  { type: 'text', sent: 'a "b" \\ \n\t\u0001 é 😀 \u2028' },
  { type: 'text', sent: '' },
  { type: 'text', sent: 'Null' },
  { type: 'text', sent: null, received: 'null' },
  { type: 'character varying', sent: 'x' },
  { type: 'character(3)', sent: 'x', received: '"x  "', named: 'character' },
  { type: '"char"', sent: 'x' },
  { type: 'name', sent: 'a_name' },
  { type: 'bytea', sent: { $bytes: ALL_BYTES }, received: `"${ALL_BYTES}"` },
  { type: 'bytea', sent: { Bytes: [0, 255] }, received: '"AP8="' },
  { type: 'bytea', sent: '\\x', received: '""' },
  { type: 'date', sent: '2024-02-29' },
  { type: 'date', sent: '0044-03-15 BC' },
  { type: 'date', sent: 'infinity' },
  { type: 'date', sent: '5874897-12-31' },
  { type: 'time without time zone', sent: '24:00:00' },
  { type: 'time without time zone', sent: '12:34:56.789012' },
  { type: 'time with time zone', sent: '12:34:56.789012+05:30' },
  { type: 'timestamp without time zone', sent: '2024-01-02T03:04:05.000006' },
  {
    type: 'timestamp without time zone',
    sent: '2024-01-02 03:04:05',
    received: '"2024-01-02T03:04:05"',
  },
  { type: 'timestamp without time zone', sent: '-infinity' },
  { type: 'timestamp without time zone', sent: '0044-03-15 12:00:00 BC' },
  { type: 'timestamp with time zone', sent: '2024-01-02T03:04:05.123456Z' },
  {
    type: 'timestamp with time zone',
    sent: '2024-01-02 03:04:05+02',
    received: '"2024-01-02T01:04:05Z"',
  },
  { type: 'timestamp with time zone', sent: '1800-01-01T00:00:00Z' },
  { type: 'timestamp with time zone', sent: 'infinity' },
  { type: 'timestamp with time zone', sent: '294276-12-31 23:59:59.999999+00' },
  {
    type: 'interval',
    sent: '1 year 2 mons -3 days +04:05:06.789',
    received: '"1 year 2 mons -3 days +04:05:06.789"',
  },
  { type: 'uuid', sent: '6b1f0f0e-5f7e-4a9c-8f8e-0d9a4c1b2a3d' },
  {
    type: 'json',
    sent: { a: [1, { b: null }], c: JSON.rawJSON('9007199254740993') },
    received: '{"a":[1,{"b":null}],"c":9007199254740993}',
  },
  { type: 'json', sent: '{"a": 1,\n "a": 2}', received: '{"a": 1,  "a": 2}' },
  { type: 'jsonb', sent: [1, 'x', null], received: '[1, "x", null]' },
  { type: 'jsonb', sent: '12345678901234567890.12345', received: '12345678901234567890.12345' },
  { type: 'jsonb', sent: { Json: { Text: 'x' } }, received: '{"Text": "x"}' },
  { type: 'jsonb', sent: { Text: '"x"' }, received: '"x"' },
  { type: 'jsonpath', sent: '$."a"[*]' },
  { type: 'xml', sent: '<a>&amp;</a>' },
  { type: 'inet', sent: '192.168.0.1/24' },
  { type: 'inet', sent: '::1' },
  { type: 'cidr', sent: '10.0.0.0/8' },
  { type: 'macaddr', sent: '08:00:2b:01:02:03' },
  { type: 'macaddr8', sent: '08:00:2b:01:02:03:04:05' },
  { type: 'bit(3)', sent: '101', named: 'bit' },
  { type: 'bit varying', sent: '10101' },
  { type: 'pg_lsn', sent: '16/B374D848' },
  { type: 'tid', sent: '(0,1)' },
  { type: 'regclass', sent: 'pg_class' },
  { type: 'regtype', sent: 'integer' },
  { type: 'tsvector', sent: "'a':1 'b':2" },
  { type: 'tsquery', sent: "'a' & 'b'" },
  { type: 'point', sent: '(1.5,2.5)' },
  { type: 'line', sent: '{1,2,3}' },
  { type: 'lseg', sent: '[(0,0),(1,1)]' },
  { type: 'box', sent: '(1,1),(0,0)' },
  { type: 'path', sent: '((0,0),(1,1))' },
  { type: 'polygon', sent: '((0,0),(1,1),(1,0))' },
  { type: 'circle', sent: '<(0,0),1>' },
  { type: 'int4range', sent: '[1,10)' },
  { type: 'int4range', sent: 'empty' },
  { type: 'tstzrange', sent: '["2024-01-01 00:00:00+00",)' },
  { type: 'int4multirange', sent: '{[1,3),[5,7)}' },
  { type: 'span', sent: '[0.5,1.5)' },
  { type: 'mood', sent: 'very "happy"' },
  { type: 'small', sent: 9, received: '9', named: 'bigint' },
  { type: 'payload', sent: { a: 1 }, received: '{"a": 1}', named: 'jsonb' },
  { type: 'payload', sent: [1], received: '[1]', named: 'jsonb' },
  { type: 'pair', sent: '(1,"a ""b"" \\\\ c")' },
  { type: 'hstore', sent: '"a"=>"1", "b"=>NULL' },
  { type: 'citext', sent: 'MiXed' },
  { type: 'integer[]', sent: [1, null, -3], received: '[1,null,-3]' },
  { type: 'integer[]', sent: [], received: '[]' },
  {
    type: 'integer[]',
    sent: [
      [1, 2],
      [3, 4],
    ],
    received: '[[1,2],[3,4]]',
  },
  { type: 'integer[]', sent: '[0:1]={1,2}' },
  { type: 'bigint[]', sent: ['9223372036854775807', 1], received: '["9223372036854775807",1]' },
  { type: 'boolean[]', sent: [true, false, null], received: '[true,false,null]' },
  { type: 'double precision[]', sent: ['NaN', 1.5], received: '["NaN",1.5]' },
  { type: 'numeric[]', sent: ['1.50', null], received: '["1.50",null]' },
  {
    type: 'text[]',
    sent: ['a,b', '{}', '"', '\\', 'NULL', 'null', '', ' x ', null, 'é😀\n'],
    received: '["a,b","{}","\\"","\\\\","NULL","null",""," x ",null,"é😀\\n"]',
  },
  { type: 'bytea[]', sent: [{ $bytes: 'AP8=' }, null], received: '["AP8=",null]' },
  {
    type: 'timestamp with time zone[]',
    sent: ['2024-01-02T03:04:05Z'],
    received: '["2024-01-02T03:04:05Z"]',
  },
  {
    type: 'uuid[]',
    sent: ['6b1f0f0e-5f7e-4a9c-8f8e-0d9a4c1b2a3d'],
    received: '["6b1f0f0e-5f7e-4a9c-8f8e-0d9a4c1b2a3d"]',
  },
  { type: 'jsonb[]', sent: [{ a: [1] }, [2], 'x', null], received: '[{"a": [1]},[2],"x",null]' },
  { type: 'json[]', sent: [1.5, true], received: '[1.5,true]' },
  { type: 'mood[]', sent: ['sad', 'very "happy"'], received: '["sad","very \\"happy\\""]' },
  { type: 'small[]', sent: [1, 9], received: '[1,9]' },
  { type: 'payload[]', sent: [{ a: 1 }], received: '[{"a": 1}]' },
  { type: 'pair[]', sent: ['(1,x)'], received: '["(1,x)"]' },
  {
    type: 'box[]',
    sent: ['(1,1),(0,0)', '(2,2),(0,0)'],
    received: '["(1,1),(0,0)","(2,2),(0,0)"]',
  },
  { type: 'int4range[]', sent: ['[1,3)'], received: '["[1,3)"]' },
  { type: 'int2vector', sent: '1 2 3' },
  { type: 'date', sent: '20000-01-01' },
  { type: 'timestamp without time zone', sent: '10000-01-01 00:00:00' },
];
