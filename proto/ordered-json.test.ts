/** JSON whose members keep their order, and whose numbers keep their text. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from './json.ts';
import { inOrder, namesOf, orderedText, unordered } from './ordered-json.ts';
import { parseOrdered, parseOrderedInPieces } from './parse-ordered.ts';
import { whole } from './work/pieces.ts';

/** What reading answers or throws. */
function outcome(read: () => Json) {
  try {
    return { text: orderedText(read()) };
  } catch (thrown) {
    return { thrown: thrown instanceof SyntaxError ? 'no JSON' : thrown };
  }
}

describe('reading', () => {
  test('gives what JSON.parse gives', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), (text) => {
        const plain = JSON.parse(JSON.stringify(parseOrdered(text)));
        expect(plain).toEqual(JSON.parse(text));
      }),
    );
  });

  test.each([
    '{"10":1,"2":2,"a":3,"1":{"b":1,"0":2}}',
    '{"__proto__":1,"a":{"__proto__":{"5":1,"4":2}}}',
    '[1.0,1,1e3,-0,-0.0,9007199254740993,0.1,12345678901234567890.5]',
    '{"":[{},[],"",null,true,false]}',
    '{"\\u0061\\"\\\\":"\\ud83d\\ude00"}',
  ])('keeps the order of members and the text of numbers: %s', (text) => {
    const again = text.replace('\\u0061', 'a').replace('\\ud83d\\ude00', '😀');
    expect(orderedText(parseOrdered(text))).toBe(again);
  });

  test('takes white space and a mark of byte order', () => {
    expect(parseOrdered('\n { "a" : [ 1 , 2 ] ,\t"b" : { } } ')).toEqual({ a: [1, 2], b: {} });
  });
});

test('an object is put in order, and out of it', () => {
  const object = inOrder({ b: 1, 10: 2, 2: 3 }, ['b', '10', '2']);
  expect(orderedText(object)).toBe('{"b":1,"10":2,"2":3}');
  expect(namesOf(inOrder({ b: 1, a: 2 }, ['b', 'a']))).toEqual(['b', 'a']);
  const read = unordered(parseOrdered('{"b":1.0,"10":12345678901234567890,"2":[1e3]}'));
  expect(read).toEqual({ 2: [1000], 10: JSON.rawJSON('12345678901234567890'), b: 1 });
  expect(namesOf(read as object as Record<string, never>)).toEqual(['2', '10', 'b']);
});

describe('what is refused', () => {
  test.each(['', '{', '{"a":1,}', '01', '[1', 'nul', '{"a" 1}', "{'a':1}"])(
    'no JSON: %s',
    (text) => {
      expect(() => parseOrdered(text)).toThrow(SyntaxError);
    },
  );

  test.each(['{"a":1,"a":1}', '[{"b":{"\\u0061":1,"a":2}}]', '{"__proto__":1,"__proto__":2}'])(
    'a member that is there twice: %s',
    (text) => {
      expect(() => parseOrdered(text)).toThrow(/is there twice/);
    },
  );

  test('what nests too deep', () => {
    expect(() => parseOrdered('['.repeat(2_000) + ']'.repeat(2_000))).toThrow(/nests deeper/);
  });
});

describe('in pieces', () => {
  test('gives and refuses what it does at once', () => {
    const near = fc
      .tuple(fc.json({ maxDepth: 4 }), fc.nat(), fc.constantFrom('', '"', '{', ']', ',', '0', '\\'))
      .map(([text, at, put]) => {
        const place = at % text.length;
        return text.slice(0, place) + put + text.slice(place + put.length);
      });
    fc.assert(
      fc.property(near, (text) => {
        expect(outcome(() => whole(parseOrderedInPieces(text)))).toEqual(
          outcome(() => parseOrdered(text)),
        );
      }),
      { numRuns: 1_000 },
    );
  });

  test.each([
    ['many members', `{${Array.from({ length: 100_000 }, (_, at) => `"b${at}":1.0`).join()}}`],
    ['many elements', `[${'[1,"a"],'.repeat(100_000)}0]`],
  ])('reads %s, and lets others work between', (_, text) => {
    const pieces = parseOrderedInPieces(text);
    let pauses = 0;
    let piece = pieces.next();
    for (; !piece.done; piece = pieces.next()) pauses += 1;
    expect(orderedText(piece.value) === text).toBe(true);
    // Twice, at least once for each 32 KiB: for what is no JSON, and for the value.
    expect(pauses).toBeGreaterThan(text.length / 32_768);
  });
});
