/** The engine's functions, and which of them a read may call, said apart from the driver's own table. */
import type { Engine } from './engine.ts';

/** A function of the engine's, or none. */
export interface Subject {
  readonly name: string;
  readonly anyCase: boolean;
  readonly harmless: boolean;
}

/** They read files, call others, count up, write logs or tell of the server's own program. */
const HARMFUL =
  /^(?:file|ai[a-z]+|catboostEvaluate|logTrace|demangle|addressTo\w+|generateSerialID|hasColumnInTable|getClientHTTPHeader|flameGraph|aggThrow|chdb|__\w+)$/i;
/** What no server has, as a function of a user's or of a later version. */
const UNKNOWN = ['notYetKnown', 'my_udf', 'sumNotYet', 'fileX', 'urlNotYet'];
/** They run a text, which is another matter; or sleep. */
const APART = /^(?:arrayReduce\w*|initializeAggregation|format|sleep\w*)$/i;
/** Of those that the server lets read-only users call, these leave it or run a text. */
const LEAVING_TABLES = new Set(['cluster', 'clusterAllReplicas', 'eval', 'input']);

/** All ordinary and aggregate functions, some with combinators, and some that are none. */
export async function functionsOf(engine: Engine): Promise<Subject[]> {
  const rows = await engine.lines(
    'SELECT name, case_insensitive, is_aggregate FROM system.functions ORDER BY name',
  );
  const combinators = (
    await engine.lines(
      'SELECT name FROM system.aggregate_function_combinators WHERE NOT is_internal',
    )
  ).map(([name]) => name ?? '');
  const found: Subject[] = [];
  for (const [at, [name = '', anyCase, isAggregate]] of rows.entries()) {
    if (APART.test(name)) continue;
    const harmless = !HARMFUL.test(name);
    found.push({ name, anyCase: anyCase === '1', harmless });
    if (isAggregate !== '1') continue;
    const ending = combinators[at % combinators.length] ?? '';
    found.push({ name: name + ending, anyCase: false, harmless });
  }
  return [...found, ...UNKNOWN.map((name) => ({ name, anyCase: false, harmless: false }))];
}

/** Table functions that leave the server, run texts, or are none. */
export async function leavingTables(engine: Engine): Promise<Subject[]> {
  const rows = await engine.lines(
    'SELECT name, allow_readonly FROM system.table_functions ORDER BY name',
  );
  const names = rows
    .filter(([name = '', allowed]) => allowed !== '1' || LEAVING_TABLES.has(name))
    .map(([name = '']) => name)
    .filter((name) => !REFUSED_BY_SERVER.test(name));
  return [...names, ...UNKNOWN].map((name) => ({ name, anyCase: false, harmless: false }));
}

/** Only reading memory or tables of the server's, but refused by it under `readonly = 1`. */
const REFUSED_BY_SERVER = /^(?:format|loop|zeros\w*|numbers_mt|timeSeries\w+)$/;

/** Table functions that stay, with arguments that end. */
export const STAYING_TABLES: readonly (readonly [name: string, argument: string])[] = [
  ['numbers', '3'],
  ['numbers_mt', '3'],
  ['values', "'a UInt8, b Array(Nullable(String))', (1, ['x'])"],
  ['values', "1, 'DEFAULT file()'"],
  ['view', 'SELECT 1'],
  ['viewIfPermitted', "SELECT 1 ELSE null('a UInt8')"],
  ['null', "'a UInt8'"],
  ['merge', "currentDatabase(), 'items'"],
  ['generateSeries', '1, 3'],
  ['generate_series', '1, 3'],
  ['primes', '3'],
];
