/** Walks a parsed statement and collects what it names: functions, operators, types, relations, fields. */

/** A node of libpg-query's tree, as JSON. */
export type Tree = { readonly [key: string]: unknown };

/** A name as written: with its schema, or looked up over all of them. */
export interface Named {
  readonly schema: string | null;
  readonly name: string;
}

/** Everything a statement names that may call code. */
export interface References {
  readonly functions: readonly Named[];
  readonly operators: readonly string[];
  readonly types: readonly Named[];
  readonly relations: readonly Named[];
  /** Column and attribute names: `row.f` calls `f(row)` where there is no column `f`. */
  readonly fields: readonly string[];
}

/** What a walk finds beside the names. */
export interface Findings {
  readonly references: References;
  /** Statements inside the statement, such as a WITH that inserts. */
  readonly nested: readonly string[];
  readonly locks: boolean;
  readonly into: boolean;
}

/** Narrows to a node or an object inside one. */
export function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const STATEMENT = /^[A-Z]\w*Stmt$/;

class Collector {
  readonly functions: Named[] = [];
  readonly operators = new Set<string>();
  readonly types: Named[] = [];
  readonly relations: Named[] = [];
  readonly fields = new Set<string>();
  readonly nested: string[] = [];
  locks = false;
  into = false;

  /** Looks at one member of a node. */
  visit(key: string, value: unknown): void {
    if (STATEMENT.test(key) && key !== 'SelectStmt') this.nested.push(key);
    if (key === 'lockingClause') this.locks = true;
    if (key === 'intoClause' || key === 'into') this.into = true;
    if (!isTree(value)) return;
    this.#names(key, value);
    if (typeof value.relname === 'string') {
      const schema = typeof value.schemaname === 'string' ? value.schemaname : null;
      this.relations.push({ schema, name: value.relname });
    }
  }

  #names(key: string, node: Tree): void {
    if (key === 'FuncCall' || key === 'funccall') this.functions.push(...qualified(node.funcname));
    if (key === 'RangeTableSample') this.functions.push(...qualified(node.method));
    if (key === 'TypeName' || key === 'typeName') this.types.push(...qualified(node.names));
    if (key === 'A_Expr') this.#operator(node.name);
    if (key === 'SubLink') this.#operator(node.operName);
    if (key === 'SortBy') this.#operator(node.useOp);
    if (key === 'ColumnRef') for (const name of strings(node.fields)) this.fields.add(name);
    if (key === 'A_Indirection')
      for (const name of strings(node.indirection)) this.fields.add(name);
  }

  #operator(list: unknown): void {
    const name = strings(list).at(-1);
    if (name !== undefined) this.operators.add(name);
  }
}

/** Collects from a statement's node, without recursion, however deep it is. */
export function walk(statement: Tree): Findings {
  const found = new Collector();
  const waiting: unknown[] = [statement];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (Array.isArray(value)) {
      for (const item of value) waiting.push(item);
    } else if (isTree(value)) {
      for (const [key, inner] of Object.entries(value)) {
        found.visit(key, inner);
        waiting.push(inner);
      }
    }
  }
  const { functions, types, relations, nested, locks, into } = found;
  const references = {
    functions,
    operators: [...found.operators],
    // `name('x')` casts to the type `name`.
    types: [...types, ...functions],
    relations,
    fields: [...found.fields],
  };
  return { references, nested, locks, into };
}

function strings(list: unknown): string[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: unknown) => {
    const text = isTree(item) && isTree(item.String) ? item.String.sval : undefined;
    return typeof text === 'string' ? [text] : [];
  });
}

function qualified(list: unknown): Named[] {
  const names = strings(list);
  const name = names.at(-1);
  return name === undefined ? [] : [{ schema: names.at(-2) ?? null, name }];
}
