/** The server's types by OID: the usual ones from a table, others asked for once per pool and remembered. */
import type { AskRows } from './ask.ts';
import type { FieldValue, Format, TypeInfo } from './encode.ts';

/** OID, name, format and the OID of the array type. Source: PostgreSQL's pg_type.dat; these never change. */
const BUILT_IN: readonly (readonly [number, string, Format, number])[] = [
  [16, 'boolean', 'boolean', 1000],
  [17, 'bytea', 'bytes', 1001],
  [18, '"char"', 'text', 1002],
  [19, 'name', 'text', 1003],
  [20, 'bigint', 'bigint', 1016],
  [21, 'smallint', 'integer', 1005],
  [23, 'integer', 'integer', 1007],
  [25, 'text', 'text', 1009],
  [26, 'oid', 'integer', 1028],
  [27, 'tid', 'text', 1010],
  [28, 'xid', 'integer', 1011],
  [29, 'cid', 'integer', 1012],
  [114, 'json', 'json', 199],
  [650, 'cidr', 'text', 651],
  [700, 'real', 'float', 1021],
  [701, 'double precision', 'float', 1022],
  [705, 'unknown', 'text', 0],
  [790, 'money', 'text', 791],
  [829, 'macaddr', 'bare', 1040],
  [869, 'inet', 'text', 1041],
  [1042, 'character', 'text', 1014],
  [1043, 'character varying', 'text', 1015],
  [1082, 'date', 'bare', 1182],
  [1083, 'time without time zone', 'bare', 1183],
  [1114, 'timestamp without time zone', 'timestamp', 1115],
  [1184, 'timestamp with time zone', 'timestamptz', 1185],
  [1186, 'interval', 'text', 1187],
  [1266, 'time with time zone', 'bare', 1270],
  [1560, 'bit', 'bare', 1561],
  [1562, 'bit varying', 'bare', 1563],
  [1700, 'numeric', 'bare', 1231],
  [2249, 'record', 'text', 2287],
  [2278, 'void', 'text', 0],
  [2950, 'uuid', 'bare', 2951],
  [3802, 'jsonb', 'json', 3807],
  [5069, 'xid8', 'bigint', 271],
];

/** Types of the array category whose text has no braces. */
const VECTORS = new Set([22, 30]);

const known = new Map<number, TypeInfo>();
for (const [oid, name, format, arrayOid] of BUILT_IN) {
  const type: TypeInfo = { name, format };
  known.set(oid, type);
  if (arrayOid > 0) {
    known.set(arrayOid, { name: `${name}[]`, format: 'text', element: { type, delimiter: ',' } });
  }
}

const LOOKUP = `SELECT t.oid, pg_catalog.format_type(t.oid, NULL), t.typbasetype,
  CASE WHEN t.typcategory = 'A' AND t.typlen = -1 THEN t.typelem ELSE 0 END, e.typdelim
FROM pg_catalog.pg_type t LEFT JOIN pg_catalog.pg_type e ON e.oid = t.typelem
WHERE t.oid = ANY ($1::pg_catalog.oid[])`;

interface Described {
  readonly name: string;
  readonly base: number;
  readonly element: number;
  readonly delimiter: string;
}

/** Types of one pool's database. A type that is changed keeps its OID, so nothing remembered grows wrong but a name. */
export class TypeRegistry {
  readonly #learned = new Map<number, TypeInfo>();

  /** Undefined when the server has to be asked. */
  get(oid: number): TypeInfo | undefined {
    return known.get(oid) ?? this.#learned.get(oid);
  }

  /** Whether each of these is known. */
  knows(oids: readonly number[]): boolean {
    return oids.every((oid) => this.get(oid) !== undefined);
  }

  /** Asks the server for those that are not known, with their elements and base types. */
  async learn(oids: readonly number[], ask: AskRows): Promise<void> {
    const described = new Map<number, Described>();
    let missing = oids.filter((oid) => this.get(oid) === undefined);
    while (missing.length > 0) {
      for (const row of await ask({ text: LOOKUP, values: [`{${missing.join(',')}}`] })) {
        described.set(Number(row[0]), fromRow(row));
      }
      // An OID that is gone meanwhile is shown as text.
      for (const oid of missing) if (!described.has(oid)) described.set(oid, GONE);
      missing = [...described.values()]
        .flatMap(({ base, element }) => [base, element])
        .filter((oid) => oid > 0 && this.get(oid) === undefined && !described.has(oid));
    }
    for (const oid of described.keys()) this.#settle(oid, described);
  }

  #settle(oid: number, described: ReadonlyMap<number, Described>): TypeInfo {
    const found = this.get(oid);
    if (found) return found;
    const { name, base, element, delimiter } = described.get(oid) ?? GONE;
    const type: TypeInfo =
      base > 0
        ? { ...this.#settle(base, described), name }
        : element > 0 && !VECTORS.has(oid)
          ? { name, format: 'text', element: { type: this.#settle(element, described), delimiter } }
          : { name, format: 'text' };
    this.#learned.set(oid, type);
    return type;
  }
}

const GONE: Described = { name: 'unknown', base: 0, element: 0, delimiter: ',' };

function fromRow([, name, base, element, delimiter]: readonly FieldValue[]): Described {
  return {
    name: name ?? 'unknown',
    base: Number(base),
    element: Number(element),
    delimiter: delimiter ?? ',',
  };
}
