/** Arguments for functions: such that a call really does something. */
import type { Choices } from '../random.ts';
import type { Catalog, ServerFunction, ServerType } from './catalog.ts';
import type { World } from './world.ts';

/** Literals by the name of a type; several to choose from. */
const LITERALS: Readonly<Record<string, readonly string[]>> = {
  bool: ['true', 'false'],
  int2: ['1', '2'],
  int4: ['1', '2', '7', '42'],
  int8: ['1', '777', '42'],
  float4: ['0.5', '1'],
  float8: ['0.5', '0.001'],
  numeric: ['1.5', '2'],
  money: ['1.50'],
  char: ['i'],
  bytea: ['\\x6162'],
  json: ['{"a": [1, 2]}', '"x"', '[1]'],
  jsonb: ['{"a": [1, 2]}', '"x"', '[1]'],
  jsonpath: ['$.a', '$.a[*]'],
  xml: ['<a b="1">x</a>'],
  date: ['2024-02-03'],
  time: ['04:05'],
  timetz: ['04:05+00'],
  timestamp: ['2024-02-03 04:05'],
  timestamptz: ['2024-02-03 04:05+00'],
  interval: ['1 millisecond'],
  inet: ['10.0.0.1'],
  cidr: ['10.0.0.0/8'],
  macaddr: ['08:00:2b:01:02:03'],
  macaddr8: ['08:00:2b:01:02:03:04:05'],
  bit: ['1'],
  varbit: ['101'],
  uuid: ['0c5a7a52-6d1b-4b43-9d55-1f0f2f9f4c11'],
  tsvector: ['a b'],
  tsquery: ['a & b', 'a'],
  point: ['(1,2)'],
  line: ['{1,2,3}'],
  lseg: ['[(1,2),(3,4)]'],
  box: ['(1,2),(3,4)'],
  path: ['[(1,2),(3,4)]'],
  polygon: ['((1,2),(3,4),(5,1))'],
  circle: ['<(1,2),3>'],
  pg_lsn: ['0/1000000'],
  pg_snapshot: ['10:20:'],
  txid_snapshot: ['10:20:'],
  xid: ['100'],
  xid8: ['700'],
  cid: ['0'],
  tid: ['(0,1)'],
  oidvector: ['1 2'],
  int2vector: ['1 2'],
  refcursor: ['c'],
  aclitem: ['postgres=r/postgres'],
  regproc: ['now'],
  regprocedure: ['now()'],
  regoper: ['||/'],
  regoperator: ['+(integer,integer)'],
  regtype: ['text', 'integer'],
  regrole: ['postgres', 'plain'],
  regnamespace: ['public'],
  regconfig: ['simple'],
  regdictionary: ['simple'],
  regcollation: ['"C"'],
  regdatabase: ['postgres'],
  citext: ['x'],
  hstore: ['a=>1'],
  ltree: ['a.b'],
  lquery: ['a.*'],
  ltxtquery: ['a'],
  cube: ['(1,2)'],
  seg: ['1..2'],
  earth: ['(6378168,0,0)'],
  query_int: ['1&2'],
  ean13: ['978-0-393-04002-9'],
  isbn: ['0-393-04002-X'],
  isbn13: ['978-0-393-04002-9'],
  ismn: ['M-2306-7118-7'],
  issn: ['1436-4522'],
  upc: ['0-36000-29145-2'],
  cstring: ['x', '1'],
};

/** Concrete values for types that stand for any. */
const ANY: Readonly<Record<string, string>> = {
  any: "'x'::text",
  anyelement: "'x'::text",
  anynonarray: "'x'::text",
  anycompatible: "'x'::text",
  anycompatiblenonarray: "'x'::text",
  anyarray: "ARRAY['x', 'y']::text[]",
  anycompatiblearray: "ARRAY['x', 'y']::text[]",
  anyenum: "'red'::public.color",
  anyrange: "'[1,5)'::int4range",
  anycompatiblerange: "'[a,b)'::public.textrange",
  anymultirange: "'{[1,5)}'::int4multirange",
  anycompatiblemultirange: "'{[a,b)}'::public.textmultirange",
  record: 'ROW(1, 2)',
};

/** Makes values of any type of a server. */
export class Values {
  readonly #catalog: Catalog;
  readonly #world: World;

  constructor(catalog: Catalog, world: World) {
    this.#catalog = catalog;
    this.#world = world;
  }

  /** One expression for each argument; undefined when SQL cannot make one of them. */
  of(called: ServerFunction, choices: Choices): readonly string[] | undefined {
    const special = choices.pickAny(this.#world.callsOf(called.name)) ?? [];
    const values = called.args.map((oid, at) => this.one(oid, choices, called.name, special[at]));
    return values.every((value) => value !== undefined) ? values : undefined;
  }

  /** An expression of that type. */
  one(oid: number, choices: Choices, caller = '', special?: string): string | undefined {
    const type = this.#catalog.types.get(oid);
    if (!type) return undefined;
    if (special !== undefined) return `${quoted(special)}::${type.name}`;
    if (type.typtype === 'p') {
      const any = ANY[type.typname];
      return type.typname === 'cstring' ? "'x'::cstring" : any;
    }
    const text = this.#world.textOf(type.typname, caller, choices);
    if (text !== undefined) return `${quoted(text)}::${type.name}`;
    return this.#made(type, choices);
  }

  #made(type: ServerType, choices: Choices): string {
    const literal = choices.pickAny(LITERALS[type.typname] ?? []);
    if (literal !== undefined) return `${quoted(literal)}::${type.name}`;
    if (type.label !== null) return `${quoted(type.label)}::${type.name}`;
    if (type.element > 0) return `ARRAY[${this.one(type.element, choices)}]::${type.name}`;
    if (type.typtype === 'r') return `'empty'::${type.name}`;
    if (type.typtype === 'm') return `'{}'::${type.name}`;
    if (type.typtype === 'd') return `(${this.one(type.base, choices)})::${type.name}`;
    return `NULL::${type.name}`;
  }
}

/** A text as an SQL literal. */
function quoted(text: string): string {
  const literal = `'${text.replaceAll("'", "''").replaceAll('\\', '\\\\')}'`;
  return literal.includes('\\') ? `E${literal}` : literal;
}

/** A name as an SQL identifier. */
export function named(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
