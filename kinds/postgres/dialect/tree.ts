/** Walks a parsed statement and collects what it names: functions, operators, types, relations, fields. */

/** A node of libpg-query's tree, as JSON. */
export type Tree = { readonly [key: string]: unknown };

/** A name as written: with its schema, or looked up over all of them. */
export interface QualifiedName {
  readonly schema: string | null;
  readonly name: string;
}

/** Everything a statement names that may call code. */
export interface References {
  readonly functions: readonly QualifiedName[];
  readonly operators: readonly QualifiedName[];
  readonly types: readonly QualifiedName[];
  readonly relations: readonly QualifiedName[];
  /** Attribute names: `x.f` and `(x).f` call `f(x)` where there is no column `f`. */
  readonly fields: readonly string[];
  /** It holds texts that the server reads as values of some type. */
  readonly literals: boolean;
  /** It makes arrays of elements. */
  readonly makesArrays: boolean;
  /** It names whole rows of its relations. */
  readonly wholeRows: boolean;
  /** A query of it holds constants only, so that nothing can be called. */
  readonly trivial: boolean;
  /** The highest `$n`, 0 for none. */
  readonly parameters: number;
}

/** What a walk finds besides the names. */
interface Findings {
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

/** Words of this parser's grammar that are names of functions to servers of earlier versions. */
const WORDS = [
  'json',
  'json_array',
  'json_arrayagg',
  'json_exists',
  'json_object',
  'json_objectagg',
  'json_query',
  'json_scalar',
  'json_serialize',
  'json_table',
  'json_value',
  'merge_action',
].map((name): QualifiedName => ({ schema: null, name }));
/** Nodes of a query that only answers constants. */
const CONSTANT = /^(?:SelectStmt|ResTarget|A_Const|List|String|Integer|Float|Boolean)$/;
const WORDED = /^(?:Json[A-Z]|MergeSupportFunc)/;

/** Where a node keeps the name of an operator. */
const OPERATOR_AT: { readonly [key: string]: string } = {
  A_Expr: 'name',
  SubLink: 'operName',
  SortBy: 'useOp',
};

/** Operators that the server looks up by name for a node that does not write them. Source: parse_expr.c, parse_clause.c. */
function implied(key: string, node: Tree): readonly string[] {
  switch (key) {
    case 'A_Expr':
      return BETWEEN[String(node.kind)] ?? [];
    case 'CaseExpr':
      return node.arg === undefined ? [] : ['='];
    case 'JoinExpr':
      return node.isNatural === true || node.usingClause !== undefined ? ['='] : [];
    case 'SubLink':
      return node.subLinkType === 'ANY_SUBLINK' && node.operName === undefined ? ['='] : [];
    default:
      return [];
  }
}

const WITHIN = ['>=', '<='];
const BEYOND = ['<', '>'];
const BETWEEN: { readonly [kind: string]: readonly string[] } = {
  AEXPR_BETWEEN: WITHIN,
  AEXPR_BETWEEN_SYM: WITHIN,
  AEXPR_NOT_BETWEEN: BEYOND,
  AEXPR_NOT_BETWEEN_SYM: BEYOND,
};

class Collector {
  readonly functions: QualifiedName[] = [];
  readonly operators: QualifiedName[] = [];
  readonly types: QualifiedName[] = [];
  readonly relations: QualifiedName[] = [];
  readonly fields = new Set<string>();
  readonly nested: string[] = [];
  locks = false;
  into = false;
  literals = false;
  makesArrays = false;
  worded = false;
  trivial = true;
  /** Names that are by themselves: columns, or whole rows of the relations called so. */
  readonly #alone = new Set<string>();
  readonly #aliases = new Set<string>();
  /** Stars, less those that are a column of a result, which stand for columns. */
  #stars = 0;

  get wholeRows(): boolean {
    const named = [...this.#aliases, ...this.relations.map(({ name }) => name)];
    return this.#stars > 0 || named.some((name) => this.#alone.has(name));
  }
  parameters = 0;

  /** Looks at one member of a node. */
  visit(key: string, value: unknown): void {
    if (STATEMENT.test(key) && key !== 'SelectStmt') this.nested.push(key);
    if (key === 'lockingClause') this.locks = true;
    if (key === 'intoClause' || key === 'into') this.into = true;
    if (WORDED.test(key)) this.worded = true;
    if (/^[A-Z]/.test(key) && !CONSTANT.test(key)) this.trivial = false;
    if (!isTree(value)) return;
    this.#names(key, value);
    this.#values(key, value);
    if (typeof value.relname === 'string') {
      const schema = typeof value.schemaname === 'string' ? value.schemaname : null;
      this.relations.push({ schema, name: value.relname });
    }
  }

  #names(key: string, node: Tree): void {
    if (key === 'FuncCall' || key === 'funccall') this.functions.push(...qualified(node.funcname));
    if (key === 'RangeTableSample') this.functions.push(...qualified(node.method));
    if (key === 'TypeName' || key === 'typeName') this.types.push(...qualified(node.names));
    const operator = OPERATOR_AT[key];
    if (operator !== undefined) this.operators.push(...qualified(node[operator]));
    for (const name of implied(key, node)) this.operators.push({ schema: null, name });
    if (key === 'ColumnRef') this.#column(node.fields);
    if (key === 'ResTarget' && isStar(node.val)) this.#stars -= 1;
    if (typeof node.aliasname === 'string') this.#aliases.add(node.aliasname);
    if (key === 'A_Indirection')
      for (const name of strings(node.indirection)) this.fields.add(name);
  }

  #column(fields: unknown): void {
    const [first, ...others] = strings(fields);
    if (hasStar(fields)) this.#stars += 1;
    if (first !== undefined && others.length === 0) this.#alone.add(first);
    // The last of several may be a schema's relation, and its row.
    for (const name of others) this.fields.add(name);
    const last = others.at(-1);
    if (last !== undefined) this.#alone.add(last);
  }

  #values(key: string, node: Tree): void {
    if (key === 'A_Const' && node.sval !== undefined) this.literals = true;
    if (key === 'A_ArrayExpr' || node.subLinkType === 'ARRAY_SUBLINK') this.makesArrays = true;
    const isArray =
      node.arrayBounds !== undefined || /^AEXPR_OP_A(?:NY|LL)$/.test(String(node.kind));
    if (isArray) this.makesArrays = true;
    if (key === 'ParamRef' && typeof node.number === 'number')
      this.parameters = Math.max(this.parameters, node.number);
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
  const { types, operators, relations, nested, locks, into } = found;
  const { literals, makesArrays, wholeRows, parameters, trivial } = found;
  const references = {
    functions: found.worded ? [...found.functions, ...WORDS] : found.functions,
    operators,
    types,
    relations,
    fields: [...found.fields],
    literals,
    makesArrays,
    wholeRows,
    parameters,
    trivial: trivial && relations.length === 0,
  };
  return { references, nested, locks, into };
}

function isStar(value: unknown): boolean {
  return isTree(value) && isTree(value.ColumnRef) && hasStar(value.ColumnRef.fields);
}

function hasStar(fields: unknown): boolean {
  return Array.isArray(fields) && fields.some((field) => isTree(field) && 'A_Star' in field);
}

export function strings(list: unknown): string[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: unknown) => {
    const text = isTree(item) && isTree(item.String) ? item.String.sval : undefined;
    return typeof text === 'string' ? [text] : [];
  });
}

function qualified(list: unknown): QualifiedName[] {
  const names = strings(list);
  const name = names.at(-1);
  return name === undefined ? [] : [{ schema: names.at(-2) ?? null, name }];
}
