/** Members that are there twice are found in the operation that has them, and a large body gives way. */
import { expect, test } from 'vitest';
import { whole } from '../../../proto/work/pieces.ts';
import { refuseTwice, twiceInOperations } from './twice.ts';

test.each<[string, Record<number, string>]>([
  ['{"operations":[{"a":1},{"b":{"a":1}}]}', {}],
  ['{"operations":[{"a":1,"a":1},{"b":1}]}', { 0: 'a' }],
  ['{"operations":[{"a":1},{"b":[0,{"c":{"d":1,"d":2}}],"b":1}]}', { 1: 'd' }],
  ['{"operations":[1,[{"a":1,"\\u0061":2}]],"keys":["a"]}', { 1: 'a' }],
  ['{"operations":[{"__proto__":1,"__proto__":2}]}', { 0: '__proto__' }],
  ['{"keys":[{"a":1,"a":2}],"keys":[],"operations":[{}]}', {}],
  ['{"operations":[{"a":1,"a":2}],"operations":[{},{"b":1,"b":2}]}', { 1: 'b' }],
  ['{"operations":{"0":{"a":1,"a":2}}}', {}],
])('%s', (text, found) => {
  const numbered = Object.entries(found).map(([place, name]) => [Number(place), name] as const);
  expect(whole(twiceInOperations(text))).toEqual(new Map(numbered));
});

test('a request is refused for one', () => {
  const text = '{"type":"insert_one","doc":{"a":1,"a":2}}';
  expect(() => whole(refuseTwice(text))).toThrow('body: the member "a" is there twice');
});

test('a large body gives way', () => {
  const doc = Array.from({ length: 200_000 }, () => [1, 'a']);
  const pieces = twiceInOperations(JSON.stringify({ operations: [{ doc }] }));
  let pauses = 0;
  while (!pieces.next().done) pauses += 1;
  expect(pauses).toBeGreaterThan(20);
});
