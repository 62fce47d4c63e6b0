/** Whatever a source does, it ends within its budget, says where, and leaves nothing behind. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Budget, BudgetFault, compileExpression, compileFunctions, SyntaxFault } from './index.ts';

const BOUNDS = { fuel: 10_000_000, depth: 200, outputBytes: 32 * 2 ** 20 };
/** Longest that any case may hold an isolate that has a processor to itself. */
const LIMIT_MS = 250;
/** What `counting` takes there. */
const COUNTING_MS = 5;
/** What `filling` takes there. */
const FILLING_MS = 20;
const MEGABYTE = 'x'.repeat(2 ** 20);
const INPUT = { text: MEGABYTE, list: Array.from({ length: 10_000 }, (_, index) => index) };

const now = performance.now.bind(performance);

function run(source: string): unknown {
  const options = { names: ['$'], members: '$' };
  return compileExpression(source, options).run([INPUT], new Budget(BOUNDS, 0));
}

/** A source that is a function's body. */
const body = (text: string): string => `(() => { ${text} })()`;

// What the runtime has not compiled yet is no measure of the machine.
for (let count = 0; count < 30; count += 1) slowness();

beforeEach(() => {
  vi.spyOn(Date, 'now').mockReturnValue(0);
});
afterEach(() => {
  // The next run is unharmed.
  expect(run('[1, 2].map(x => x * 2).join() + text.length')).toBe('2,41048576');
  vi.restoreAllMocks();
});

/** Milliseconds of a known amount of work: on a machine that does other things too, everything takes longer. */
function counting(): number {
  const start = now();
  let sum = 0;
  for (let at = 0; at < 5_000_000; at += 1) sum = (sum * 31 + at) | 0;
  return sum === 0.5 ? 0 : now() - start;
}

/** As `counting`, of work that fills memory. */
function filling(): number {
  const start = now();
  const pairs = Array.from({ length: 200_000 }, (_, at) => [at, at]);
  return pairs.length === 1 ? 0 : now() - start;
}

/** How many times as long as on an idle machine things take now. */
function slowness(): number {
  return Math.max(counting() / COUNTING_MS, filling() / FILLING_MS);
}

/** How a source ended, and how many times the limit it took: the least of some tries. */
function outcome(source: string): Outcome {
  let best = tried(source);
  for (let left = 7; left > 0 && best.share >= 1; left -= 1) {
    const next = tried(source);
    if (next.share < best.share) best = next;
  }
  return best;
}

interface Outcome {
  readonly ended: unknown;
  readonly share: number;
}

function tried(source: string): Outcome {
  const before = slowness();
  const start = now();
  const ended = attempt(source);
  const took = now() - start;
  return { ended, share: took / Math.max(1, before, slowness()) / LIMIT_MS };
}

function attempt(source: string): unknown {
  try {
    return run(source);
  } catch (error) {
    return error;
  }
}

describe.each<[kind: string, sources: readonly string[]]>([
  [
    'fuel',
    [
      body('for (;;) {}'),
      body('while (true) {}'),
      body('do {} while (1)'),
      body('let x = 0; for (const a of list) for (const b of list) x += a * b; return x'),
      body('while (true) { try { throw 1 } catch {} }'),
      body('while (true) { try { continue } finally {} }'),
      body('outer: for (;;) { for (;;) continue outer }'),
      'list.map(() => list.map(() => list.map(() => 1)))',
      'list.filter(a => list.some(b => b < 0))',
      'list.reduce((a, b) => a + list.indexOf(-1), 0)',
      'list.map(() => text.indexOf("y"))',
      'list.map(() => text.includes("xxxxxxxxxxxxxxxxxxxxxxy"))',
      'list.map(() => text.lastIndexOf("yx"))',
      'list.map(() => text.split("y").length)',
      'list.map(() => Number(text))',
      'list.map(() => parseInt(text))',
      'list.map(() => text.localeCompare(text + "y"))',
      'list.map(() => ({})[text])',
      'list.map(() => [...list].sort((a, b) => b - a).length)',
      body('const o = {}; for (let i = 0; ; i++) o["k" + i % 100] = i'),
      body('const o = {}; for (let i = 0; ; i++) o["k" + i] = i'),
      body(
        'const o = {}; for (const i of list) o["k" + i] = undefined; for (;;) JSON.stringify(o)',
      ),
      '("a" + "\\u0301".repeat(50000) + "\\u0323".repeat(50000)).normalize("NFD")',
      '("a" + "\\u0301".repeat(20000)).localeCompare("b" + "\\u0323".repeat(20000))',
      'list.map(() => /(a+)+$/.test(text))',
      '/x.*y|x/g.exec(text) && text.replace(/x.*y|x/g, "")',
      'list.map(() => text.match(/(?:x?){50}y/))',
      'text.split(/(x)(x)(x)y?/).length',
      body('while (true) Date.parse("2024-01-01T00:00:00.123+05:45")'),
      body('while (true) { try { null.x() } catch {} }'),
      body('const needle = "x".repeat(5000) + "y"; while (true) text.indexOf(needle)'),
      body('const needle = "y" + "x".repeat(5000); while (true) text.lastIndexOf(needle)'),
      body(
        'const t = "a,b;".repeat(200); while (true) t.replace(/(?<x>[ab])(?<y>[,;])/gu, "$<y>$<x>")',
      ),
    ],
  ],
  [
    'depth',
    [
      body('const f = () => f(); return f()'),
      body('const f = (n) => 1 + f(n + 1); return f(0)'),
      body('const a = (n) => b(n), b = (n) => a(n); return a(0)'),
      body('function f() { return [1].map(f) } return f()'),
      body('function f() { try { return f() } catch { return f() } finally { f() } } return f()'),
      body('const f = () => [2, 1].sort(f); return f()'),
      body('const f = () => "a".replace("a", f); return f()'),
      body('const a = []; a.push(a); return JSON.stringify(a)'),
      body('const o = {}; o.o = o; return JSON.stringify(o)'),
      body('const a = []; a.push(a); return a.flat(Infinity)'),
      body('const a = []; a.push(a); return String(a)'),
      body('const a = []; a.push(a); return a + 1'),
      body('const a = []; a.push(a); return structuredClone(a)'),
      body('let a = []; for (let i = 0; i < 100000; i++) a = [a]; return JSON.stringify(a)'),
      body('let a = []; for (let i = 0; i < 100000; i++) a = [a]; return a.join()'),
      'JSON.parse("[".repeat(100000) + "]".repeat(100000))',
      `JSON.parse('{"a":'.repeat(100000) + "1" + "}".repeat(100000))`,
    ],
  ],
  [
    'memory',
    [
      '"a".repeat(2 ** 30)',
      'list.map(() => text.toUpperCase().length)',
      'list.map(() => text.replaceAll("y", "z").length)',
      'list.map(() => text.trim().length)',
      'list.map(() => text.normalize("NFC").length)',
      'list.map(() => text === text + "").length',
      'list.map(() => text < text + "a")',
      'list.map(() => encodeURIComponent(text).length)',
      'list.map(() => list.toSorted().length)',
      '[...list, ...list].sort(() => list.map(String).length - 1)',
      body('let s = text; while (true) s = s.slice(1)'),
      body('let s = ""; while (true) { s += "x"; s.charCodeAt(0) }'),
      'list.map(() => JSON.parse(JSON.stringify(list)).length)',
      'list.map(() => structuredClone(list).length)',
      '"a".repeat(2 ** 53)',
      '"a".padEnd(2 ** 30, "b")',
      '"a".padStart(1e12)',
      '"a".repeat(2 ** 20).repeat(2 ** 20)',
      body('let s = "a"; for (;;) s += s'),
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a source.
      body('let s = "a"; for (;;) s = `${s}${s}`'),
      body('let s = "a"; for (;;) s = s.concat(s, s)'),
      body('let s = "a"; for (;;) s = s.padEnd(s.length * 3, s)'),
      body('let a = [1]; for (;;) a = [...a, ...a]'),
      body('let a = [1]; for (;;) a = a.concat(a)'),
      body('let a = [1]; for (;;) a.push(...a)'),
      body('const a = []; for (;;) a.push(text + a.length)'),
      body('const a = []; for (;;) a.push([1, 2, 3])'),
      body('const a = [1]; for (const x of a) a.push(x)'),
      body('const a = []; a[4294967294] = 1'),
      body('const a = []; a.length = 4294967295'),
      body('let o = {a: 1}; for (;;) o = {o, p: {...o}}'),
      'Array.from({length: 2 ** 31}, (_, i) => i)',
      '[...text].map((x) => [...text])',
      'Array.from(text).map(() => text.split(""))',
      'list.map(() => text.split(""))',
      'list.map(() => text + 1).map((t) => t.charCodeAt(0))',
      'Array.from({length: 100}, () => text).join(text)',
      'text.replaceAll("x", text)',
      'text.replaceAll("x", "$&$&$&$&$&$&$&$&$&$&$&$&$&$&$&$&$&$&$&$&")',
      'text.replace(/x/g, "$`")',
      "text.slice(0, 20000).replaceAll('x', \"$'$`\")",
      'text.normalize("NFKD")',
      'list.map((i) => list)[0].flatMap(() => list)',
      'Array.from({length: 300}, () => JSON.stringify(text))',
      'JSON.parse("[" + "[],".repeat(1000000) + "1]")',
      'Object.fromEntries(Array.from({length: 1000000}, (_, i) => [i, i]))',
    ],
  ],
])('a run ends for want of %s', (kind, sources) => {
  test.each(sources)('%s', (source) => {
    const { ended, share } = outcome(source);
    expect(ended).toBeInstanceOf(BudgetFault);
    expect(ended).toMatchObject({ kind, line: 1, column: expect.any(Number) });
    expect(share).toBeLessThan(1);
  });
});

describe('a regular expression takes time by the text alone', () => {
  test.each([
    '/(a+)+$/.test("a".repeat(100000) + "b")',
    '/(x+x+)+y/.test(text)',
    '/^(x|x)*y$/.test(text)',
    '/(.*)*=(.*)*!/.test(text)',
    '/(?:x?){30}x{30}y/.test(text.slice(0, 1000))',
  ])('%s', (source) => {
    const { ended, share } = outcome(source);
    expect(ended).toBe(false);
    expect(share).toBeLessThan(1);
  });
});

describe('a source is refused', () => {
  const deep = (open: string, close: string) => open.repeat(20_000) + 1 + close.repeat(20_000);
  test.each<[what: string, source: string, message: string]>([
    ['that is long', ' '.repeat(2 ** 20), 'is longer than 65536 characters'],
    ['in many parentheses', deep('(', ')'), 'is nested too deeply'],
    ['in many arrays', deep('[', ']'), 'is nested too deeply'],
    ['in many functions', '() => '.repeat(10_000) + 1, 'is nested too deeply'],
    ['with many signs', '!'.repeat(60_000) + 1, 'is nested too deeply'],
    ['of many sums', '1 + '.repeat(16_000) + 1, 'is nested too deeply'],
    ['of many members', `a${'.b'.repeat(30_000)}`, 'is nested too deeply'],
    ['of many calls', `a${'()'.repeat(30_000)}`, 'is nested too deeply'],
    ['of many choices', '1 ? 1 : '.repeat(8_000) + 1, 'is nested too deeply'],
    ['of many blocks', body(deep('{', '}')), 'is nested too deeply'],
    ['of a large expression', `/${'(?:a{100}){100}'.repeat(5)}/`, 'the regular expression'],
    ['of many expressions', `[${'/(?:a{30}){30}/,'.repeat(3000)}]`, 'is one too many'],
    ['of a long expression', `/${'a'.repeat(3000)}/`, 'the regular expression is longer'],
  ])('%s', (_, source, message) => {
    const { ended, share } = outcome(source);
    expect(ended).toBeInstanceOf(SyntaxFault);
    expect(String(ended)).toContain(message);
    expect(share).toBeLessThan(1);
  });
});

test('functions of an installation are bounded as expressions are', () => {
  const functions = compileFunctions({
    odd: '(n) => n === 0 ? false : even(n - 1)',
    even: 'function even(n) {\n  return n === 0 ? true : odd(n - 1); }',
  });
  expect(functions.call('even', [50], new Budget(BOUNDS, 0))).toBe(true);
  expect(() => functions.call('odd', [1000], new Budget(BOUNDS, 0))).toThrow(
    expect.objectContaining({ kind: 'depth', line: 2, within: 'even' }),
  );
});
