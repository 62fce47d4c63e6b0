/** Values of a definition: JSON in which texts may be expressions. Spec: workflows.md §2, "Values". */
import { isJsonObject, type Json, type JsonObject, setMember } from '../../../proto/json.ts';
import {
  asMoved,
  inOrder,
  isMovedWithin,
  isReordered,
  namesOf,
} from '../../../proto/ordered-json.ts';
import type { Pieces } from '../../../proto/work/pieces.ts';
import type { Budget, Plain } from '../../language/expressions/index.ts';
import { COST, type CompiledExpr, compiled, type Drafting, type Stand } from './expression.ts';
import type { ActionMember, Root, RootName, Uses, Value } from './tree.ts';

/** A text of a value: an expression, or a plain text without its escape. */
type ParsedText =
  | { readonly sort: 'expression'; readonly source: string }
  | { readonly sort: 'text'; readonly text: string };

/** What a text is: `$`, `$.…`, `$[…` and `$(…)` are expressions, one more `$` in front makes a text of it. */
export function parseText(text: string): ParsedText {
  const [dollars = ''] = /^\$*/.exec(text) ?? [];
  if (dollars === '') return { sort: 'text', text };
  const one = text.slice(dollars.length - 1);
  if (!isExpression(one)) return { sort: 'text', text };
  if (dollars.length > 1) return { sort: 'text', text: text.slice(1) };
  return { sort: 'expression', source: one.startsWith('$(') ? one.slice(2, -1) : one };
}

function isExpression(text: string): boolean {
  return /^\$(?:$|[.[])/.test(text) || (text.startsWith('$(') && text.endsWith(')'));
}

/** Makes a part of a value; undefined leaves a member out. */
type MakeValue = (root: Root, budget: Budget) => Plain | undefined;

/** A value that was compiled. */
export class CompiledValue implements Value {
  readonly where: string;
  readonly constant: Json | undefined;
  readonly #make: MakeValue;
  readonly #expressions: readonly CompiledExpr[];
  #uses: Uses | undefined;

  constructor(
    where: string,
    make: MakeValue,
    { expressions, constant }: { expressions: readonly CompiledExpr[]; constant: Json | undefined },
  ) {
    this.where = where;
    this.constant = constant;
    this.#make = make;
    this.#expressions = expressions;
  }

  /** Of all its expressions; read first when what is visible was checked. */
  get uses(): Uses {
    this.#uses ??= united(this.#expressions);
    return this.#uses;
  }

  evaluate(root: Root, budget: Budget): Plain | undefined {
    return this.#make(root, budget);
  }
}

function united(expressions: readonly CompiledExpr[]): Uses {
  const roots = new Set<RootName>();
  const names = new Set<string>();
  const actions = new Map<string, ReadonlySet<ActionMember> | 'all'>();
  // Those that read all actions read the same ones.
  const once = new Set(expressions.map(({ uses }) => uses.actions));
  for (const { uses } of expressions) {
    for (const each of uses.roots) roots.add(each);
    for (const each of uses.names) names.add(each);
  }
  for (const each of once) {
    for (const [id, members] of each) {
      const known = actions.get(id) ?? new Set();
      const isAll = members === 'all' || known === 'all';
      actions.set(id, isAll ? 'all' : new Set([...known, ...members]));
    }
  }
  return { roots, names, actions };
}

/** Reads a value; the faults of its expressions have the paths of those expressions. */
export function* readValue(
  drafting: Drafting,
  json: Json,
  where: string,
  stand: Stand,
): Pieces<Value> {
  const expressions: CompiledExpr[] = [];
  const found = yield* readPart({ drafting, stand, expressions }, json, where);
  const constant = found.isConstant ? found.constant : undefined;
  return new CompiledValue(where, found.make, { expressions, constant });
}

interface ValueContext {
  readonly drafting: Drafting;
  readonly stand: Stand;
  readonly expressions: CompiledExpr[];
}

type ValuePart =
  | { readonly isConstant: true; readonly constant: Json; readonly make: MakeValue }
  | { readonly isConstant: false; readonly make: MakeValue };

function* readPart(around: ValueContext, json: Json, where: string): Pieces<ValuePart> {
  if (around.drafting.pace.isOver(COST.part)) yield;
  if (typeof json === 'string') return readText(around, json, where);
  if (Array.isArray(json)) return yield* readList(around, json, where);
  return isJsonObject(json) ? yield* readObject(around, json, where) : constantOf(json);
}

function constantOf(constant: Json): ValuePart {
  return { isConstant: true, constant, make: () => constant };
}

function readText(
  { drafting, stand, expressions }: ValueContext,
  json: string,
  where: string,
): ValuePart {
  const read = parseText(json);
  if (read.sort === 'text') return constantOf(read.text);
  const expr = compiled(drafting, read.source, { where, stand });
  if (expr === undefined) return { isConstant: false, make: () => undefined };
  expressions.push(expr);
  return { isConstant: false, make: (root, budget) => expr.evaluate(root, budget) };
}

function* readList(around: ValueContext, json: readonly Json[], where: string): Pieces<ValuePart> {
  const parts: ValuePart[] = [];
  for (const [index, each] of json.entries()) {
    parts.push(yield* readPart(around, each, `${where}.${index}`));
  }
  // What is constant and without escapes is what was written: no copy is made of it.
  if (parts.every((part, index) => isAsWritten(part, json[index]))) return constantOf(json as Json);
  if (parts.every((part) => part.isConstant)) {
    const list = parts.map((part) => part.constant);
    return constantOf(movedWith(list, list));
  }
  const makes = parts.map(({ make }) => make);
  return {
    isConstant: false,
    make(root, budget) {
      budget.elements(makes.length);
      const list = makes.map((make) => make(root, budget) ?? null);
      return movedWith(list, list);
    },
  };
}

function* readObject(around: ValueContext, json: JsonObject, where: string): Pieces<ValuePart> {
  const members: { readonly name: string; readonly part: ValuePart }[] = [];
  for (const name of namesOf(json)) {
    members.push({ name, part: yield* readPart(around, json[name] ?? null, `${where}.${name}`) });
  }
  if (members.every(({ name, part }) => isAsWritten(part, json[name]))) return constantOf(json);
  const made = (valueOfPart: (part: ValuePart) => Json | undefined): JsonObject => {
    const object: JsonObject = {};
    const kept: string[] = [];
    for (const { name, part } of members) {
      const value = valueOfPart(part);
      if (value === undefined) continue;
      setMember(object, name, value);
      kept.push(name);
    }
    return movedWith(inOrder(object, kept), Object.values(object));
  };
  if (members.every(({ part }) => part.isConstant)) {
    return constantOf(made((part) => (part.isConstant ? part.constant : undefined)));
  }
  return {
    isConstant: false,
    make(root, budget) {
      budget.elements(members.length);
      return made((part) => part.make(root, budget));
    },
  };
}

function isAsWritten(part: ValuePart, json: Json | undefined): boolean {
  return part.isConstant && part.constant === json;
}

/** The same list or object, which says whether an order is to be kept in it. */
function movedWith<Whole extends Json[] | JsonObject>(whole: Whole, parts: readonly Json[]): Whole {
  const isMoved = (!Array.isArray(whole) && isReordered(whole)) || parts.some(isMovedWithin);
  return isMoved ? asMoved(whole) : whole;
}
