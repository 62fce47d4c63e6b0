/** Texts that would be seen to run, in every argument of every function. */
import type { Random } from './random.ts';

/** An expression that names the sign when it is run. */
const TRAP = `length(file(concat('/nonexistent/TRIP', 'WIRE')))`;

const TEXTS = [
  TRAP,
  `groupArray(${TRAP})`,
  `quantile(${TRAP})`,
  `sumIf(${TRAP})`,
  `a UInt8, b UInt8 DEFAULT ${TRAP}`,
  `a UInt8, b UInt8 ALIAS ${TRAP}`,
  `a UInt8, b UInt8 MATERIALIZED ${TRAP}`,
  `a UInt8, b DEFAULT ${TRAP}`,
  `a UInt8 CODEC(NONE), b UInt8 aLiAs ${TRAP}`,
  `a UInt8, "b" UInt8 ALIAS "fil\\x65"('/nonexistent/TRIP' || 'WIRE')`,
  `FixedString(${TRAP})`,
  `AggregateFunction(groupArray(${TRAP}), UInt8)`,
  `(${TRAP})`,
  `SELECT ${TRAP}`,
  `{"a": ${TRAP}}`,
];
/** Functions that take a text of another kind than others do; all others get their turns, too. */
const KNOWN = [
  'arrayReduce',
  'arrayReduceInRanges',
  'initializeAggregation',
  'CAST',
  'JSONExtract',
  'defaultValueOfTypeName',
];
const TABLES = [
  'values',
  'generateRandom',
  'null',
  'fuzzJSON',
  'merge',
  'fuzzQuery',
  'view',
  'primes',
];

const SHAPES: readonly ((f: string, text: string) => string)[] = [
  (f, t) => `SELECT ${f}(${t})`,
  (f, t) => `SELECT ${f}(${t}, 1)`,
  (f, t) => `SELECT ${f}(${t}, [1, 2])`,
  (f, t) => `SELECT ${f}(${t}, [(1, 1)], [1, 2])`,
  (f, t) => `SELECT ${f}((${t}), [1, 2])`,
  (f, t) => `SELECT ${f}(${t} AS t, [1, 2])`,
  (f, t) => `WITH ${t} AS t SELECT ${f}(t, [1, 2])`,
  (f, t) => `SELECT arrayMap(y -> ${f}(${t}, [y]), [1])`,
  (f, t) => `SELECT ${f}(concat(${t}, ''), [1, 2])`,
  (f, t) => `SELECT ${f}(${t} || '', 1)`,
  (f, t) => `SELECT ${f}('x', ${t})`,
  (f, t) => `SELECT ${f}('{}', ${t})`,
  (f, t) => `SELECT ${f}(1, ${t})`,
  (f, t) => `SELECT ${f}([1, 2], ${t})`,
  (f, t) => `SELECT ${f}('x', 'y', ${t})`,
  (f, t) => `SELECT * APPLY(${f}(${t})) FROM (SELECT [1, 2] AS a)`,
];
const TABLE_SHAPES: typeof SHAPES = [
  (f, t) => `SELECT * FROM ${f}(${t}) LIMIT 1`,
  (f, t) => `SELECT b FROM ${f}(${t}, 1) LIMIT 1`,
  (f, t) => `SELECT b FROM ${f}((${t}), 1) LIMIT 1`,
  (f, t) => `SELECT b FROM ${f}(${t} || '', 1) LIMIT 1`,
  (f, t) => `SELECT b FROM ${f}(${t}) LIMIT 1`,
  (f, t) => `SELECT b FROM items, ${f}(${t}, 1) LIMIT 1`,
  (f, t) => `WITH ${t} AS t SELECT b FROM ${f}(t, 1) LIMIT 1`,
  (f, t) => `SELECT * FROM ${f}(JSONEachRow, ${t}, '{"a": 1}') LIMIT 1`,
  (f, t) => `SELECT * FROM ${f}('x', ${t}) LIMIT 1`,
  (f, t) => `SELECT * FROM ${f}(1, ${t}) LIMIT 1`,
];

/** A statement with a text somewhere that would show that it was run. */
export function textCase(names: readonly string[], random: Random): string {
  const text = quoted(random.of(TEXTS), random);
  if (random.oneIn(3)) return random.of(TABLE_SHAPES)(random.of(TABLES), text);
  return random.of(SHAPES)(random.of(random.oneIn(3) ? KNOWN : names), text);
}

function quoted(text: string, random: Random): string {
  if (random.oneIn(4)) return `$t$${text}$t$`;
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", random.of(["''", "\\'", '\\x27']))}'`;
}
