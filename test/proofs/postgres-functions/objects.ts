/** How objects run a function that no statement names: views, policies, defaults, domains, ranges. */
import { named } from './values.ts';
import {
  callOf,
  isReal,
  isScalar,
  type Made,
  resultOf,
  type Subject,
  signature,
  typesOf,
  type Way,
} from './way.ts';

/** A column of the call's own type, or of text where there can be none of it. */
function column(subject: Subject): string {
  return isReal(resultOf(subject)) ? callOf(subject) : `(${callOf(subject)})::text`;
}

/** `f(VALUE, …)`: the first argument is what is checked. */
function checking(subject: Subject): string {
  return `(${callOf(subject, ['VALUE', ...subject.values.slice(1)])}) IS NOT NULL`;
}

/** A domain over the first argument's type whose check runs the function. */
function domain(subject: Subject, use: (name: string, value: string) => Made): Made | undefined {
  const [type] = typesOf(subject);
  const { called, values, id } = subject;
  if (called.kind !== 'f' || called.returnsSet || called.variadic || !isReal(type))
    return undefined;
  const name = `w.domain_${id}`;
  const made = use(name, values[0] ?? 'NULL');
  const check = `CREATE DOMAIN ${name} AS ${type.name} CHECK (${checking(subject)})`;
  return { ...made, setup: [check, ...(made.setup ?? [])] };
}

/** The text of a literal, for input by way of another type. */
function bare(value: string): string {
  return /^E?'((?:[^']|'')*)'::/.exec(value)?.[1] ?? '1';
}

/** Types that catalogs use: a cast between two of them would run in every query of the catalogs, here too. */
const CATALOG_TYPES =
  /^(?:text|name|oid|oidvector|bool|char|json|int\d|reg\w+|xid8?|timestamptz|pg_lsn)$/;

/** A cast where there is none. */
function cast(subject: Subject, context: string, use: (value: string, name: string) => Made) {
  const { called, catalog, values } = subject;
  const [source] = typesOf(subject);
  const target = resultOf(subject);
  if (!isScalar(subject) || called.variadic || called.args.length !== 1) return undefined;
  if (!isReal(source) || !isReal(target) || source.oid === target.oid) return undefined;
  if (source.typtype === 'd' || target.typtype === 'd') return undefined;
  if (catalog.casts.has(`${source.oid}>${target.oid}`)) return undefined;
  if (CATALOG_TYPES.test(source.typname) && CATALOG_TYPES.test(target.typname)) return undefined;
  const made = use(values[0] ?? 'NULL', target.name);
  const create = `CREATE CAST (${source.name} AS ${target.name}) WITH FUNCTION ${signature(subject)}${context}`;
  return { ...made, setup: [create, ...(made.setup ?? [])] };
}

function view(subject: Subject, use: (name: string) => Made): Made | undefined {
  const { called, id } = subject;
  if (called.kind !== 'f' || called.variadic) return undefined;
  const made = use(`w.view_${id}`);
  const create = `CREATE VIEW w.view_${id} AS SELECT ${column(subject)} AS c`;
  return { ...made, setup: [create, ...(made.setup ?? [])] };
}

/** A function with the call as default of its argument. */
function withDefault(subject: Subject, use: (name: string) => string): Made | undefined {
  const result = resultOf(subject);
  if (!isScalar(subject) || subject.called.variadic || !isReal(result)) return undefined;
  const name = `w.default_${subject.id}`;
  const create = `CREATE FUNCTION ${name}(a int, b ${result.name} DEFAULT ${callOf(subject)}) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1'`;
  return { setup: [create], expression: use(name) };
}

/** A user's function that only calls; VOLATILE by default. */
function wrapper(subject: Subject, body: (call: string) => string): Made | undefined {
  const { called, id } = subject;
  if (called.kind !== 'f' || called.variadic || resultOf(subject)?.typname === 'void')
    return undefined;
  const create = `CREATE FUNCTION w.wrapper_${id}() RETURNS text LANGUAGE sql ${body(`(${callOf(subject)})::text`)}`;
  return { setup: [create], expression: `w.wrapper_${id}()` };
}

function generated(subject: Subject, kind: string): Made | undefined {
  const [type] = typesOf(subject);
  const { called, values, id, version } = subject;
  const result = resultOf(subject);
  if (!isScalar(subject) || called.variadic || !isReal(type) || !isReal(result)) return undefined;
  if (kind === 'VIRTUAL' && version < 180_000) return undefined;
  const call = callOf(subject, ['a', ...values.slice(1)]);
  return {
    setup: [
      `CREATE TABLE w.generated_${id} (a ${type.name}, b ${result.name} GENERATED ALWAYS AS (${call}) ${kind})`,
      `INSERT INTO w.generated_${id} (a) VALUES (${values[0]})`,
    ],
    query: `SELECT * FROM w.generated_${id}`,
  };
}

export const OBJECTS: Readonly<Record<string, Way>> = {
  view: (subject) => view(subject, (name) => ({ query: `SELECT * FROM ${name}` })),
  'view over a view': (subject) =>
    view(subject, (name) => ({
      setup: [`CREATE VIEW ${name}_over AS SELECT c IS NULL AS n FROM ${name}`],
      query: `TABLE ${name}_over`,
    })),
  'view behind security': (subject) =>
    view(subject, (name) => ({
      setup: [`ALTER VIEW ${name} SET (security_barrier, security_invoker)`],
      query: `SELECT count(c) FROM ${name}`,
    })),
  'row type of a view': (subject) =>
    view(subject, (name) => ({ query: `SELECT v FROM ${name} AS v` })),
  rule: ({ version, ...subject }) => {
    const result = resultOf({ ...subject, version });
    if (version >= 160_000 || !isScalar({ ...subject, version }) || !isReal(result))
      return undefined;
    const name = `w.ruled_${subject.id}`;
    return {
      setup: [
        `CREATE TABLE ${name} (c ${result.name})`,
        `CREATE RULE "_RETURN" AS ON SELECT TO ${name} DO INSTEAD SELECT ${callOf({ ...subject, version })} AS c`,
      ],
      query: `SELECT * FROM ${name}`,
    };
  },
  policy: (subject) => {
    if (!isScalar(subject) || subject.called.variadic) return undefined;
    const name = `w.guarded_${subject.id}`;
    return {
      setup: [
        `CREATE TABLE ${name} AS SELECT 1 AS id`,
        `ALTER TABLE ${name} ENABLE ROW LEVEL SECURITY`,
        `CREATE POLICY p ON ${name} USING ((${callOf(subject)}) IS NOT NULL)`,
        `GRANT SELECT ON ${name} TO plain`,
      ],
      query: `SELECT * FROM ${name}`,
    };
  },
  'default of an argument': (subject) => withDefault(subject, (name) => `${name}(1)`),
  'default of a named argument': (subject) => withDefault(subject, (name) => `${name}(a => 1)`),
  'default by attribute': (subject) =>
    withDefault(subject, (name) => `(1).${named(name.slice('w.'.length))}`),
  'body of a function': (subject) => wrapper(subject, (call) => `AS ${literal(`SELECT ${call}`)}`),
  'parsed body of a function': (subject) =>
    wrapper(subject, (call) => `BEGIN ATOMIC SELECT ${call}; END`),
  'generated column': (subject) => generated(subject, 'STORED'),
  'virtual column': (subject) => generated(subject, 'VIRTUAL'),
  'index expression': (subject) => indexed(subject, (call) => `((${call}))`),
  'index predicate': (subject) => indexed(subject, (call) => `(id) WHERE (${call}) IS NOT NULL`),
  'domain by cast': (subject) =>
    domain(subject, (name, value) => ({ expression: `(${value})::${name}` })),
  'domain by literal': (subject) =>
    domain(subject, (name, value) => ({ expression: `${name} '${bare(value)}'` })),
  'domain by attribute': (subject) =>
    domain(subject, (name, value) => ({
      expression: `(${value}).${named(name.slice('w.'.length))}`,
    })),
  'domain by text': (subject) =>
    domain(subject, (name, value) => ({ expression: `('${bare(value)}'::text)::${name}` })),
  'domain over a domain': (subject) =>
    domain(subject, (name, value) => ({
      setup: [`CREATE DOMAIN ${name}_over AS ${name}`],
      expression: `CAST(${value} AS ${name}_over)`,
    })),
  'array of a domain': (subject) =>
    domain(subject, (name, value) => ({ expression: `ARRAY[${value}]::${name}[]` })),
  'array of a domain by text': (subject) =>
    domain(subject, (name, value) => ({ expression: `'{"${bare(value)}"}'::${name}[]` })),
  'row with a domain': (subject) =>
    domain(subject, (name, value) => ({
      setup: [`CREATE TYPE ${name}_row AS (d ${name})`],
      expression: `ROW(${value})::${name}_row`,
    })),
  'row with a domain by text': (subject) =>
    domain(subject, (name, value) => ({
      setup: [`CREATE TYPE ${name}_row AS (d ${name})`],
      expression: `'("${bare(value)}")'::${name}_row`,
    })),
  'domain for an argument': (subject) =>
    domain(subject, (name, value) => ({
      setup: [
        `CREATE FUNCTION w.takes_${subject.id}(${name}) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 1'`,
      ],
      expression: `w.takes_${subject.id}(${value})`,
    })),
  'range over a domain': (subject) =>
    domain(subject, (name, value) => ({
      setup: [
        `CREATE TYPE ${name}_range AS RANGE (SUBTYPE = ${name}, MULTIRANGE_TYPE_NAME = ${name}_ranges)`,
      ],
      expression: `'["${bare(value)}","${bare(value)}"]'::${name}_range`,
    })),
  'multirange over a domain': (subject) =>
    domain(subject, (name, value) => ({
      setup: [
        `CREATE TYPE ${name}_range AS RANGE (SUBTYPE = ${name}, MULTIRANGE_TYPE_NAME = ${name}_ranges)`,
      ],
      expression: `'{["${bare(value)}","${bare(value)}"]}'::${name}_ranges`,
    })),
  'domain from JSON': (subject) =>
    domain(subject, (name, value) => ({
      query: `SELECT * FROM json_to_record(json_build_object('d', ${value})) AS r(d ${name})`,
    })),
  'domain from JSON into a row': (subject) =>
    domain(subject, (name, value) => ({
      setup: [`CREATE TYPE ${name}_row AS (d ${name})`],
      expression: `jsonb_populate_record(NULL::${name}_row, jsonb_build_object('d', ${value}))`,
    })),
  'domain from XML': (subject) =>
    domain(subject, (name, value) => ({
      query: `SELECT * FROM xmltable('/a' PASSING '<a/>'::xml COLUMNS d ${name} PATH 'b' DEFAULT ${value})`,
    })),
  'domain from a path': (subject) =>
    subject.version < 170_000
      ? undefined
      : domain(subject, (name, value) => ({
          expression: `json_value(jsonb_build_object('d', ${value}), '$.d' RETURNING ${name})`,
        })),
  'domain from a table of JSON': (subject) =>
    subject.version < 170_000
      ? undefined
      : domain(subject, (name, value) => ({
          query: `SELECT * FROM json_table(jsonb_build_object('d', ${value}), '$' COLUMNS (d ${name} PATH '$.d')) j`,
        })),
  'domain in a column': (subject) =>
    domain(subject, (name) => ({
      setup: [`CREATE TABLE ${name}_table (d ${name})`],
      query: `SELECT coalesce(d, NULL)::${name} FROM ${name}_table`,
    })),
  'explicit cast': (subject) =>
    cast(subject, '', (value, target) => ({ expression: `CAST(${value} AS ${target})` })),
  'cast as a function': (subject) =>
    cast(subject, '', (value, target) => ({ expression: `(${value})::${target}` })),
  'implied cast': (subject) =>
    cast(subject, ' AS IMPLICIT', (value, target) => ({
      setup: [
        `CREATE FUNCTION w.wants_${subject.id}(${target}) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 1'`,
      ],
      expression: `w.wants_${subject.id}(${value})`,
    })),
  'implied cast of a union': (subject) =>
    cast(subject, ' AS IMPLICIT', (value, target) => ({
      query: `SELECT NULL::${target} AS a UNION ALL SELECT ${value}`,
    })),
  'cast of an array': (subject) =>
    cast(subject, '', (value, target) => ({ expression: `ARRAY[${value}]::${target}[]` })),
  'cast behind a domain': (subject) =>
    cast(subject, '', (value, target) => ({
      setup: [`CREATE DOMAIN w.over_${subject.id} AS ${target}`],
      expression: `(${value})::w.over_${subject.id}`,
    })),
};

function indexed(subject: Subject, on: (call: string) => string): Made | undefined {
  const [type] = typesOf(subject);
  const { called, values, id } = subject;
  if (!isScalar(subject) || called.variadic || !isReal(type) || called.volatility !== 'i')
    return undefined;
  const call = callOf(subject, ['a', ...values.slice(1)]);
  return {
    setup: [
      `CREATE TABLE w.indexed_${id} (id int, a ${type.name})`,
      `INSERT INTO w.indexed_${id} VALUES (1, ${values[0]})`,
      `CREATE INDEX ON w.indexed_${id} ${on(call)}`,
    ],
    query: `SELECT count(*) FROM w.indexed_${id} WHERE (${call}) IS NOT NULL`,
  };
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
