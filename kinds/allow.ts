/** Member `allow` of a configuration: what requests may name. One place for patterns, comparison and refusals. Spec: keys-and-doors.md §4. */
import * as z from 'zod';
import { GatewayError } from '../proto/errors.ts';
import { isJsonObject, type Json } from '../proto/json.ts';

/** Most entries of a list, and characters of an entry. Spec silent. */
const ENTRIES_MAX = 1_000;
const ENTRY_MAX = 512;

function list(description: string, examples: string[]) {
  return z
    .array(z.string().min(1).max(ENTRY_MAX))
    .max(ENTRIES_MAX)
    .optional()
    .meta({ description: `${description}; an empty list opens nothing`, examples: [examples] });
}

const FENCE =
  'What requests may name, Admins’ too; `*` in a name is any text without a dot. `{}` opens nothing; left out, everything is open. It is a fence for clients; a role with fewer rights is the wall';

/** Member `allow` of SQL kinds. */
export const AllowTables = z
  .strictObject({
    schemas: list('Schemas (databases, keyspaces) of which every table is open', ['shop']),
    tables: list(
      'Tables and views as `schema.table`; without a schema, of the connection’s default one',
      ['orders', 'archive.orders_*'],
    ),
  })
  .meta({
    id: 'AllowTables',
    description: FENCE,
    examples: [{ schemas: ['shop'], tables: ['archive.orders_*'] }],
  });

/** Member `allow` of MongoDB. */
export const AllowCollections = z
  .strictObject({
    collections: list(
      'Collections of the database of requests that name none; those of others are closed',
      ['orders', 'orders_*'],
    ),
  })
  .meta({
    id: 'AllowCollections',
    description: FENCE,
    examples: [{ collections: ['orders', 'orders_*'] }],
  });

/** Member `allow` of Redis. */
export const AllowKeys = z
  .strictObject({
    keys: list('Keys, and channels', ['cart:*', 'stock']),
  })
  .meta({ id: 'AllowKeys', description: FENCE, examples: [{ keys: ['cart:*', 'stock'] }] });

/** A member of a stored configuration's `allow`; undefined where it is not limited at all. */
export function allowedNames(allow: Json | undefined, member: string): AllowedNames | undefined {
  if (allow === undefined || allow === null) return undefined;
  return new AllowedNames(entriesOf(allow, member));
}

/** What a stored configuration of an SQL kind opens; undefined where it is not limited at all. */
export function allowedTables(allow: Json | undefined): AllowedTables | undefined {
  if (allow === undefined || allow === null) return undefined;
  return new AllowedTables(entriesOf(allow, 'schemas'), entriesOf(allow, 'tables'));
}

/** A value that is not a list of texts opens nothing. */
function entriesOf(allow: Json, member: string): string[] {
  const entries = isJsonObject(allow) ? allow[member] : undefined;
  return Array.isArray(entries) ? entries.filter((each) => typeof each === 'string') : [];
}

/** Names and patterns. */
export class AllowedNames {
  readonly #exact = new Set<string>();
  readonly #patterns: string[] = [];

  constructor(entries: readonly string[]) {
    for (const entry of entries) {
      if (entry.includes('*')) this.#patterns.push(entry);
      else this.#exact.add(entry);
    }
  }

  /** Whether a name is open. */
  opens(name: string): boolean {
    return this.#exact.has(name) || this.#patterns.some((pattern) => fits(pattern, name));
  }

  /** Whether an entry that ends in its only `*` is a prefix: names with that prefix may have dots after it. */
  opensAllBegunBy(prefix: string): boolean {
    return this.#patterns.some(
      (pattern) =>
        pattern.indexOf('*') === pattern.length - 1 && prefix.startsWith(pattern.slice(0, -1)),
    );
  }
}

/** A table as a server knows it. */
export interface TableName {
  readonly schema: string;
  readonly name: string;
}

/** Schemas, and tables of them. */
export class AllowedTables {
  readonly #schemas: AllowedNames;
  readonly #bare: AllowedNames;
  readonly #tables: readonly { readonly schema: string; readonly table: string }[];

  constructor(schemas: readonly string[], tables: readonly string[]) {
    this.#schemas = new AllowedNames(schemas);
    this.#bare = new AllowedNames(tables.filter((entry) => !entry.includes('.')));
    this.#tables = tables.flatMap((entry) => {
      const dot = entry.indexOf('.');
      return dot < 0 ? [] : [{ schema: entry.slice(0, dot), table: entry.slice(dot + 1) }];
    });
  }

  /** Whether a table is open. @param home the connection's default schema, where entries without one are */
  opens({ schema, name }: TableName, home: string | undefined): boolean {
    if (this.opensSchema(schema)) return true;
    if (schema === home && this.#bare.opens(name)) return true;
    return this.#tables.some((entry) => fits(entry.schema, schema) && fits(entry.table, name));
  }

  /** Whether all tables of a schema are open. */
  opensSchema(schema: string): boolean {
    return this.#schemas.opens(schema);
  }
}

/** Whether a name is one that a pattern means: `*` crosses no dot, so that both are compared part by part. */
function fits(pattern: string, name: string): boolean {
  if (!pattern.includes('*')) return pattern === name;
  const patterns = pattern.split('.');
  const parts = name.split('.');
  return (
    patterns.length === parts.length &&
    patterns.every((each, at) => fitsPart(each, parts[at] ?? ''))
  );
}

/** Each piece is looked for once and at its first place, so that no pattern is slow. */
function fitsPart(pattern: string, part: string): boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return pattern === part;
  if (part.length < first.length + last.length) return false;
  if (!part.startsWith(first) || !part.endsWith(last)) return false;
  const end = part.length - last.length;
  let at = first.length;
  for (const piece of others) {
    const found = part.indexOf(piece, at);
    if (found < 0 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}

/** The refusal of a name. @param what it is, such as Table @param path of the member of the request */
export function notAllowed(what: string, name: string, path = 'query'): GatewayError {
  const message = `${what} ${name} is not among what config.allow opens`;
  return new GatewayError('FORBIDDEN', message, {
    details: [{ rule: 'allow', path, message, name }],
  });
}

/** The refusal of a statement that names things in a form that the gateway does not read. @param what such as DO */
export function undecided(what: string, path = 'query'): GatewayError {
  const message = `${what} is not taken on this endpoint: the gateway cannot tell whether it names only what config.allow opens`;
  return new GatewayError('FORBIDDEN', message, {
    details: [{ rule: 'allow_undecided', path, message }],
  });
}
