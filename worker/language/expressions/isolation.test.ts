/** What a source can reach: its input, only to read, and nothing from the host. */
import { describe, expect, test } from 'vitest';
import { Budget, compileExpression, type Value } from './index.ts';

const BOUNDS = { fuel: 100_000, depth: 50, outputBytes: 100_000 };

/** A source that is a function's body. */
const body = (text: string): string => `(() => { ${text} })()`;

function run(source: string, input: Value = {}): Value {
  const options = { names: ['$'], members: '$' };
  return compileExpression(source, options).run([input], new Budget(BOUNDS, 0));
}

describe('nothing from the host is seen', () => {
  test.each([
    'constructor',
    'constructor?.constructor',
    '"".constructor',
    '[].constructor?.constructor',
    '({}).constructor',
    '({}).__proto__',
    '({})["__proto__"]',
    '[]["__proto__"]',
    '(() => 1).constructor',
    '(() => 1).prototype',
    '(() => 1)["call" + "ed" + "Name"]',
    '(() => 1).invoke',
    '(/a/).program',
    '(/a/).constructor',
    '$.hasOwnProperty',
    '$.__proto__',
    '"abc".__proto__',
    '(1).constructor',
    'Math.max.constructor',
    'globalThis',
    'self',
    'process',
    'window',
    '[].concat.constructor',
    'Object.entries({}).constructor',
    'JSON.parse("{}").toString',
    '({...[]}).constructor',
    'exact.rawJSON',
  ])('%s is undefined', (source) => {
    const input = { exact: JSON.rawJSON('12345678901234567890') };
    expect(run(source, input)).toBeUndefined();
  });

  test('__proto__ is a member like any other', () => {
    for (const source of [
      '({"__proto__": 1})',
      '({["__proto__"]: 1})',
      'JSON.parse(\'{"__proto__": 1}\')',
      '({...JSON.parse(\'{"__proto__": 1}\')})',
      'Object.fromEntries([["__proto__", 1]])',
      body('const o = {}; o.__proto__ = 1; return o'),
      body('const o = {}; o["__proto__"] = 1; return o'),
      body('const {...o} = JSON.parse(\'{"__proto__": 1}\'); return o'),
      'structuredClone(JSON.parse(\'{"__proto__": 1}\'))',
      'Object.assign({}, JSON.parse(\'{"__proto__": 1}\'))',
    ]) {
      const made = run(source);
      expect(JSON.stringify(made), source).toBe('{"__proto__":1}');
      expect(Object.getPrototypeOf(made), source).toBe(Object.prototype);
    }
    expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain('a');
  });
});

describe('what was given is never changed', () => {
  test.each([
    'list.sort()',
    'list.push(1)',
    'list.reverse()',
    'list["pu" + "sh"](1)',
    body('list[0] = 5'),
    body('$.text = 1'),
    body('delete $.text'),
    body('const {list: l} = $; l.length = 0'),
    body('[$.text] = [1]'),
    body('for ($.text of [1]) {}'),
    body('$.text += 1'),
    body('[list].flat(0)[0].pop()'),
    body('({...$}).list.pop()'),
    'Object.assign($, {a: 1})',
    '[list].map((l) => l.splice(0))',
  ])('%s', (source) => {
    const given = { text: 'a', list: [3, 1, 2] };
    expect(() => run(source, given)).toThrow('cannot be changed: copy it first');
    expect(given).toEqual({ text: 'a', list: [3, 1, 2] });
  });
});

test('the engine itself needs acorn and re2js alone', () => {
  const sources = import.meta.glob('./**/*.ts', {
    query: '?raw',
    import: 'default',
    eager: true,
  });
  const own = Object.entries(sources).filter(([path]) => !path.endsWith('.test.ts'));
  const imported = own.flatMap(([path, source]) => {
    const folders = path.split('/').length - 2;
    const found = [...source.matchAll(/from '([^']+)'/g)].map(([, from = '']) => from);
    return found.filter(
      (from) => (from.match(/\.\.\//g)?.length ?? 0) > folders || !from.startsWith('.'),
    );
  });
  expect(own.length).toBeGreaterThan(30);
  expect(new Set(imported)).toEqual(new Set(['acorn', 're2js']));
});
