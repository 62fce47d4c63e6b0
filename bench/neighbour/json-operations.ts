/** The JSON utilities, with the largest bodies and the worst shapes. */
import { always, filled, type Operation, post } from './operation.ts';

const flatten = (name: string, body: () => Buffer) =>
  always(`flatten ${name}`, () => post('/json/flatten', body()));
const nested = (depth: number, inner: string) =>
  `${'{"a":'.repeat(depth)}${inner}${'}'.repeat(depth)}`;

const VALUE = ['{"value":[', ']}'] as const;
const MIB = 1024 * 1024;

/** Objects that are many, and records that are usual. */
const record = (index: number) =>
  `{"id":${index},"name":"product ${index}","price":${index}.25,"tags":["a","b"],"at":{"x":1,"y":2}}`;

const paths = (count: number, path: (index: number) => string) =>
  JSON.stringify(Array.from({ length: count }, (_, index) => path(index)));

export const jsonOperations: readonly Operation[] = [
  flatten('10 MiB of empty arrays', () => filled(VALUE, () => '[]')),
  flatten('10 MiB of digits', () => filled(VALUE, () => '1')),
  flatten('10 MiB of records', () => filled(VALUE, record)),
  flatten('4 MiB of records', () => filled(VALUE, record, 4 * MIB)),
  flatten('10 MiB of long numbers', () => filled(VALUE, () => '12345678901234567890')),
  flatten('10 MiB of names', () =>
    filled(['{"value":{', '}}'], (index) => `"n${index.toString(36)}":0`),
  ),
  flatten('a text of 10 MiB', () => filled(['{"value":"', '"}'], () => '\\u00e9\\n')),
  flatten('arrays 900 deep', () =>
    filled(VALUE, () => `${'['.repeat(900)}1${']'.repeat(900)}`, MIB / 8),
  ),
  flatten('10 MiB that are no JSON', () => filled(['{"value":[', ',]}'], () => '[]')),
  always('unflatten 10 MiB', () =>
    post(
      '/json/unflatten',
      filled(['{', '}'], (index) => `"a[${index}].b.c":1`),
    ),
  ),
  always('unflatten 1000 steps', () =>
    post(
      '/json/unflatten',
      filled(['{', '}'], (index) => `"${'a.'.repeat(900)}${index.toString(36)}":1`),
    ),
  ),
  always('map 10 MiB', () =>
    post(
      '/json/map',
      filled(
        [
          '{"schema":{"type":"object","properties":{"b":{"type":"array","uniqueItems":true}}},"mappings":{"$.a[*].at":"b"},"input":{"a":[',
          ']}}',
        ],
        record,
      ),
    ),
  ),
  always('map, 1000 mappings', () =>
    post(
      '/json/map',
      filled(
        [
          `{"schema":{},"mappings":{${Array.from({ length: 1000 }, (_, index) => `"$..[${index}]":"b${index}"`).join(',')}},"input":{"a":[`,
          ']}}',
        ],
        record,
        MIB / 8,
      ),
    ),
  ),
  always('parse $..* of 10 MiB', () =>
    post('/json/parse', filled(['{"paths":["$..*"],"json":[', ']}'], record)),
  ),
  always('parse $..*..*..* small', () =>
    post('/json/parse', `{"paths":["$..*..*..*"],"json":${nested(200, '1')}}`),
  ),
  always('parse a filter over all', () =>
    post(
      '/json/parse',
      filled(
        ['{"paths":["$..[?count(@..*) > 3 && search(@.name, \'[a-z]+ 9+$\')]"],"json":[', ']}'],
        record,
        MIB,
      ),
    ),
  ),
  always('reduce by 1000 paths', () =>
    post(
      '/json/reduce',
      filled(
        [`{"paths":${paths(1000, (index) => `$[?@.id == ${index}]`)},"json":[`, ']}'],
        record,
        MIB,
      ),
    ),
  ),
];
