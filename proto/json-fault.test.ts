/** Where a text is no JSON. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { depthFaultOf, faultOf } from './json-fault.ts';

describe('a text that is no JSON', () => {
  test.each([
    ['', 'it ends at line 1, column 1, where a value is expected'],
    [' \n ', 'it ends at line 2, column 2, where a value is expected'],
    ['{"a":x}', 'at line 1, column 6, where a value is expected'],
    ['{"a":1,}', 'at line 1, column 8, where a name in double quotes is expected'],
    ['{a:1}', 'at line 1, column 2, where a name in double quotes is expected'],
    ["{'a':1}", 'at line 1, column 2, where a name in double quotes is expected'],
    ['{"a" 1}', 'at line 1, column 6, where a colon is expected'],
    ['{"a":', 'it ends at line 1, column 6, where a value is expected'],
    ['{"a":1', 'it ends at line 1, column 7, where a comma or } is expected'],
    ['[1,\n 2\r\n 3]', 'at line 3, column 2, where a comma or ] is expected'],
    ['[1,]', 'at line 1, column 4, where a value is expected'],
    ['[1}', 'at line 1, column 3, where a comma or ] is expected'],
    ['[] []', 'at line 1, column 4, where nothing more is expected'],
    ['1,', 'at line 1, column 2, where nothing more is expected'],
    ['01', 'at line 1, column 2, where nothing more is expected'],
    ['-', 'at line 1, column 1, where a value is expected'],
    ['1.', 'at line 1, column 2, where nothing more is expected'],
    ['NaN', 'at line 1, column 1, where a value is expected'],
    ['nul', 'at line 1, column 1, where a value is expected'],
    ['"abc', 'it ends at line 1, column 5, where a closing quote is expected'],
    ['"\\x"', 'at line 1, column 3, where a known escape is expected'],
    ['"\\u12g4"', 'at line 1, column 3, where a known escape is expected'],
    ['"a\nb"', 'at line 1, column 3, where an escape of this control character is expected'],
    ['{"a":1} // b', 'at line 1, column 9, where nothing more is expected'],
    ['[1, /* b */ 2]', 'at line 1, column 5, where a value is expected'],
    ['\u00a01', 'at line 1, column 1, where a value is expected'],
  ])('%j', (text, fault) => {
    expect(faultOf(text)).toBe(fault);
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
  });

  test('is one exactly where the parser finds it so', async () => {
    const part = fc.constantFrom(
      ...['{', '}', '[', ']', ',', ':', '"', '"a"', '\\', '\\u00e9', '1', '-0.5e+3', '0', '.'],
      ...['e', 'true', 'null', ' ', '\n', '\u0001', '\u2028', 'é', '\ud800'],
    );
    const text = fc.oneof(
      fc.json(),
      fc.array(part, { maxLength: 12 }).map((parts) => parts.join('')),
      fc.tuple(fc.json(), fc.nat(), part).map(([json, at, put]) => {
        const place = at % (json.length + 1);
        return json.slice(0, place) + put + json.slice(place + 1);
      }),
    );
    await fc.assert(
      fc.property(text, (each) => {
        expect(faultOf(each) === undefined).toBe(isParsed(each));
      }),
      { numRuns: 3000 },
    );
  });

  test('of any depth and length is gone through', () => {
    expect(faultOf('['.repeat(100_000))).toContain('column 100001, where a value is expected');
    expect(faultOf(`"${'\\"'.repeat(1_000_000)}`)).toContain('where a closing quote is expected');
  });
});

describe('a text that nests', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

  test('as deep as is allowed is no fault', () => {
    expect(depthFaultOf(nested(1000), 1000)).toBeUndefined();
    expect(depthFaultOf(`[${nested(999)},\n${nested(999)}]`, 1000)).toBeUndefined();
  });

  test('deeper is one, with its place', () => {
    expect(depthFaultOf(nested(1001), 1000)).toBe(
      'at line 1, column 1001 it nests deeper than 1000',
    );
    expect(depthFaultOf(`[\n${nested(1000)}]`, 1000)).toBe(
      'at line 2, column 1000 it nests deeper than 1000',
    );
    expect(depthFaultOf('{"a":'.repeat(100_000), 1000)).toContain('it nests deeper than 1000');
  });

  test('in its strings only is no fault', () => {
    const text = JSON.stringify(['['.repeat(5000), `"\\${'{'.repeat(5000)}`, '\\', { '[[': '"[' }]);
    expect(depthFaultOf(text, 3)).toBeUndefined();
  });
});

function isParsed(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
