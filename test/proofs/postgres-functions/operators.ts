/** Ways by which an operator, an aggregate of a user's or a type's support runs a function. */
import {
  callOf,
  isReal,
  isScalar,
  type Made,
  qualified,
  resultOf,
  type Subject,
  typesOf,
  type Way,
} from './way.ts';

/** An operator on the function, of its one or two arguments. */
function operator(
  subject: Subject,
  arity: 1 | 2,
  use: (symbol: string, values: readonly string[]) => Made,
): Made | undefined {
  const types = typesOf(subject);
  const { called, values, id } = subject;
  if (called.kind !== 'f' || called.variadic || types.length !== arity) return undefined;
  if (types.some(({ typname }) => /^(?:any|record|cstring)$/.test(typname))) return undefined;
  const symbol = symbolOf(id);
  const sides =
    arity === 2
      ? `LEFTARG = ${types[0]?.name}, RIGHTARG = ${types[1]?.name}`
      : `RIGHTARG = ${types[0]?.name}`;
  const create = `CREATE OPERATOR w.${symbol} (${sides}, FUNCTION = ${qualified(subject)})`;
  const made = use(`OPERATOR(w.${symbol})`, values);
  return { ...made, setup: [create, ...(made.setup ?? [])] };
}

const LETTERS = '+*<>=~!@#%^&|';

/** Another one for each number. */
function symbolOf(id: number): string {
  let rest = id;
  let symbol = '';
  do {
    symbol += LETTERS[rest % LETTERS.length];
    rest = Math.floor(rest / LETTERS.length);
  } while (rest > 0);
  return `@@${symbol}@`;
}

function isBoolean(subject: Subject): boolean {
  return resultOf(subject)?.typname === 'bool' && isScalar(subject);
}

/** A user's aggregate; `state` is the function's first argument and its result. */
function stepping(subject: Subject, use: (name: string, values: string) => Made): Made | undefined {
  const [state, ...inputs] = typesOf(subject);
  const { called, values, id } = subject;
  if (!isScalar(subject) || called.variadic || state?.oid !== called.returns) return undefined;
  if (!isReal(state) || inputs.length === 0) return undefined;
  const name = `w.steps_${id}`;
  const made = use(name, values.slice(1).join(', '));
  const create = `CREATE AGGREGATE ${name}(${inputs.map((type) => type.name).join(', ')}) (SFUNC = ${qualified(subject)}, STYPE = ${state.name}, INITCOND = ${initial(values[0])})`;
  return { ...made, setup: [create, ...(made.setup ?? [])] };
}

/** A state to begin with, so that a strict function is run. */
function initial(value = ''): string {
  return /^E?'(?:[^']|'')*'(?=::)/.exec(value)?.[0] ?? "'1'";
}

/** Functions that an aggregate needs besides the one that is tried; each does nothing. */
function keeper(subject: Subject, type: string): string {
  return `CREATE FUNCTION w.keeps_${subject.id}(${type}, ${type}) RETURNS ${type} LANGUAGE sql IMMUTABLE AS 'SELECT coalesce($1, $2)'`;
}

function finishing(subject: Subject, use: (name: string, value: string) => Made, extra = '') {
  const [type] = typesOf(subject);
  const { called, values, id } = subject;
  if (!isScalar(subject) || called.args.length !== 1 || !isReal(type)) return undefined;
  if (!isReal(resultOf(subject)) || called.variadic) return undefined;
  const create = `CREATE AGGREGATE w.ends_${id}(${type.name}) (SFUNC = w.keeps_${id}, STYPE = ${type.name}, FINALFUNC = ${qualified(subject)}${extra.replaceAll('KEEPS', `w.keeps_${id}`).replaceAll('TYPE', type.name).replaceAll('TRIED', qualified(subject))})`;
  const made = use(`w.ends_${id}`, values[0] ?? 'NULL');
  return { ...made, setup: [keeper(subject, type.name), create, ...(made.setup ?? [])] };
}

/** A class of operators for a tree whose comparison is the function. */
function comparing(subject: Subject, use: (parts: Compared) => Made): Made | undefined {
  const [one, other] = typesOf(subject);
  const { called, values, id } = subject;
  if (!isScalar(subject) || called.args.length !== 2 || !isReal(one)) return undefined;
  if (one.oid !== other?.oid || resultOf(subject)?.typname !== 'int4') return undefined;
  const type = one.name;
  const strategies = ['<', '<=', '=', '>=', '>'].map((symbol) => `${symbol}@${symbolOf(id)}`);
  const compares = `CREATE FUNCTION w.compares_${id}(${type}, ${type}) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT true'`;
  const operators = strategies.map(
    (symbol) =>
      `CREATE OPERATOR w.${symbol} (LEFTARG = ${type}, RIGHTARG = ${type}, FUNCTION = w.compares_${id})`,
  );
  const members = strategies.map((symbol, at) => `OPERATOR ${at + 1} w.${symbol}`).join(', ');
  const family = `CREATE OPERATOR CLASS w.class_${id} FOR TYPE ${type} USING btree AS ${members}, FUNCTION 1 ${qualified(subject)}(${type}, ${type})`;
  const made = use({
    type,
    less: `OPERATOR(w.${strategies[0]})`,
    equal: `OPERATOR(w.${strategies[2]})`,
    value: values[0] ?? 'NULL',
    class: `w.class_${id}`,
    id,
  });
  return { ...made, setup: [compares, ...operators, family, ...(made.setup ?? [])] };
}

interface Compared {
  readonly type: string;
  readonly less: string;
  readonly equal: string;
  readonly value: string;
  readonly class: string;
  readonly id: number;
}

export const OPERATORS: Readonly<Record<string, Way>> = {
  'prefix operator': (subject) =>
    operator(subject, 1, (symbol, [value]) => ({ expression: `${symbol} ${value}` })),
  'infix operator': (subject) =>
    operator(subject, 2, (symbol, [left, right]) => ({
      expression: `${left} ${symbol} ${right}`,
    })),
  'operator by path': (subject) =>
    operator(subject, 2, (symbol, [left, right]) => ({
      expression: `${left} ${symbol.slice('OPERATOR(w.'.length, -1)} ${right}`,
    })),
  'operator over any': (subject) =>
    isBoolean(subject)
      ? operator(subject, 2, (symbol, [left, right]) => ({
          expression: `${left} ${symbol} ANY (ARRAY[${right}])`,
        }))
      : undefined,
  'operator over all of a query': (subject) =>
    isBoolean(subject)
      ? operator(subject, 2, (symbol, [left, right]) => ({
          expression: `${left} ${symbol} ALL (SELECT ${right})`,
        }))
      : undefined,
  'operator of rows': (subject) =>
    isBoolean(subject)
      ? operator(subject, 2, (symbol, [left, right]) => ({
          query: `SELECT 1 FROM (VALUES (${left})) a(x) JOIN (VALUES (${right})) b(y) ON a.x ${symbol} b.y`,
        }))
      : undefined,
  'step of an aggregate': (subject) =>
    stepping(subject, (name, values) => ({ expression: `${name}(${values})` })),
  'step over a window': (subject) =>
    stepping(subject, (name, values) => ({
      query: `SELECT ${name}(${values}) OVER (ORDER BY id) FROM items`,
    })),
  'filtered step': (subject) =>
    stepping(subject, (name, values) => ({
      query: `SELECT ${name}(${values}) FILTER (WHERE id > 0) FROM items GROUP BY ROLLUP (id)`,
    })),
  'step of an ordered set': (subject) => {
    const [state, ...inputs] = typesOf(subject);
    const { called, values, id } = subject;
    if (!isScalar(subject) || called.variadic || state?.oid !== called.returns) return undefined;
    if (!isReal(state) || inputs.length !== 1) return undefined;
    return {
      setup: [
        `CREATE AGGREGATE w.sorts_${id}(ORDER BY ${inputs[0]?.name}) (SFUNC = ${qualified(subject)}, STYPE = ${state.name}, INITCOND = ${initial(values[0])})`,
      ],
      query: `SELECT w.sorts_${id}() WITHIN GROUP (ORDER BY ${values[1]})`,
    };
  },
  'end of an aggregate': (subject) =>
    finishing(subject, (name, value) => ({ expression: `${name}(${value})` })),
  'end of a moving aggregate': (subject) =>
    finishing(
      subject,
      (name, value) => ({
        query: `SELECT ${name}(${value}) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM items`,
      }),
      ', MSFUNC = KEEPS, MINVFUNC = KEEPS, MSTYPE = TYPE, MFINALFUNC = TRIED',
    ),
  'order by using': (subject) =>
    comparing(subject, ({ less, value }) => ({
      query: `SELECT x FROM (VALUES (${value}), (${value})) v(x) ORDER BY x USING ${less}`,
    })),
  'operator class of an index': (subject) =>
    comparing(subject, ({ type, equal, value, class: family, id }) => ({
      setup: [
        `CREATE TABLE w.tree_${id} (a ${type})`,
        `CREATE INDEX ON w.tree_${id} (a ${family})`,
      ],
      query: `SELECT count(*) FROM w.tree_${id} WHERE a ${equal} ${value}`,
    })),
  'operator class of a range': (subject) =>
    comparing(subject, ({ type, value, class: family, id }) => ({
      setup: [`CREATE TYPE w.span_${id} AS RANGE (SUBTYPE = ${type}, SUBTYPE_OPCLASS = ${family})`],
      expression: `w.span_${id}(${value}, ${value})`,
    })),
  'difference of a range': (subject) => {
    const [one, other] = typesOf(subject);
    const { called, catalog, values, id } = subject;
    if (!isScalar(subject) || called.args.length !== 2 || !isReal(one)) return undefined;
    if (one.oid !== other?.oid || resultOf(subject)?.typname !== 'float8') return undefined;
    if (!catalog.sortable.has(one.oid)) return undefined;
    const type = `w.differs_${id}`;
    return {
      setup: [
        `CREATE TYPE ${type} AS RANGE (SUBTYPE = ${one.name}, SUBTYPE_DIFF = ${qualified(subject)})`,
        `CREATE TABLE ${type}_rows (r ${type})`,
        `CREATE INDEX ON ${type}_rows USING gist (r)`,
        `INSERT INTO ${type}_rows SELECT ${type}(NULL, NULL) FROM items`,
      ],
      query: `SELECT count(*) FROM ${type}_rows WHERE r && ${type}(${values[0]}, NULL)`,
    };
  },
  'operator on a call': (subject) => {
    const { called } = subject;
    if (!isScalar(subject) || called.args.length === 0) return undefined;
    return { expression: `(${callOf(subject)})::text = 'x'` };
  },
};
