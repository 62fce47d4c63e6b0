/** A grammar of the language: by kind, texts whose ‹holes› are filled by other kinds or by given words. */
import { BODY, STATEMENTS } from './statements.ts';
import { WORDS } from './words.ts';

const NUMBERS = [
  ...['‹number›', '‹n|m|v0|i›', '(‹num› ‹operator› ‹num›)', 'Math.‹math›(‹any›)'],
  ...['Math.max(‹any›, ‹num›)', 'Math.min(...‹arr›)', 'Number(‹any›)', 'parseInt(‹any›)'],
  ...['parseFloat(‹str›)', '‹str|arr›.length', '‹str›.‹indexOf|lastIndexOf›(‹piece›)'],
  ...['‹str›.‹charCodeAt|codePointAt›(‹count›)', '‹str›.search(‹pattern›)'],
  ...['‹arr›.‹indexOf|lastIndexOf›(‹any›)', '‹arr›.‹findIndex|findLastIndex›(‹fn›)'],
  ...['‹arr›.reduce((q, e) => q + ‹num›, 0)', '(‹any› ? ‹num› : ‹num›)', '(-‹num›)', '(~‹any›)'],
  ...['(+‹any›)', '(v0 = ‹num›)', '(v0++)', '(--v0)', '(v0 += 2)', '(v0 **= 2)', '‹obj›.a'],
  ...['Number.parseFloat(‹str›)', '(‹num› > ‹num› ? ‹num› : -1)', 'Math.hypot(‹num›, ‹num›)'],
  ...[
    '‹constant›',
    'Number.parseInt(‹any›, ‹2|10|16|36|1|0›)',
    'Math.‹atan2|imul|pow›(‹any›, ‹num›)',
  ],
  ...[
    'Math.‹math›(‹num›)',
    'Math.‹math›(‹num›)',
    '(+‹num›).valueOf()',
    'Math.‹max|min|hypot›(...‹arr›)',
    '(‹num›, ‹num›)',
  ],
  ...[
    '‹str›.‹indexOf|lastIndexOf›(‹piece›, ‹count›)',
    '‹arr›.‹indexOf|lastIndexOf›(‹any›, ‹count›)',
  ],
  ...[
    "Date.parse('20‹24|00|99›-0‹1|2|6›-‹01|28›T‹00|24›:00:00.‹5|25|123›Z')",
    'Date.UTC(‹num›, ‹num›)',
  ],
  ...[
    'Date.UTC(20‹24|00›, ‹count›, ‹num›, ‹num›)',
    '(v0 ‹%=|-=|*=|<<=|>>>=|&=|^=› ‹num›)',
    '(v0 ??= ‹num›)',
  ],
  ...[
    'v2.‹push|unshift›(‹any›, ‹any›)',
    'parseInt(‹str›, ‹2|16|36›)',
    '‹num›',
    '‹arr›.reduce(Math.max)',
  ],
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
  ...[
    '‹str›.normalize("‹NFC|NFD|NFKC|NFKD›")',
    '‹encodeURI|decodeURI›(‹str›)',
    '‹str›.at(‹count›)',
  ],
  ...[
    'String.fromCharCode(‹any›, ‹num›)',
    'String(‹new |›‹error›(‹any›))',
    '‹error›(‹piece›).‹name|message›',
  ],
  ...[
    '‹pattern›.‹source|flags›',
    '‹pattern›.toString()',
    '(‹arr|obj|num|bool›).toString()',
    '‹arr›.join()',
  ],
  ...[
    'JSON.stringify(‹any›, null, ‹count|piece›)',
    '‹str›.‹slice|substring|substr›(‹count›)',
    '(v1 ||= ‹str›)',
  ],
  ...[
    '‹str›.‹padStart|padEnd›(‹count›)',
    '‹str›.‹replace|replaceAll›(‹any›, ‹fn›)',
    '‹str›.replaceAll(/‹l|a|x*›/gu, ‹by›)',
  ],
  ...[
    '(‹num›).‹toFixed|toPrecision|toExponential|toString›(‹count›)',
    'String()',
    '`$' + '{‹any›}$' + '{‹arr›}`',
  ],
];

const BOOLEANS = [
  ...['true', 'false', 'p', '(‹any› ‹relation› ‹any›)', '(!‹any›)', '(‹num› ‹relation› ‹num›)'],
  ...['‹str›.‹includes|startsWith|endsWith›(‹piece›)', '‹arr›.includes(‹any›)'],
  ...['‹arr›.‹some|every›(‹fn›)', 'Array.isArray(‹any›)', '(‹str› in ‹obj›)', '(‹count› in ‹arr›)'],
  ...['Number.‹isInteger|isFinite|isNaN|isSafeInteger›(‹any›)', 'Object.hasOwn(‹obj›, ‹str›)'],
  ...['‹pattern›.test(‹str›)', '(delete v3.‹a|b›)', 'Object.is(‹num›, ‹num›)', 'isNaN(‹any›)'],
  ...['‹str›.‹includes|startsWith|endsWith›(‹piece›, ‹count›)', '‹arr›.includes(‹any›, ‹count›)'],
  ...[
    '‹obj›.hasOwnProperty(‹str›)',
    'isFinite(‹any›)',
    'Boolean(‹any›)',
    'Object.hasOwn(‹obj|arr|str›, "‹name›")',
  ],
  ...['‹pattern›.global', 'Object.is(‹any›, ‹any›)'],
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
  ...[
    'Array.from(‹str›, ‹fn›)',
    'Array.from([...‹arr›], ‹fn›)',
    'Array.from({length: 3}, (q, i) => ‹num›)',
  ],
  ...[
    '[...(‹str›.match(/l|a|b/gu) ?? [])]',
    '‹arr›.with(0, ‹any›)',
    '[...‹arr›].fill(‹any›, ‹count›)',
  ],
  ...['[...‹str›.matchAll(/(l)|(a)/gu)].map(([w, q]) => [w, q])', '(v2.push(‹any›), v2)'],
  ...['v2.splice(‹count›, 1)', '(v2.unshift(‹any›), v2.shift(), v2)', '[...‹arr›.entries()]'],
  ...['v2.splice(‹count›, ‹count›, ‹any›)', '[..."ab"].map((e, i, all) => all.length + i)'],
  ...[
    '[‹num›, ‹any›].map(Math.‹math›)',
    '[‹num›, ‹any›].map(Number.‹isInteger|isFinite|isNaN|isSafeInteger›)',
    '[...‹arr›.‹keys|values|entries›()]',
    'Array.of(‹any›, ‹any›)',
    '[...‹arr›].sort(‹fn›)',
    'v2.sort(‹fn›)',
  ],
  ...[
    '[...(‹pattern›.exec(‹str›) ?? [])]',
    '‹arr›.flat(‹count›)',
    '‹arr›.toSorted(‹fn›)',
    'v2.‹reverse|sort›()',
  ],
  ...[
    'structuredClone(‹arr›)',
    'v2.fill(‹any›, ‹count›, ‹count›)',
    '‹arr›.with(‹count›, ‹any›)',
    '‹arr›.concat(‹arr›, ‹any›)',
  ],
  ...[
    '‹arr›.‹slice|toSpliced›(‹count›)',
    '‹arr›.toSpliced(‹count›, ‹count›, ‹any›)',
    '‹str›.split()',
    'JSON.parse(JSON.stringify(‹arr›))',
  ],
  '((q) => [q.test(‹str›), q.lastIndex, q.exec(‹str›)?.[0], q.lastIndex])(‹pattern›)',
  '((q) => [‹str›.replace(q, ‹by›), q.lastIndex, ...(‹str›.match(q) ?? [])])(‹pattern›)',
  ...[
    '[...‹arr›].map((e, i, all) => all.‹indexOf|includes›(e))',
    '[...(‹str›.match(‹pattern›) ?? [])]',
  ],
];

const OBJECTS = [
  ...['o', 'v3', '({})', '({a: 1})', '({a: ‹any›, [‹str›]: ‹any›})', '({...‹obj›, b: ‹any›})'],
  ...['({...‹any›})', 'Object.fromEntries(‹arr›.map((e, i) => [i, e]))', '(v3.a = ‹any›, v3)'],
  ...['Object.assign({}, ‹obj›, ‹obj›)', 'JSON.parse(JSON.stringify(‹obj›))'],
  ...['Object.fromEntries(Object.entries(‹obj›).map(([q, r]) => [r, q]))'],
  ...['({"__proto__x": ‹any›, constructor: ‹any›})', 'Object.assign(v3, ‹obj›)'],
  ...['((q) => { const {a, ...r} = q; return r; })(‹obj›)', '({e, i, g: 2})'],
  ...[
    // Of a copy: JavaScript goes on for ever, or falls, where the function lengthens what it goes through.
    '({...Object.groupBy([...‹arr›], ‹fn›)})',
    '({...Object.groupBy(‹str›, ‹fn›)})',
    'structuredClone(‹obj›)',
    'Object.assign(v3, ‹arr|str|any›)',
  ],
  ...[
    '({‹name›: ‹any›, get: 1, "‹name›": 2, ‹0|1|7›: 3})',
    '(({‹name›: {a: q = ‹any›} = {}}) => ({q}))(‹obj›)',
  ],
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
  ...[
    '‹arr›.forEach(‹fn›)',
    'v2.‹pop|shift›()',
    'JSON.parse(‹text|t|s›)',
    'JSON.parse(JSON.stringify(‹any›) ?? 1)',
    '‹obj›[‹any›]',
    '‹arr|str›[‹any›]',
  ],
  ...[
    '‹arr›.‹reduce|reduceRight›(‹fn›, ‹any›)',
    '‹arr›.reduceRight((q, e, i, all) => [q, e, i, all.length], ‹any›)',
  ],
  ...[
    '(([q = ‹any›, [r, ...w] = [1, 2], {k = ‹any›} = {}] = []) => [q, r, w, k])(‹arr›)',
    'v2.splice(‹count›)',
  ],
  ...[
    '((q, {[‹str›]: r = q} = {}) => r)(‹any›, ‹obj›)',
    '((...[q, r]) => [r, q])(...‹arr|str›)',
    'v2.at(‹count›)?.toString()',
  ],
];

const FUNCTIONS = [
  ...['(e) => ‹any›', '(e, i) => ‹any›', '(e) => { ‹stmt› return ‹any›; }', 'Math.abs'],
  ...['({k, v = ‹any›} = {}) => ‹any›', 'String', 'Number', 'Boolean', '(e) => e > 1'],
  ...['(e, i, all) => all.length - i', '(...all) => all.length', 'function (e) { return [e]; }'],
  ...['() => v2.‹pop|shift›()', '(e, i) => (v2.‹push|unshift›(i), e)', '(e) => (v2 = [e], v2)'],
  ...[
    '‹parseInt|parseFloat|isNaN|isFinite|encodeURIComponent›',
    'Array.of',
    'Math.max',
    'Object.is',
    'String.fromCharCode',
  ],
  ...[
    '(q, r) => ‹num›',
    '(e, q = ‹num›, ...r) => [e, q, r.length]',
    '([q, r]) => r',
    '(e) => (v2.length = 0, e)',
  ],
  '(e, i) => { v2.splice(i, 1); return e; }',
];

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
