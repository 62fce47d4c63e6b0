/** Random programs of the language, as text, for comparing it with the JavaScript engine. */
import fc from 'fast-check';

/** What programs may name: two of each type, and what is often missing. */
export const INPUT = {
  n: 3,
  m: -2.5,
  s: 'Hello, World',
  t: ' äb-c ab ',
  xs: [3, 1, 2, 10, 1],
  ys: ['b', '', 'a', 'B'],
  os: [
    { k: 'x', v: 1, w: { y: [1, 2] } },
    { k: 'y', v: 2 },
    { k: 'x', v: null },
  ],
  o: { a: 1, b: 'two', c: [1, [2, [3]]], d: { e: null } },
  u: undefined,
  z: null,
  p: true,
};

/** A template whose holes are filled by other parts of the grammar. */
const filled = (template: string, ...holes: fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...holes).map((parts) => {
    let at = 0;
    return template.replace(/@/g, () => parts[at++] ?? '');
  });

const numbers = fc.constantFrom(
  '0',
  '1',
  '2',
  '(-1)',
  '7',
  '0.1',
  '1e21',
  '100',
  'NaN',
  '(-0)',
  '2.5',
);
const texts = fc.constantFrom(
  "''",
  "'a'",
  "'b-c'",
  "'ab ab'",
  "'12'",
  "'é😀x'",
  "' 7 '",
  "'a,b,,c'",
);
const pieces = fc.constantFrom("'a'", "','", "''", "' '", "'b'", "'l'", "'ab'");
const counts = fc.constantFrom('0', '1', '2', '-1', '3', '-2', '5', '1.5');
const names = fc.constantFrom('a', 'b', 'k', 'v', 'length', 'zz');

const plain = (...words: readonly string[]): fc.Arbitrary<string> => fc.constantFrom(...words);

const MATH = plain(
  ...['abs', 'ceil', 'floor', 'round', 'sign', 'sqrt', 'trunc', 'cbrt', 'fround', 'clz32', 'log2'],
);
const ARITHMETIC = plain('+', '-', '*', '/', '%', '**', '|', '&', '^', '<<', '>>', '>>>');
const COMPARISON = plain('<', '>', '<=', '>=', '==', '!=', '===', '!==');
const FROM_TEXT_ONE = plain('indexOf', 'lastIndexOf', 'charCodeAt', 'codePointAt', 'search');
const PATTERNS = plain(
  ...[
    '/[a-z]/u',
    '/l+/gu',
    '/(a)(b)?/u',
    '/\\s+/gu',
    '/^\\w+/u',
    '/b|c/gu',
    '/(?<h>l)./u',
    '/[^a]$/iu',
  ],
  ...['/\\d/u', '/(?:ab)+/gu', '/x*/gu', '/./gsu', '/\\b/gu', '/a{2,3}|l{2}/u'],
);
const BY = plain("'-'", "'[$&]'", "'$1$2'", "'$$'", '"$`"', '"$\'"', "'$<h>'", '(w) => w + w');

/** Expressions by the type that they mostly have, and statements. */
export const { any, body } = fc.letrec<Record<string, string>>((tie) => {
  const [num, str, bool] = [tie('num'), tie('str'), tie('bool')];
  const [arr, obj, any, stmt, fn] = [tie('arr'), tie('obj'), tie('any'), tie('stmt'), tie('fn')];
  const one = <Type>(...all: fc.Arbitrary<Type>[]) =>
    fc.oneof({ maxDepth: 6, depthSize: 'xsmall', depthIdentifier: 'program' }, ...all);
  return {
    num: one(
      fc.oneof(numbers, plain('n', 'm', 'v0', 'i')),
      filled('(@ @ @)', num, ARITHMETIC, num),
      filled('Math.@(@)', MATH, any),
      filled('Math.max(@, @)', any, num),
      filled('Math.min(...@)', arr),
      filled('Number(@)', any),
      filled('parseInt(@)', any),
      filled('parseFloat(@)', str),
      filled('@.length', fc.oneof(str, arr)),
      filled('@.@(@)', str, plain('indexOf', 'lastIndexOf'), pieces),
      filled('@.@(@)', str, plain('charCodeAt', 'codePointAt'), counts),
      filled('@.search(@)', str, PATTERNS),
      filled('@.@(@)', arr, plain('indexOf', 'lastIndexOf'), any),
      filled('@.@(@)', arr, plain('findIndex', 'findLastIndex'), fn),
      filled('@.reduce((q, e) => q + @, 0)', arr, num),
      filled('(@ ? @ : @)', any, num, num),
      filled('(-@)', num),
      filled('(~@)', any),
      filled('(+@)', any),
      filled('(v0 = @)', num),
      plain('(v0++)', '(--v0)', '(v0 += 2)', '(v0 **= 2)'),
    ),
    str: one(
      fc.oneof(texts, plain('s', 't', 'v1')),
      filled('(@ + @)', str, any),
      filled('`x${@}!`', any),
      filled('String(@)', any),
      filled(
        '@.@()',
        str,
        plain('trim', 'toUpperCase', 'toLowerCase', 'trimStart', 'trimEnd', 'toString'),
      ),
      filled(
        '@.@(@)',
        str,
        plain('charAt', 'repeat', 'normalize().slice'),
        counts.map((each) => `Math.abs(${each})`),
      ),
      filled('@.@(@, @)', str, plain('slice', 'substring', 'substr'), counts, counts),
      filled('@.@(@, @)', str, plain('padStart', 'padEnd'), counts, pieces),
      filled('@.@(@, @)', str, plain('replace', 'replaceAll'), pieces, BY),
      filled('@.replace(@, @)', str, PATTERNS, BY),
      filled('@.join(@)', arr, pieces),
      filled('(@).toFixed(@)', num, plain('0', '1', '2', '5')),
      filled('(@).toString(@)', num, plain('2', '10', '16', '36')),
      filled('JSON.stringify(@)', any),
      filled('JSON.stringify(@, null, 2)', any),
      filled('typeof @', any).map((text) => `(${text})`),
      filled('(@ && @)', any, str),
      filled('@.concat(@, @)', str, any, str),
      filled('encodeURIComponent(@)', str),
      filled('(v1 += @)', str),
    ),
    bool: one(
      plain('true', 'false', 'p'),
      filled('(@ @ @)', any, COMPARISON, any),
      filled('(!@)', any),
      filled('@.@(@)', str, plain('includes', 'startsWith', 'endsWith'), pieces),
      filled('@.includes(@)', arr, any),
      filled('@.@(@)', arr, plain('some', 'every'), fn),
      filled('Array.isArray(@)', any),
      filled('Number.@(@)', plain('isInteger', 'isFinite', 'isNaN', 'isSafeInteger'), any),
      filled('(@ in @)', str, obj),
      filled('Object.hasOwn(@, @)', obj, str),
      filled('@.test(@)', PATTERNS, str),
      filled('(delete v3.@)', plain('a', 'b')),
    ),
    arr: one(
      plain('xs', 'ys', 'os', 'v2', '[]', '[1, 2, 3]', "['b', 'a']"),
      filled('[@, @]', any, any),
      filled('[...@, @]', arr, any),
      filled('[...@]', str),
      filled('@.@(@)', arr, plain('map', 'filter', 'flatMap'), fn),
      filled('@.@(@, @)', arr, plain('slice', 'toSpliced'), counts, counts),
      filled('@.concat(@)', arr, any),
      filled('@.toSorted()', arr),
      filled('@.toSorted((q, r) => q - r)', arr),
      filled('@.toReversed()', arr),
      filled('@.flat(@)', arr, plain('', '2', 'Infinity')),
      filled('[...@].sort()', arr),
      filled('[...@].reverse()', arr),
      filled('@.split(@)', str, pieces),
      filled('@.split(@)', str, PATTERNS),
      filled('@.split(@, @)', str, pieces, counts),
      filled('Object.@(@)', plain('keys', 'values', 'entries'), obj),
      filled('Array.from(@, @)', fc.oneof(arr, str), fn),
      filled('Array.from({length: 3}, (q, i) => @)', num),
      filled('[...(@.match(/l|a|b/gu) ?? [])]', str),
      filled('[...@.matchAll(/(l)|(a)/gu)].map(([w, q]) => [w, q])', str),
      filled('(v2.push(@), v2)', any),
      filled('v2.splice(@, 1)', counts),
      filled('(v2.unshift(@), v2.shift(), v2)', any),
    ),
    obj: one(
      plain('o', 'v3', '({})', '({a: 1})'),
      filled('({a: @, [@]: @})', any, str, any),
      filled('({...@, b: @})', obj, any),
      filled('({...@})', any),
      filled('Object.fromEntries(@.map((e, i) => [i, e]))', arr),
      filled('Object.assign({}, @, @)', obj, obj),
      filled('Object.fromEntries(Object.entries(@).map(([q, r]) => [r, q]))', obj),
      filled('JSON.parse(JSON.stringify(@))', obj),
      filled('(v3.a = @, v3)', any),
      filled("({'__proto__x': @, constructor: @})", any, any),
    ),
    any: one(
      fc.oneof(
        { weight: 3, arbitrary: num },
        { weight: 3, arbitrary: str },
        plain('u', 'z', 'null', 'undefined'),
      ),
      bool,
      arr,
      obj,
      filled('@[@]', arr, counts),
      filled('@[@]', str, counts),
      filled('@.at(@)', fc.oneof(arr, str), counts),
      filled('@?.@', any, names).map((text) => `(${text})`),
      filled('@?.[@]?.@', obj, str, names),
      filled('@.find(@)', arr, fn),
      filled('@.reduce((q, e, i) => [q, @], @)', arr, any, any),
      filled('@.pop()', plain('v2')),
      filled('(@ ?? @)', any, any),
      filled('(@ || @)', any, any),
      filled('(@, @)', any, any),
      filled('(@ ? @ : @)', any, any, any),
      filled('((q, r = @, ...rest) => [q, r, rest.length])(@, ...@)', any, any, arr),
      filled('(({a, b: [c] = [@], ...rest}) => ({a, c, rest}))(@)', any, obj),
      filled('(([q, , r = @]) => [r, q])(@)', any, fc.oneof(arr, str)),
      filled('(function f(d) { return d > 0 ? [d, f(d - 1)] : @; })(3)', any),
      filled('(() => { @ })()', tie('body')),
    ),
    fn: one(
      filled('(e) => @', any),
      filled('(e, i) => @', any),
      filled('(e) => { @ return @; }', stmt, any),
      filled('({k, v = @} = {}) => @', any, any),
      plain(
        'String',
        'Number',
        'Boolean',
        '(e) => e > 1',
        '(e, i, all) => all.length - i',
        'Math.abs',
      ),
    ),
    stmt: one(
      filled('v0 = @;', num),
      filled('{ const q = @; v1 += q; }', any),
      filled('{ let q = @; v2 = [() => q, () => q++].map((f) => f()); }', num),
      filled('if (@) { @ } else { @ }', any, stmt, stmt),
      filled('for (let j = 0; j < 3; j += 1) { @ }', stmt),
      filled(
        '{ const fs = []; for (let j = 0; j < 3; j++) { fs.push(() => j++); @ } v2 = fs.map((f) => f() + f()); }',
        stmt,
      ),
      filled('for (const e of @) { @ if (v0 > 3) break; }', arr, stmt),
      filled('for (const [q, r] of Object.entries(@)) { v1 += q + typeof r; }', obj),
      filled('for (const q in @) { if (q === @) continue; v1 += q; }', obj, str),
      filled('{ let c = 3; while (c-- > 0) { @ } }', stmt),
      filled('{ let c = 0; do { @ } while (++c < 2); }', stmt),
      filled('switch (@) { case @: @ break; case 1: v0 = 1; default: @ }', any, any, stmt, stmt),
      filled('try { @ throw @; } catch (e) { v1 += typeof e; } finally { @ }', stmt, any, stmt),
      filled('try { @ null.x(); } catch { @ }', stmt, stmt),
      filled('try { return @; } finally { @ }', any, stmt),
      filled(
        'outer: for (const q of [1, 2]) { for (const r of [1, 2]) { if (r > q) continue outer; if (@) break outer; v0 += q * r; } }',
        bool,
      ),
      filled('[v0, v1] = [@, @];', num, str),
      filled('({a: v0 = 5, ...v3} = @);', obj),
      filled('{ function g(q) { return q + @; } v0 = g(1); }', num),
      filled('var w = @; v2 = [w];', any),
      filled('v3[@] = @;', str, any),
      filled('v3.c ??= @; v3.d ||= @; v3.a &&= @;', any, any, any),
      filled('{ const q = 1, f = () => q + r; let r = 2; v0 = f(); }'),
      filled(
        'try { f2(); let late = 1; function f2() { return late; } } catch (e) { v1 += e.name; }',
      ),
      filled('return @;', any),
    ),
    body: one(
      filled(
        'let v0 = @, v1 = @, v2 = [1, 2], v3 = {a: 1}, i = 0, e = 1; @ @ return [@, v0, v1, v2, v3];',
        num,
        str,
        stmt,
        stmt,
        any,
      ),
    ),
  };
});
