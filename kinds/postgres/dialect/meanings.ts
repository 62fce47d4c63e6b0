/** What names of a statement mean on a connection, for `config.allow`. keys-and-doors.md §4. */

import type { TableName } from '../../allow.ts';
import { textArray } from './array-text.ts';
import type { Inquirer } from './inquirer.ts';
import type { NamedRelation } from './named-kinds.ts';
import type { QualifiedName } from './tree.ts';

/** A type as a statement names it. */
export type NamedType = QualifiedName;

/** What names mean on a connection. */
export interface Meanings {
  /** Where the connection makes what has no schema. */
  readonly home: string;
  /** Schemas along the search path that have a relation of that name. */
  readonly schemasOf: ReadonlyMap<string, readonly string[]>;
  /** Functions that the server itself has. */
  readonly serverOwn: ReadonlySet<string>;
  /** Types whose values are arrays of a relation's rows. */
  readonly rowArrays: readonly RowArray[];
}

/** The array type that the server makes with each relation: it shows the relation's columns. */
interface RowArray extends TableName {
  /** The relation. */
  readonly of: TableName;
}

/** What is looked up. */
interface AskedNames {
  readonly relations: readonly NamedRelation[];
  readonly functions: readonly QualifiedName[];
  readonly types: readonly NamedType[];
}

/**
 * $1 names of relations, $2 of functions, $3 of types. Rows: the default schema (`h`), relations of those names along
 * the search path (`r`), functions of the server's own (`f`), array types of rows (`t`), in whichever schema.
 */
const MEANINGS = `WITH seen AS MATERIALIZED (SELECT n.oid, n.nspname, s.at
  FROM unnest(current_setting('causeway.schemas')::name[]) WITH ORDINALITY AS s(name, at) JOIN pg_namespace n ON n.nspname = s.name)
SELECT 'h', (SELECT nspname FROM seen WHERE nspname <> 'pg_catalog' AND nspname !~ '^pg_temp' ORDER BY at LIMIT 1), '', '', ''
UNION ALL SELECT 'r', c.relname, seen.nspname, '', '' FROM seen JOIN pg_class c ON c.relnamespace = seen.oid WHERE c.relname = ANY ($1::name[])
UNION ALL SELECT DISTINCT 'f', p.proname, '', '', '' FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
  WHERE n.nspname = 'pg_catalog' AND p.proname = ANY ($2::name[])
UNION ALL SELECT 't', t.typname, tn.nspname, cn.nspname, c.relname FROM pg_type t JOIN pg_namespace tn ON tn.oid = t.typnamespace
  JOIN pg_type e ON e.oid = t.typelem JOIN pg_class c ON c.oid = e.typrelid JOIN pg_namespace cn ON cn.oid = c.relnamespace
  WHERE t.typname = ANY ($3::name[])`;

/** Whether a name may be that of an array type of rows. Source: PostgreSQL's makeArrayTypeName. */
export function mayBeRows({ name }: NamedType): boolean {
  return name.startsWith('_');
}

/** Looks names up, along the search path of the connection. */
export async function meaningsOf(
  { relations, functions, types }: AskedNames,
  { lookUp }: Inquirer,
): Promise<Meanings> {
  const unqualified = relations.flatMap(({ schema, name }) => (schema === null ? [name] : []));
  const values = [unqualified, namesOf(functions), namesOf(types)].map(textArray);
  const rows = await lookUp({ text: MEANINGS, values });
  const schemasOf = new Map<string, string[]>();
  const serverOwn = new Set<string>();
  const rowArrays: RowArray[] = [];
  let home = 'public';
  for (const [kind, ...cells] of rows) {
    const [name = '', schema = '', ofSchema = '', ofName = ''] = cells.map((cell) => cell ?? '');
    if (kind === 'h') home = name || home;
    else if (kind === 'f') serverOwn.add(name);
    else if (kind === 'r') schemasOf.set(name, [...(schemasOf.get(name) ?? []), schema]);
    else rowArrays.push({ schema, name, of: { schema: ofSchema, name: ofName } });
  }
  return { home, schemasOf, serverOwn, rowArrays };
}

function namesOf(all: readonly QualifiedName[]): string[] {
  return all.map(({ name }) => name);
}
