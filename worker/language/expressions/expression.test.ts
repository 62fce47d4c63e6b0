/** Promises of expressions and functions to who compiles and runs them. */
import { describe, expect, test } from 'vitest';
import {
  Budget,
  type CompiledFunctions,
  compileExpression,
  compileFunctions,
  keep,
  type Value,
} from './index.ts';

const BOUNDS = { fuel: 100_000, depth: 100, outputBytes: 100_000 };
const INPUT = { price: 2, items: [{ qty: 3 }], now: 'mine', name: undefined };

const budget = () => new Budget(BOUNDS, 0);

function run(source: string, input: Value = INPUT, functions?: CompiledFunctions): Value {
  const options = { names: ['$', 'parameters', 'item'], members: '$' };
  const expression = compileExpression(source, functions ? { ...options, functions } : options);
  return expression.run([input, { rate: 3 }, { qty: 7 }], budget());
}

function faultOf(make: () => unknown): unknown {
  try {
    make();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('a name', () => {
  const functions = compileFunctions({ twice: '(x) => x * 2', price: '() => 5' });

  test.each<[source: string, value: unknown]>([
    ['price * parameters.rate', 6],
    ['item.qty', 7],
    ['$.price', 2],
    ['items.map(item => item.qty * price)', [6]],
    ['items.map(({qty}) => qty + item.qty + parameters.rate)', [13]],
    ['missing', undefined],
    ['missing.of.missing', undefined],
    ['missing?.()', undefined],
    ['typeof missing', 'undefined'],
    ['missing === undefined ? 1 : 2', 1],
    ['$.now', 'mine'],
    ['now', '1970-01-01T00:00:00.000Z'],
    ['{price, double: price * 2}', { price: 2, double: 4 }],
    ['price; // a comment', 2],
  ])('%s', (source, value) => {
    expect(run(source)).toEqual(value);
  });

  test('of a function comes before the input’s', () => {
    expect(run('twice(price())', INPUT, functions)).toBe(10);
  });

  test.each([null, 5, 'text', [1]])('of the input’s is undefined in %j', (input) => {
    expect(run('price', input)).toBeUndefined();
    expect(run('constructor', input)).toBeUndefined();
  });
});

describe('a fault', () => {
  test.each<[source: string, line: number, column: number, message: string]>([
    ['1 +', 1, 4, 'unexpected token'],
    ['price\n  .trim()', 2, 4, 'a number has no trim()'],
    ['missing.trim()', 1, 9, 'trim() cannot be called on undefined'],
    ['price()', 1, 1, 'price is not a function, it is a number'],
    ['items.nothing()', 1, 7, 'an array has no nothing()'],
    ['1 + class {}', 1, 5, 'a class is not part of the language'],
    ['new Date()', 1, 1, 'Date is not made: use date(time), toISO(time) or Date.parse(text)'],
    [
      'Math.random()',
      1,
      1,
      'Math.random is not part of the language: the same input always gives the same output',
    ],
    ['Math', 1, 1, 'Math is only used with a member, as in Math.E'],
    ['this.price', 1, 1, 'this is not part of the language'],
    ['price = 3', 1, 1, 'price is not a variable of this source; to compare, write ==='],
    ['item = 3', 1, 1, 'item cannot be assigned to'],
    ['/(?=a)/', 1, 1, 'the regular expression looks ahead, which cannot be matched in linear time'],
    [
      '/(a)\\1/',
      1,
      1,
      'the regular expression refers back to a group, which cannot be matched in linear time',
    ],
    ['/a/y', 1, 1, 'the regular expression has the flag y, which is not taken'],
    ['`a` `b`', 1, 1, 'a tagged template is not part of the language'],
    ['10n', 1, 1, 'a BigInt is not part of the language: numbers are doubles'],
    ['({get a() { return 1 }})', 1, 3, 'a getter or setter is not part of the language'],
    ['import("a")', 1, 1, 'import is not part of the language'],
    ['a b', 1, 3, 'unexpected b'],
    ['', 1, 1, 'unexpected token'],
    ['async () => 1', 1, 1, 'async is not part of the language'],
    ['(function* () {})', 1, 2, 'a generator is not part of the language'],
    ['JSON.parse("{")', 1, 1, 'JSON.parse takes JSON, and this is none'],
    ['[].reduce((a, b) => a)', 1, 4, 'reduce of an empty array takes a first value'],
    ['items.map(5)', 1, 7, 'takes a function, not a number'],
    ['(() => { throw new Error("no price") })()', 1, 10, 'no price'],
    ['1 in "a"', 1, 1, 'in looks into objects and arrays, not into a string'],
    ['(() => { a; const a = 1 })()', 1, 10, 'a is used before it has a value'],
  ])('of %s is at %d:%d', (source, line, column, message) => {
    expect(faultOf(() => run(source))).toMatchObject({ line, column, message });
  });

  test('of a function names it', () => {
    const functions = compileFunctions({ f: '(a) => {\n  throw {code: 7}\n}', g: '(a) => f(a)' });
    expect(faultOf(() => run('g(1)', INPUT, functions))).toMatchObject({
      name: 'ThrownFault',
      ...{ line: 2, column: 3, within: 'f', message: '[object Object]', value: { code: 7 } },
    });
    expect(faultOf(() => compileFunctions({ bad: '(a) => {\n  class A {}\n}' }))).toMatchObject({
      ...{ name: 'SyntaxFault', line: 2, column: 3, within: 'bad' },
    });
  });

  test('by throw tells at most 1,024 units', () => {
    const fault = faultOf(() => run('(() => { throw "x".repeat(5000) })()'));
    expect(fault).toMatchObject({ name: 'ThrownFault', message: 'x'.repeat(1024) });
  });
});

describe('a regular expression', () => {
  test.each<[source: string, value: unknown]>([
    ['/^\\p{Lu}\\p{Letter}+$/u.test("Émile")', true],
    ['/^\\p{Script=Greek}+$/u.test("αβγ")', true],
    ['/^[^\\s]$/.test("\\ufeff")', false],
    ['/^.$/.test("\\n")', false],
    ['/^.$/s.test("\\n")', true],
    ['/STRASSE/i.test("strasse")', true],
    ['"a\\nb".match(/^b$/m)', ['b']],
    ['/^b$/.test("a\\nb")', false],
    ['/^[\\w.-]+@[\\w-]+(?:\\.[\\w-]+)+$/.test("ann.lee@example.org")', true],
    ['"2024-05-17".match(/(\\d+)-(\\d+)(x)?/).length', 4],
    ['"x".match(/y/)', null],
    ['"aXbX".replace(/x/gi, (found, at) => found + at)', 'aX1bX3'],
    ['"ab".replace(/(?<first>a)(?<second>b)/, (...all) => all.at(-1).second)', 'b'],
    [
      '(() => { const e = /a./g; const out = []; let m; while ((m = e.exec("abac")) !== null) out.push(m[0], e.lastIndex); return out })()',
      ['ab', 2, 'ac', 4],
    ],
    ['/[]/.test("a")', false],
    ['/[^]/.test("\\n")', true],
    ['/\\u{1F600}/u.test("😀")', true],
    ['/a{2,3}/.exec("aaaa")[0]', 'aaa'],
    ['/a+?/.exec("aaaa")[0]', 'a'],
  ])('%s', (source, value) => {
    expect(run(source)).toEqual(value);
  });
});

describe('functions', () => {
  test.each<[source: string, args: Value[], value: unknown]>([
    ['(a, b) => a + b', [1, 2], 3],
    ['function (a, b) { return a + b }', [1, 2], 3],
    ['function add(a, b) { return a + b }', [1, 2], 3],
    ['return args[0] + args.length', [1, 2], 3],
    ['const [a, b] = args;\nreturn a + b;', [1, 2], 3],
    ['(a, b = 2, ...more) => a + b + more.length', [1], 3],
    ['({a, ...b}, [c]) => a + b.x + c', [{ a: 1, x: 1 }, [1]], 3],
    ['(a) => unknown', [1], undefined],
  ])('%s', (source, args, value) => {
    expect(compileFunctions({ f: source }).call('f', args, budget())).toEqual(value);
  });

  test.each<[source: string, message: string]>([
    ['a + b', 'is an expression and no function: write it as (a, b) => …'],
    ['async (a) => a', 'async is not part of the language'],
    ['import a from "b"', 'import and export are not part of the language'],
    ['(a) =>', 'unexpected token'],
  ])('%s is refused', (source, message) => {
    expect(faultOf(() => compileFunctions({ f: source }))).toMatchObject({ message });
  });

  test('tell whether they depend on when a run began, also through each other', () => {
    const functions = compileFunctions({ a: '() => b()', b: '() => now', c: '() => 1' });
    expect(['a', 'b', 'c'].map((name) => functions.usesNow(name))).toEqual([true, true, false]);
    const uses = (source: string) => compileExpression(source, { functions }).usesNow;
    expect(['a()', 'c()', 'now', 'Date.now()', '1'].map(uses)).toEqual([
      true,
      false,
      true,
      true,
      false,
    ]);
  });
});

describe('a number that a double cannot hold', () => {
  const big = JSON.rawJSON('12345678901234567890');
  const input = { big, same: JSON.rawJSON('12345678901234567890'), list: [big] };

  test.each<[source: string, value: unknown]>([
    ['big', big],
    ['list.map(x => x)[0]', big],
    ['typeof big', 'number'],
    ['String(big)', '12345678901234567890'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a source.
    ['`n${big}`', 'n12345678901234567890'],
    ['"n" + big', 'n12345678901234567890'],
    ['JSON.stringify({big})', '{"big":12345678901234567890}'],
    ['JSON.stringify(JSON.parse("[12345678901234567890, 0.1]"))', '[12345678901234567890,0.1]'],
    ['big === same', true],
    ['big === 12345678901234567890', false],
    ['[big].includes(same)', true],
    ['big + 1', 12345678901234567000],
    ['big > 5', true],
    ['big.rawJSON', undefined],
    ['Number(big)', 12345678901234567000],
    ['big ? 1 : 2', 1],
  ])('%s', (source, value) => {
    expect(run(source, input)).toEqual(value);
  });
});

describe('what is kept', () => {
  test('is plain JSON', () => {
    const value = run(
      '({a: undefined, b: [undefined, NaN, () => 1], c: {d: /x/, e: String}, f: "x"})',
    );
    expect(keep(value, budget())).toEqual({ b: [null, null, null], c: { d: {} }, f: 'x' });
    expect(keep(run('() => 1'), budget())).toBeUndefined();
  });

  test('is the value itself where that is plain', () => {
    const value = [1, { a: 'b' }, JSON.rawJSON('1e400')];
    expect(keep(value, budget())).toBe(value);
  });

  test('counts for good, what is garbage after a run does not', () => {
    const shared = budget();
    const { run: text } = compileExpression('"x".repeat(30000)');
    for (let count = 0; count < 100; count += 1) text([], shared);
    for (let count = 0; count < 2; count += 1) keep(text([], shared), shared);
    expect(() => text([], shared)).toThrow('makes more data than one run may hold');
  });

  test('is bounded in depth, circles too', () => {
    const circle = run('(() => { const a = []; a.push(a); return a })()');
    expect(faultOf(() => keep(circle, budget()))).toMatchObject({ kind: 'depth' });
  });
});

test('recursion ends before the stack does, whatever depth is asked for', () => {
  for (const source of [
    'const f = () => f(); return f()',
    'const f = () => [1].map(f); return f()',
    'const f = () => [2, 1].sort(f); return f()',
    'const f = () => "a".replace(/a/, f); return f()',
    'const f = () => { for (const a of [1]) { if (a) { switch (a) { default: return [f()] } } } }; return f()',
    'const f = () => { try { return f() } finally { f() } }; return f()',
    'let a = []; for (let i = 0; i < 50000; i++) a = [a]; return JSON.stringify(a)',
    'let a = []; for (let i = 0; i < 50000; i++) a = [a]; return structuredClone(a)',
    'let a = []; for (let i = 0; i < 50000; i++) a = [a]; return a.flat(Infinity)',
  ]) {
    const endless = { fuel: 10_000_000, depth: 1_000_000, outputBytes: 32 * 2 ** 20 };
    const { run: start } = compileExpression(`(() => { ${source} })()`);
    const fault = faultOf(() => start([], new Budget(endless, 0)));
    expect(fault, source).toMatchObject({ kind: 'depth' });
  }
});

test('a run after one that failed has all its depth', () => {
  const shared = budget();
  const { run: deep } = compileExpression('(() => { const f = () => f(); return f() })()');
  const { run: shallow } = compileExpression(
    '(() => { const f = (n) => n ? f(n - 1) : 1; return f(90) })()',
  );
  expect(() => deep([], shared)).toThrow('deeper than a run may go');
  expect(shallow([], shared)).toBe(1);
});
