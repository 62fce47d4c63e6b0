/** In which direction `/json/map` reads: told where the other one was meant. Contract §7. */
import { beforeAll, expect, test } from 'vitest';
import type { Json } from '../../proto/json.ts';
import { failure, startGateway, type TestGateway } from '../test/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway('Read');
});
const map = (input: Json, schema: Json, mappings: Json) =>
  gateway.call('POST', '/json/map', { input, schema, mappings });
const refused = (details: { path: string; message: string }[]) => ({
  status: 400,
  body: failure('BAD_REQUEST', `${details[0]?.path}: ${details[0]?.message}`, details),
});

test.each<[Json, Json, Json, string]>([
  [
    { a: 1 },
    { a: 'string' },
    { a: 'b' },
    'is read from "b", which the input does not have, into "a", a path of schema: for the other way about let schema have "b"',
  ],
  [
    { user: { age: 36 } },
    true,
    { 'x[0]': 'user.age' },
    'is read from "x[0]", which the input does not have: write {"user.age": "x[0]"}',
  ],
])('the direction, where nothing is found in it and all in the other', async (...given) => {
  const [input, schema, mappings, message] = given;
  const [name = ''] = Object.keys(mappings as object);
  const path = `mappings.${name.replace(/[[\]]/g, '\\$&')}`;
  expect(await map(input, schema, mappings)).toEqual(refused([{ path, message }]));
});

test('nothing is, where neither direction finds all', async () => {
  const nothing = { status: 200, body: {} };
  expect(await map({ a: 1 }, { a: 'string', c: 'string' }, { a: 'b', c: 'd' })).toEqual(nothing);
  expect(await map({}, { a: 'string' }, { a: 'b' })).toEqual(nothing);
  expect(await map({}, { a: 'string' }, {})).toEqual(nothing);
});
