/** Ways to write a call: by name in every quoting, as an attribute, as a table, as an aggregate. */

import { named } from './values.ts';
import {
  callOf,
  isInPath,
  isReal,
  isScalar,
  qualified,
  type Subject,
  typesOf,
  type Way,
} from './way.ts';

/** Aggregates and window functions have a notation of their own, procedures none on a read. */
function isFunction({ called }: Subject): boolean {
  return called.kind === 'f';
}

/** The name with one letter as its code point. */
function escaped(name: string): string {
  const [first = ''] = name;
  const code = (first.codePointAt(0) ?? 0).toString(16).padStart(4, '0');
  return `U&"\\${code}${name.slice(1).replaceAll('"', '""')}"`;
}

function directly(subject: Subject, name: string): { expression: string } {
  return { expression: `${name}(${subject.values.join(', ')})` };
}

/** One value, and defaults for what may follow. */
function takesOne({ called }: Subject): boolean {
  return called.args.length > 0 && called.args.length - called.defaults <= 1;
}

export const NOTATIONS: Readonly<Record<string, Way>> = {
  call: (subject) => (isFunction(subject) ? { expression: callOf(subject) } : undefined),
  'quoted name': (subject) =>
    isFunction(subject) && isInPath(subject)
      ? directly(subject, named(subject.called.name))
      : undefined,
  'escaped name': (subject) =>
    isFunction(subject) && isInPath(subject)
      ? directly(subject, escaped(subject.called.name))
      : undefined,
  'bare name': (subject) =>
    isFunction(subject) && isInPath(subject) && /^[a-z_]+$/.test(subject.called.name)
      ? directly(subject, subject.called.name)
      : undefined,
  'named arguments': (subject) => {
    const { called, values } = subject;
    if (!isFunction(subject) || values.length === 0 || called.variadic) return undefined;
    if (values.some((_, at) => !called.names[at])) return undefined;
    const given = values.map((value, at) => `${named(called.names[at] ?? '')} => ${value}`);
    return { expression: `${qualified(subject)}(${given.join(', ')})` };
  },
  'variadic array': (subject) => {
    const { called, values } = subject;
    if (!isFunction(subject) || !called.variadic || typesOf(subject).at(-1)?.typname === 'any')
      return undefined;
    const given = [...values.slice(0, -1), `VARIADIC ${values.at(-1)}`];
    return { expression: `${qualified(subject)}(${given.join(', ')})` };
  },
  'variadic values': (subject) => {
    const { called, values } = subject;
    if (!isFunction(subject) || !called.variadic) return undefined;
    const last = `(${values.at(-1)})[1]`;
    const given =
      typesOf(subject).at(-1)?.typname === 'any' ? values : [...values.slice(0, -1), last, last];
    return { expression: `${qualified(subject)}(${given.join(', ')})` };
  },
  'fewer arguments': (subject) => {
    const { called, values } = subject;
    if (!isFunction(subject) || called.defaults === 0 || called.variadic) return undefined;
    return { expression: callOf(subject, values.slice(0, values.length - called.defaults)) };
  },
  'attribute of a value': (subject) =>
    isFunction(subject) && isInPath(subject) && takesOne(subject)
      ? { expression: `(${subject.values[0]}).${named(subject.called.name)}` }
      : undefined,
  'attribute of a column': (subject) => {
    const [type] = typesOf(subject);
    if (!isFunction(subject) || !isInPath(subject) || !takesOne(subject)) return undefined;
    if (!isReal(type) || type.array === 0) return undefined;
    const { called, values } = subject;
    return {
      query: `SELECT x.${named(called.name)} FROM unnest(ARRAY[${values[0]}]) AS x`,
    };
  },
  'attribute of a row': (subject) => {
    const [type] = typesOf(subject);
    if (!isFunction(subject) || !isInPath(subject) || !takesOne(subject)) return undefined;
    if (!/^(?:record|any|anyelement|anynonarray)$/.test(type?.typname ?? '')) return undefined;
    return { query: `SELECT items.${named(subject.called.name)} FROM items` };
  },
  'attribute of an attribute': (subject) =>
    isFunction(subject) && isInPath(subject) && takesOne(subject) && isReal(typesOf(subject)[0])
      ? {
          setup: [`CREATE TYPE w.holder_${subject.id} AS (held ${typesOf(subject)[0]?.name})`],
          expression: `((ROW(${subject.values[0]})::w.holder_${subject.id}).held).${named(subject.called.name)}`,
        }
      : undefined,
  table: (subject) => tableOf(subject, (call) => call),
  'rows from': (subject) => tableOf(subject, (call) => `ROWS FROM (${call}, now())`),
  lateral: (subject) =>
    tableOf(subject, (call) => `(VALUES (1)) AS q (i) CROSS JOIN LATERAL ${call}`),
  'with ordinality': (subject) => tableOf(subject, (call) => `${call} WITH ORDINALITY`),
  aggregate: (subject) => {
    const { called } = subject;
    if (called.kind !== 'a') return undefined;
    return { expression: aggregateOf(subject, called.aggregate === 'n' ? '' : 'WITHIN GROUP') };
  },
  'filtered aggregate': (subject) =>
    subject.called.kind === 'a'
      ? { expression: `${aggregateOf(subject, 'group')} FILTER (WHERE true)` }
      : undefined,
  window: (subject) =>
    subject.called.kind === 'w' || subject.called.aggregate === 'n'
      ? { expression: `${callOf(subject)} OVER ()` }
      : undefined,
  parameters: (subject) => {
    const types = typesOf(subject);
    if (!isFunction(subject) || subject.called.variadic || !types.every(isReal)) return undefined;
    const texts = subject.values.map(textOf);
    if (types.length === 0 || texts.some((text) => text === undefined)) return undefined;
    const marks = types.map(({ name }, at) => `$${at + 1}::${name}`);
    const params = texts.flatMap((text) => text ?? []);
    const one = isInPath(subject) && takesOne(subject) && params.length === 1;
    return one && subject.choices.chance(0.5)
      ? { query: `SELECT (${marks[0]}).${named(subject.called.name)}`, params }
      : { query: `SELECT ${callOf(subject, marks)}`, params };
  },
};

function tableOf(subject: Subject, around: (call: string) => string) {
  const { called, catalog } = subject;
  if (!isFunction(subject)) return undefined;
  const isRecord = catalog.types.get(called.returns)?.typname === 'record' && !called.hasOut;
  // The list of a record's columns belongs to one call.
  const given = isRecord ? `ROWS FROM (${callOf(subject)} AS (a text))` : callOf(subject);
  if (isRecord && !isScalar(subject) && around(given).includes('ROWS FROM (ROWS')) return undefined;
  return { query: `SELECT * FROM ${around(given)}` };
}

function aggregateOf(subject: Subject, how: string): string {
  const { called, values } = subject;
  if (how === '' || called.aggregate === 'n') return callOf(subject);
  const direct = values.slice(0, called.direct).join(', ');
  const sorted = values.slice(called.direct);
  return `${qualified(subject)}(${direct}) WITHIN GROUP (ORDER BY ${sorted.join(', ') || '1'})`;
}

/** Of a literal with a cast. */
function textOf(value: string): string | undefined {
  const [, inside] = /^'((?:[^'\\]|'')*)'::[^']*$/.exec(value) ?? [];
  return inside?.replaceAll("''", "'");
}
