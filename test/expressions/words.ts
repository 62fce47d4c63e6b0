/** Words and values that random programs are made of, by kind. */

/** By kind, what fills a hole as it is. */
export const WORDS = {
  number: ['0', '1', '2', '(-1)', '7', '0.1', '1e21', '100', 'NaN', '(-0)', '2.5'],
  text: ["''", "'a'", "'b-c'", "'ab ab'", "'12'", "'é😀x'", "' 7 '", "'a,b,,c'"],
  piece: ["'a'", "','", "''", "' '", "'b'", "'l'", "'ab'"],
  count: ['0', '1', '2', '-1', '3', '-2', '5', '1.5'],
  name: ['a', 'b', 'k', 'v', 'length', 'zz'],
  operator: ['+', '-', '*', '/', '%', '**', '|', '&', '^', '<<', '>>', '>>>'],
  relation: ['<', '>', '<=', '>=', '==', '!=', '===', '!=='],
  math: [
    ...['abs', 'acos', 'acosh', 'asin', 'asinh', 'atan', 'atanh', 'cbrt', 'ceil', 'clz32', 'cos'],
    ...['cosh', 'exp', 'expm1', 'floor', 'fround', 'log', 'log10', 'log1p', 'log2', 'round'],
    ...['sign', 'sin', 'sinh', 'sqrt', 'tan', 'tanh', 'trunc'],
  ],
  constant: [
    ...['Math.E', 'Math.LN10', 'Math.LN2', 'Math.LOG10E', 'Math.LOG2E', 'Math.PI', 'Infinity'],
    ...['Math.SQRT1_2', 'Math.SQRT2', 'Number.EPSILON', 'Number.MAX_SAFE_INTEGER', 'NaN'],
    ...['Number.MIN_SAFE_INTEGER', 'Number.MAX_VALUE', 'Number.MIN_VALUE', 'Number.NaN'],
    ...['Number.POSITIVE_INFINITY', 'Number.NEGATIVE_INFINITY'],
  ],
  error: [...['Error', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError']],
  pattern: [
    ...['/[a-z]/u', '/l+/gu', '/(a)(b)?/u', '/\\s+/gu', '/^\\w+/u', '/b|c/gu', '/(?<h>l)./u'],
    ...['/[^a]$/iu', '/\\d/u', '/(?:ab)+/gu', '/x*/gu', '/./gsu', '/\\b/gu', '/a{2,3}|l{2}/u'],
  ],
  by: ["'-'", "'[$&]'", "'$1$2'", "'$$'", '"$`"', '"$\'"', "'$<h>'", '(w) => w + w'],
};
