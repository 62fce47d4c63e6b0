/** What a statement names, for `config.allow`: walks its tree with the names that WITH gives in each place. keys-and-doors.md §4. */
import { DDL, isTaken, made, type NamedRelation, type NameTaker } from './named-kinds.ts';
import { NAMING_FUNCTIONS, namesOfText, REG_TYPES, stringAt } from './named-text.ts';
import { isTree, strings, type Tree } from './tree.ts';
import { wordsOf } from './words.ts';

/** All that a statement names. */
export interface Naming {
  readonly relations: readonly NamedRelation[];
  /** Schemas that it names as a whole. */
  readonly schemas: readonly string[];
  /** What of it is not read, in words; undefined where all is. */
  readonly undecided: string | undefined;
}

/** Names that WITH gives in a place of the statement. */
interface Scope {
  readonly names: readonly string[];
  readonly outer: Scope | undefined;
}

interface TreeMember {
  readonly key: string;
  readonly value: unknown;
  readonly scope: Scope | undefined;
}

/** Where a table stands that WITH cannot mean: it is changed or made. */
const TARGETS: ReadonlySet<string> = new Set(['relation', 'intoClause', 'into']);
/** They name what stands in FROM already. */
const SKIPPED: ReadonlySet<string> = new Set(['lockingClause', 'withClause']);
const STATEMENT = /^[A-Z]\w*Stmt$/;

/** What a statement names. @param kind the parser's name of the statement */
export function namingOf(kind: string, tree: Tree): Naming {
  const walk = new Walk();
  if (!isTaken(kind, tree)) walk.leave(wordsOf(kind, tree));
  DDL[kind]?.(tree, walk);
  walk.all(kind, tree);
  return walk;
}

/** Collects names, without recursion, however deep the tree is. */
class Walk implements Naming, NameTaker {
  readonly relations: NamedRelation[] = [];
  readonly schemas: string[] = [];
  undecided: string | undefined;
  readonly #waiting: TreeMember[] = [];

  all(key: string, value: unknown): void {
    this.#waiting.push({ key, value, scope: undefined });
    for (let place = this.#waiting.pop(); place; place = this.#waiting.pop()) this.#look(place);
  }

  /** Notes what is not read. */
  leave(what: string): void {
    this.undecided ??= what;
  }

  /** Notes a relation by the parts of its name; a database before them can only be the connection's own. */
  name(parts: readonly string[], as?: NamedRelation['as']): void {
    const name = parts.at(-1);
    if (name === undefined) {
      this.leave('A name that is empty');
      return;
    }
    const schema = parts.at(-2) ?? null;
    // An alias of the session's own, and others' by their number.
    if (schema !== null && /^pg_(?:toast_)?temp/.test(schema)) this.leave('A temporary table');
    this.relations.push({ schema, name, ...(as ? { as } : {}) });
  }

  #look({ key, value, scope }: TreeMember): void {
    if (Array.isArray(value)) {
      for (const item of value) this.#waiting.push({ key, value: item, scope });
    } else if (isTree(value)) {
      this.#node(key, value, scope);
      this.#members(key, value, scope);
    } else if (value === 'DROP_CASCADE') {
      this.leave('CASCADE');
    }
  }

  #members(key: string, node: Tree, scope: Scope | undefined): void {
    const within = isTree(node.withClause) ? this.#with(node.withClause, scope) : scope;
    for (const [member, inner] of Object.entries(node)) {
      if (SKIPPED.has(member)) continue;
      // Its text is read where it stands.
      if (member === 'typeName' && key === 'TypeCast' && isRegclass(node)) continue;
      // Only statements have targets; FROM's own members are lists.
      const isTarget = TARGETS.has(member);
      this.#waiting.push({ key: member, value: inner, scope: isTarget ? undefined : within });
    }
  }

  /** Looks at the queries of a WITH, and answers the names in effect beside it. */
  #with(clause: Tree, outer: Scope | undefined): Scope | undefined {
    const all = Array.isArray(clause.ctes) ? clause.ctes : [];
    const queries = all.flatMap((each: unknown) =>
      isTree(each) && isTree(each.CommonTableExpr) ? [each.CommonTableExpr] : [],
    );
    const names = queries.map(({ ctename }) => String(ctename));
    const whole: Scope = { names, outer };
    for (const [at, value] of queries.entries()) {
      // Without RECURSIVE each sees those before it, and a table of its own name.
      const scope = clause.recursive === true ? whole : { names: names.slice(0, at), outer };
      this.#waiting.push({ key: 'CommonTableExpr', value, scope });
    }
    return whole;
  }

  #node(key: string, node: Tree, scope: Scope | undefined): void {
    if (STATEMENT.test(key) && !isTaken(key, node)) this.leave(wordsOf(key, node));
    if (typeof node.relname === 'string') this.#relation(node.relname, node, scope);
    if (key === 'FuncCall') this.#call(node);
    if (key === 'TypeCast' && isRegclass(node)) {
      this.#text(stringAt(node.arg), 'A cast to regclass of what is no literal');
    }
    if (Array.isArray(node.names)) this.#type(node);
    if (key === 'DefElem') this.#option(node);
    if (key === 'intoClause' || key === 'into') made(node.rel, this);
  }

  #relation(name: string, node: Tree, scope: Scope | undefined): void {
    if (node.relpersistence === 't') this.leave('A temporary table');
    const schema = typeof node.schemaname === 'string' ? [node.schemaname] : [];
    if (schema.length === 0 && isGiven(name, scope)) return;
    this.name([...schema, name]);
  }

  /** What names a relation by the text of an argument. */
  #call(node: Tree): void {
    const parts = strings(node.funcname);
    const name = parts.at(-1) ?? '';
    // A type is called as a function to cast.
    if (isRegType(name)) this.leave(`The type ${name}`);
    if (!NAMING_FUNCTIONS.has(name)) return;
    const [first] = Array.isArray(node.args) ? node.args : [];
    if (isTree(first) && isReadInPlace(first)) return;
    this.#text(stringAt(first), `Function ${name} with a name that is no literal`);
  }

  #text(text: string | undefined, otherwise: string): void {
    const parts = text === undefined ? undefined : namesOfText(text);
    if (parts === undefined) this.leave(otherwise);
    else this.name(parts);
  }

  #type(node: Tree): void {
    const parts = strings(node.names);
    const name = parts.at(-1) ?? '';
    if (node.pct_type === true || isRegType(name)) this.leave(`The type ${name}`);
    // The row type of a table has its name.
    else if (parts.length > 1 && parts.at(-2) !== 'pg_catalog') this.name(parts, 'type');
    else if (parts.length === 1 && !PLAIN_TYPES.has(name)) this.name(parts, 'type');
  }

  /** Options of sequences that name another relation. */
  #option({ defname, arg }: Tree): void {
    if (defname !== 'owned_by' && defname !== 'sequence_name') return;
    const parts = isTree(arg) && isTree(arg.List) ? strings(arg.List.items) : [];
    if (defname === 'sequence_name') this.name(parts);
    else if (parts.length > 1) this.name(parts.slice(0, -1));
  }
}

/** Types of the server that are written without a schema; its own are found first. */
const PLAIN_TYPES: ReadonlySet<string> = new Set(
  'text uuid json jsonb bytea date money xml inet cidr name tsvector tsquery oid'.split(' '),
);

/** An array of a type has its name behind an underscore. */
function isRegType(name: string): boolean {
  return REG_TYPES.has(name.replace(/^_+/, ''));
}

function isRegclass({ typeName }: Tree): boolean {
  if (!isTree(typeName) || typeName.arrayBounds !== undefined) return false;
  const parts = strings(typeName.names);
  return parts.at(-1) === 'regclass' && (parts.length === 1 || parts[0] === 'pg_catalog');
}

/** Whether an argument that names a relation is looked at where it stands. */
function isReadInPlace({ TypeCast: cast, FuncCall: call }: Tree): boolean {
  if (isTree(cast)) return isRegclass(cast);
  return isTree(call) && strings(call.funcname).at(-1) === 'pg_get_serial_sequence';
}

function isGiven(name: string, scope: Scope | undefined): boolean {
  for (let at = scope; at; at = at.outer) if (at.names.includes(name)) return true;
  return false;
}
