/** What JavaScript does where few look, as random programs found it. */
import { describe, expect, test } from 'vitest';
import { Budget, compileExpression, RunFault, SyntaxFault } from './index.ts';

function run(source: string): unknown {
  const bounds = { fuel: 100_000, depth: 100, outputBytes: 100_000 };
  return compileExpression(`(() => { ${source} })()`).run([], new Budget(bounds, 0));
}

describe('an array that a callback changes', () => {
  test.each<[source: string, value: unknown]>([
    ['const a = [1, 2, 3]; return Array.from(a, () => a.pop())', [3, 2]],
    ['const a = [1]; return Array.from(a, (x) => (x < 3 && a.push(x + 1), x))', [1, 2, 3]],
    ['const a = [1, 2, 3]; return Object.groupBy(a, () => a.pop())', { 3: [1], 2: [2] }],
    ['const a = [2, 1]; a.sort((x, y) => (a.push(9), x - y)); return a', [1, 2, 9]],
    ['const a = [2, 1]; a.sort((x, y) => (a.length = 0, x - y)); return a', [1, 2]],
    ['const a = [1, 2, 3]; return a.filter((x) => a.pop())', [1, 2]],
    ['const a = [1, 2, 3, 4]; return a.some((x) => (a.pop(), x > 2))', false],
  ])('%s', (source, value) => {
    expect(run(source)).toEqual(value);
  });
});

describe('a text', () => {
  test.each<[source: string, text: string]>([
    ['String(new RangeError(""))', 'RangeError'],
    ['String(Error())', 'Error'],
    ['String(Object.assign(Error("m"), {name: ""}))', 'm'],
    ['String(Object.assign(Error("m"), {name: undefined}))', 'Error: m'],
    ['"" + [/a/g.global, /a/.global, ({global: 1}).global]', 'true,false,1'],
  ])('%s', (source, text) => {
    expect(run(`return ${source}`)).toBe(text);
  });
});

test('a count of digits that no number has is an error of its own, which can be caught', () => {
  expect(() => run('return (5).toFixed(Infinity)')).toThrow(RunFault);
  expect(run('try { return (5).toFixed(1e300) } catch (error) { return error.name }')).toBe(
    'RangeError',
  );
});

test.each(['(a = a) => a', '({a = a}) => a', '([a = b, b]) => a'])(
  'a parameter that is used before it has a value is refused: %s',
  (source) => {
    expect(() => compileExpression(source)).toThrow(SyntaxFault);
  },
);
