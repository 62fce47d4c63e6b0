/** A grammar of the language: by kind, texts whose ‹holes› are filled by other kinds or by given words. */

/** Values and words. */
const WORDS = {
  number: ['0', '1', '2', '(-1)', '7', '0.1', '1e21', '100', 'NaN', '(-0)', '2.5'],
  text: ["''", "'a'", "'b-c'", "'ab ab'", "'12'", "'é😀x'", "' 7 '", "'a,b,,c'"],
  piece: ["'a'", "','", "''", "' '", "'b'", "'l'", "'ab'"],
  count: ['0', '1', '2', '-1', '3', '-2', '5', '1.5'],
  name: ['a', 'b', 'k', 'v', 'length', 'zz'],
  operator: ['+', '-', '*', '/', '%', '**', '|', '&', '^', '<<', '>>', '>>>'],
  relation: ['<', '>', '<=', '>=', '==', '!=', '===', '!=='],
  math: [
    'abs',
    'ceil',
    'floor',
    'round',
    'sign',
    'sqrt',
    'trunc',
    'cbrt',
    'fround',
    'clz32',
    'log2',
  ],
  pattern: [
    ...['/[a-z]/u', '/l+/gu', '/(a)(b)?/u', '/\\s+/gu', '/^\\w+/u', '/b|c/gu', '/(?<h>l)./u'],
    ...['/[^a]$/iu', '/\\d/u', '/(?:ab)+/gu', '/x*/gu', '/./gsu', '/\\b/gu', '/a{2,3}|l{2}/u'],
  ],
  by: ["'-'", "'[$&]'", "'$1$2'", "'$$'", '"$`"', '"$\'"', "'$<h>'", '(w) => w + w'],
};

const NUMBERS = [
  ...['‹number›', '‹n|m|v0|i›', '(‹num› ‹operator› ‹num›)', 'Math.‹math›(‹any›)'],
  ...['Math.max(‹any›, ‹num›)', 'Math.min(...‹arr›)', 'Number(‹any›)', 'parseInt(‹any›)'],
  ...['parseFloat(‹str›)', '‹str|arr›.length', '‹str›.‹indexOf|lastIndexOf›(‹piece›)'],
  ...['‹str›.‹charCodeAt|codePointAt›(‹count›)', '‹str›.search(‹pattern›)'],
  ...['‹arr›.‹indexOf|lastIndexOf›(‹any›)', '‹arr›.‹findIndex|findLastIndex›(‹fn›)'],
  ...['‹arr›.reduce((q, e) => q + ‹num›, 0)', '(‹any› ? ‹num› : ‹num›)', '(-‹num›)', '(~‹any›)'],
  ...['(+‹any›)', '(v0 = ‹num›)', '(v0++)', '(--v0)', '(v0 += 2)', '(v0 **= 2)', '‹obj›.a'],
  ...['Number.parseFloat(‹str›)', '(‹num› > ‹num› ? ‹num› : -1)', 'Math.hypot(‹num›, ‹num›)'],
];

const TEXTS = [
  ...['‹text›', '‹s|t|v1›', '(‹str› + ‹any›)', '`x$' + '{‹any›}!`', 'String(‹any›)'],
  ...['‹str›.‹trim|toUpperCase|toLowerCase|trimStart|trimEnd|toString›()'],
  ...['‹str›.‹charAt|repeat|normalize().slice›(Math.abs(‹count›))'],
  ...[
    '‹str›.‹slice|substring|substr›(‹count›, ‹count›)',
    '‹str›.‹padStart|padEnd›(‹count›, ‹piece›)',
  ],
  ...['‹str›.‹replace|replaceAll›(‹piece›, ‹by›)', '‹str›.replace(‹pattern›, ‹by›)'],
  ...['‹arr›.join(‹piece›)', '(‹num›).toFixed(‹0|1|2|5›)', '(‹num›).toString(‹2|10|16|36›)'],
  ...['JSON.stringify(‹any›)', 'JSON.stringify(‹any›, null, 2)', '(typeof ‹any›)'],
  ...[
    '(‹any› && ‹str›)',
    '‹str›.concat(‹any›, ‹str›)',
    'encodeURIComponent(‹str›)',
    '(v1 += ‹str›)',
  ],
  ...['(‹num›).toPrecision(‹1|3|9›)', '(‹num›).toExponential(‹0|2›)', 'decodeURIComponent(‹str›)'],
  ...['‹str›.replace(‹pattern›, (w, ...q) => typeof q[0])', 'String.fromCodePoint(‹num›, 65)'],
];

const BOOLEANS = [
  ...['true', 'false', 'p', '(‹any› ‹relation› ‹any›)', '(!‹any›)', '(‹num› ‹relation› ‹num›)'],
  ...['‹str›.‹includes|startsWith|endsWith›(‹piece›)', '‹arr›.includes(‹any›)'],
  ...['‹arr›.‹some|every›(‹fn›)', 'Array.isArray(‹any›)', '(‹str› in ‹obj›)', '(‹count› in ‹arr›)'],
  ...['Number.‹isInteger|isFinite|isNaN|isSafeInteger›(‹any›)', 'Object.hasOwn(‹obj›, ‹str›)'],
  ...['‹pattern›.test(‹str›)', '(delete v3.‹a|b›)', 'Object.is(‹num›, ‹num›)', 'isNaN(‹any›)'],
];

const ARRAYS = [
  ...['‹xs|ys|os|v2›', '[]', '[1, 2, 3]', "['b', 'a']", '[‹any›, ‹any›]', '[...‹arr›, ‹any›]'],
  ...[
    '[...‹str›]',
    // Of a copy: where the function shortens what it goes through, JavaScript makes holes.
    '[...‹arr›].map(‹fn›)',
    '‹arr›.‹filter|flatMap›(‹fn›)',
    '‹arr›.‹slice|toSpliced›(‹count›, ‹count›)',
  ],
  ...['‹arr›.concat(‹any›)', '‹arr›.toSorted()', '‹arr›.toSorted((q, r) => q - r)'],
  ...['‹arr›.toReversed()', '‹arr›.flat()', '‹arr›.flat(‹2|Infinity›)', '[...‹arr›].sort()'],
  ...['[...‹arr›].reverse()', '‹str›.split(‹piece›)', '‹str›.split(‹pattern›)'],
  ...['‹str›.split(‹piece›, ‹count›)', 'Object.‹keys|values|entries›(‹obj›)'],
  ...['Array.from(‹arr|str›, ‹fn›)', 'Array.from({length: 3}, (q, i) => ‹num›)'],
  ...[
    '[...(‹str›.match(/l|a|b/gu) ?? [])]',
    '‹arr›.with(0, ‹any›)',
    '[...‹arr›].fill(‹any›, ‹count›)',
  ],
  ...['[...‹str›.matchAll(/(l)|(a)/gu)].map(([w, q]) => [w, q])', '(v2.push(‹any›), v2)'],
  ...['v2.splice(‹count›, 1)', '(v2.unshift(‹any›), v2.shift(), v2)', '[...‹arr›.entries()]'],
  ...['v2.splice(‹count›, ‹count›, ‹any›)', '[..."ab"].map((e, i, all) => all.length + i)'],
];

const OBJECTS = [
  ...['o', 'v3', '({})', '({a: 1})', '({a: ‹any›, [‹str›]: ‹any›})', '({...‹obj›, b: ‹any›})'],
  ...['({...‹any›})', 'Object.fromEntries(‹arr›.map((e, i) => [i, e]))', '(v3.a = ‹any›, v3)'],
  ...['Object.assign({}, ‹obj›, ‹obj›)', 'JSON.parse(JSON.stringify(‹obj›))'],
  ...['Object.fromEntries(Object.entries(‹obj›).map(([q, r]) => [r, q]))'],
  ...['({"__proto__x": ‹any›, constructor: ‹any›})', 'Object.assign(v3, ‹obj›)'],
  ...['((q) => { const {a, ...r} = q; return r; })(‹obj›)', '({e, i, g: 2})'],
];

const ANYTHING = [
  ...['‹num›', '‹str›', '‹u|z|null|undefined›', '‹bool›', '‹arr›', '‹obj›', '‹arr|str›[‹count›]'],
  ...['‹arr|str›.at(‹count›)', '(‹any›?.‹name›)', '‹obj›?.[‹str›]?.‹name›', '‹arr›.find(‹fn›)'],
  ...['‹arr›.reduce((q, e, i) => [q, ‹any›], ‹any›)', 'v2.pop()', '(‹any› ?? ‹any›)'],
  ...['(‹any› || ‹any›)', '(‹any›, ‹any›)', '(‹any› ? ‹any› : ‹any›)', '(() => { ‹body› })()'],
  ...['((q, r = ‹any›, ...rest) => [q, r, rest.length])(‹any›, ...‹arr›)', '‹arr›.findLast(‹fn›)'],
  ...['(({a, b: [c] = [‹any›], ...rest}) => ({a, c, rest}))(‹obj›)'],
  ...['(([q, , r = ‹any›]) => [r, q])(‹arr|str›)', '‹arr›.reduceRight((q, e) => [e, q])'],
  ...['(function f(d) { return d > 0 ? [d, f(d - 1)] : ‹any›; })(3)', '‹obj›.zz?.(‹any›)'],
  ...[
    '((q) => (r) => (q = r, () => q))(‹any›)(‹any›)()',
    '[‹any›].map((q) => () => q)[0]()',
    '({f(q) { return [q]; }}).f(‹any›)',
  ],
];

const FUNCTIONS = [
  ...['(e) => ‹any›', '(e, i) => ‹any›', '(e) => { ‹stmt› return ‹any›; }', 'Math.abs'],
  ...['({k, v = ‹any›} = {}) => ‹any›', 'String', 'Number', 'Boolean', '(e) => e > 1'],
  ...['(e, i, all) => all.length - i', '(...all) => all.length', 'function (e) { return [e]; }'],
  ...['() => v2.‹pop|shift›()', '(e, i) => (v2.‹push|unshift›(i), e)', '(e) => (v2 = [e], v2)'],
];

const STATEMENTS = [
  ...['v0 = ‹num›;', '{ const q = ‹any›; v1 += q; }', 'if (‹any›) { ‹stmt› } else { ‹stmt› }'],
  '{ let q = ‹num›; v2 = [() => q, () => q++].map((f) => f()); }',
  'for (let j = 0; j < 3; j += 1) { ‹stmt› }',
  '{ const fs = []; for (let j = 0; j < 3; j++) { fs.push(() => j++); ‹stmt› } v2 = fs.map((f) => f() + f()); }',
  ...['for (const e of ‹arr›) { ‹stmt› if (v0 > 3) break; }', 'var w = ‹any›; v2 = [w];'],
  'for (const [q, r] of Object.entries(‹obj›)) { v1 += q + typeof r; }',
  'for (const q in ‹obj›) { if (q === ‹str›) continue; v1 += q; }',
  ...['{ let c = 3; while (c-- > 0) { ‹stmt› } }', '{ let c = 0; do { ‹stmt› } while (++c < 2); }'],
  'switch (‹any›) { case ‹any›: ‹stmt› break; case 1: v0 = 1; default: ‹stmt› }',
  'switch (‹num›) { case 0: let q = 1; case 1: v0 = () => q; default: try { v0 = v0(); } catch { v0 = 2; } }',
  'try { ‹stmt› throw ‹any›; } catch (e) { v1 += typeof e; } finally { ‹stmt› }',
  ...['try { ‹stmt› null.x(); } catch { ‹stmt› }', 'try { return ‹any›; } finally { ‹stmt› }'],
  '(() => { outer: for (const q of [1, 2]) { for (const r of [1, 2]) { if (r > q) continue outer; if (‹bool›) break outer; v0 += q * r; } } })();',
  '(() => { l: { v0 = 1; if (‹any›) break l; ‹stmt› } })();',
  'for (const q of [1, 2, 3]) { try { if (q > 1) continue; ‹stmt› } finally { v0 = q; } }',
  ...['[v0, v1] = [‹num›, ‹str›];', '({a: v0 = 5, ...v3} = ‹obj›);', '[v0 = 1, ...v2] = ‹arr›;'],
  ...['{ function g(q) { return q + ‹num›; } v0 = g(1); }', 'v3[‹str›] = ‹any›;', 'return ‹any›;'],
  'v3.c ??= ‹any›; v3.d ||= ‹any›; v3.a &&= ‹any›;',
  ...['{ const q = 1, f = () => q + r; let r = 2; v0 = f(); }', 'v2.length = 0; v2[0] = ‹any›;'],
  'try { f2(); let late = 1; function f2() { return late; } } catch (e) { v1 += e.name; }',
  'try { throw new RangeError(‹piece›); } catch ({name, message}) { v1 += name + message; }',
];

const BODY =
  'let v0 = ‹num›, v1 = ‹str›, v2 = [1, 2], v3 = {a: 1}, i = 0, e = 1; ‹stmt› ‹stmt› ‹stmt› return [‹any›, v0, v1, v2, v3];';

/** By kind, everything that it can be. */
export const GRAMMAR: Readonly<Record<string, readonly string[]>> = {
  ...WORDS,
  num: NUMBERS,
  str: TEXTS,
  bool: BOOLEANS,
  arr: ARRAYS,
  obj: OBJECTS,
  any: ANYTHING,
  fn: FUNCTIONS,
  stmt: STATEMENTS,
  body: [BODY],
};
