/** Requests of endpoint actions: guarded as those of data-access templates are. Spec: workflows.md §2; contract §8. */
import type { Kind } from '../../../kinds/index.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../proto/json.ts';
import { asMoved, isMovedWithin } from '../../../proto/ordered-json.ts';
import { type Budget, constantStart, type Plain } from '../../language/expressions/index.ts';
import { refusal } from '../../shapes/definition.ts';
import { unwrapped } from '../../templates/data-access/layout.ts';
import { type Operation, readOperation } from '../../templates/data-access/operations.ts';
import type { Placeholder } from '../../templates/data-access/placeholder.ts';
import type { Language } from '../../templates/data-access/reader.ts';
import { COST, type CompiledExpr, compiled, type Drafting, type Stand } from './expression.ts';
import type { EndpointReference, Fault } from './findings.ts';
import { withEscapes } from './redis-dollars.ts';
import { refusePaths } from './statement-paths.ts';
import type { Root, Value } from './tree.ts';
import { CompiledValue, parseText } from './value.ts';

/** The request of an action, as it is in a definition. */
interface WrittenRequest {
  readonly endpoint: string;
  readonly kind: Kind;
  readonly operation: 'read' | 'write';
  readonly input: JsonObject;
  /** Where `input` is. */
  readonly at: string;
  readonly stand: Stand;
}

/** A request that was read, and the level that it needs on its endpoint. */
interface ReadRequest {
  readonly request: Value;
  readonly level: EndpointReference['level'];
}

/** Reads a request; undefined, with all its faults, when it cannot be sent. */
export function requestOf(drafting: Drafting, written: WrittenRequest): ReadRequest | undefined {
  const { endpoint, kind, operation, input, stand } = written;
  const { request: own, at } = unwrapped(input, written.at);
  if (costOf(own, COST_MAX) > COST_MAX) {
    drafting.report.add(at, TOO_MANY);
    return undefined;
  }
  const faults: Fault[] = [];
  const texts = new Expressions(drafting, { stand, at, isObject: kind === 'pinecone' });
  const path = kind === 'http' ? pathOf(drafting, texts, own) : undefined;
  const request = kind === 'redis' ? withEscapes(own, at, faults) : { ...own, ...path?.sample };
  const place = { endpoint, request, at, path: at };
  const around = { faults, kindOf: () => kind, language: texts };
  refusePaths(kind, own, at, faults);
  const [read] = readOperation(operation === 'read' ? 'Read' : 'Write', place, around);
  for (const each of faults) drafting.report.add(each.path, each.message);
  if (read === undefined || faults.length > 0) return undefined;
  const isMoved = isMovedWithin(input);
  return { request: filling(read, texts, { at, path: path?.expr, isMoved }), level: read.level };
}

const WORDS: readonly (readonly [from: string | RegExp, to: string])[] = [
  ['writes: a template that writes has request Write', 'writes: its operation is write'],
  ['answers events: send it to /read', 'answers events, which no action takes'],
  ["the template's alone", "the author's alone"],
  [/\ba placeholder\b/g, 'an expression'],
  [/\bplaceholder\b/g, 'expression'],
  [/\bplaceholders\b/g, 'expressions'],
  [/, and so the (statement|command) its caller chooses/, ', and so the $1 would be data'],
];

/** A message about templates in the words of workflows. */
function inOurWords(message: string): string {
  return WORDS.reduce((text, [from, to]) => text.replace(from, to), message);
}

/** What one request may cost at most, in `COST`: it is read in one piece. Spec silent. */
const COST_MAX = 50_000;
const TOO_MANY = `must have at most ${COST_MAX / COST.part} values, of which an expression counts as ${COST.expression}: one may be a whole list or object`;

/** What reading a value costs; some more than `most` where it is more. */
function costOf(json: Json, most: number): number {
  if (typeof json === 'string' && parseText(json).sort === 'expression') return COST.expression;
  const parts = isJsonObject(json) ? Object.values(json) : Array.isArray(json) ? json : [];
  let cost: number = COST.part;
  for (const part of parts) {
    cost += costOf(part, most - cost);
    if (cost > most) break;
  }
  return cost;
}

/** The language of expressions, where data-access templates have placeholders. */
class Expressions implements Language {
  readonly #drafting: Drafting;
  readonly #around: { readonly stand: Stand; readonly at: string; readonly isObject: boolean };
  /** By their paths within the request. */
  readonly #known = new Map<string, Placeholder>();
  readonly expressions = new Map<Placeholder, CompiledExpr>();

  constructor(
    drafting: Drafting,
    around: { readonly stand: Stand; readonly at: string; readonly isObject: boolean },
  ) {
    this.#drafting = drafting;
    this.#around = around;
  }

  partsOf(text: string, path: readonly string[]) {
    const read = parseText(text);
    return { parts: [read.sort === 'text' ? read.text : this.#placeholder(read.source, path)] };
  }

  partsOfName(name: string) {
    return { parts: [name] };
  }

  told(message: string): string {
    return inOurWords(message);
  }

  compile(source: string, path: readonly string[]): CompiledExpr | undefined {
    const { at, stand } = this.#around;
    return compiled(this.#drafting, source, { where: [at, ...path].join('.'), stand });
  }

  /** An expression is read more than once, and compiled the first time. */
  #placeholder(source: string, path: readonly string[]): Placeholder {
    const key = path.join('.');
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const type = this.#around.isObject ? 'object' : 'any';
    const placeholder: Placeholder = { name: key, type, optional: true, fallback: null };
    this.#known.set(key, placeholder);
    const expr = this.compile(source, path);
    if (expr !== undefined) this.expressions.set(placeholder, expr);
    return placeholder;
  }
}

/** A path of HTTP that is an expression: up to `?` it is constant, which its expression shows. */
function pathOf({ report }: Drafting, texts: Expressions, request: JsonObject) {
  const { path } = request;
  const read = typeof path === 'string' ? parseText(path) : undefined;
  if (read?.sort !== 'expression') return undefined;
  const expr = texts.compile(read.source, ['path']);
  if (expr === undefined) return { expr, sample: { path: '/' } };
  const [constant = '', query] = constantStart(read.source).split('?', 2);
  if (query === undefined) report.add(expr.where, PATH);
  return { expr, sample: { path: query === undefined ? '/' : constant } };
}

const PATH =
  'is an expression, and a path is constant up to ?: begin it with that text, or put values into query';

/** The request that an action sends, as a value that is filled at each attempt. */
function filling(
  { fill }: Operation,
  { expressions }: Expressions,
  around: {
    readonly at: string;
    readonly path: CompiledExpr | undefined;
    /** Whether the definition itself has members in an order that is to be kept. */
    readonly isMoved: boolean;
  },
): Value {
  const { at, path, isMoved } = around;
  const all = [...expressions.values(), ...(path === undefined ? [] : [path])];
  if (all.length === 0) {
    const constant = fill({ value: () => null, refuse: () => undefined });
    if (isMoved) asMoved(constant);
    return new CompiledValue(at, () => constant, { expressions: [], constant });
  }
  const make = (root: Root, budget: Budget): JsonObject => {
    const filled = fillWith(fill, expressions, { root, budget });
    if (isMoved) asMoved(filled);
    if (path === undefined) return filled;
    const value = path.evaluate(root, budget);
    if (typeof value === 'string') return keptOrder({ ...filled, path: value }, filled);
    throw refusal([{ path: path.where, message: 'must be a text' }]);
  };
  return new CompiledValue(at, make, { expressions: all, constant: undefined });
}

/** The copy, which has an order to keep as its original has. */
function keptOrder(copy: JsonObject, original: JsonObject): JsonObject {
  return isMovedWithin(original) ? asMoved(copy) : copy;
}

/** @throws GatewayError BAD_REQUEST for values that would be more than data */
function fillWith(
  fill: Operation['fill'],
  expressions: ReadonlyMap<Placeholder, CompiledExpr>,
  { root, budget }: { readonly root: Root; readonly budget: Budget },
): JsonObject {
  const faults: Fault[] = [];
  const known = new Map<Placeholder, Plain>();
  const filled = fill({
    value(placeholder) {
      const value =
        known.get(placeholder) ?? expressions.get(placeholder)?.evaluate(root, budget) ?? null;
      known.set(placeholder, value);
      return value;
    },
    refuse(placeholder, message) {
      const path = expressions.get(placeholder)?.where ?? placeholder.name;
      faults.push({ path, message: inOurWords(message) });
    },
  });
  if (faults.length > 0) throw refusal(faults);
  if ([...known.values()].some(isMovedWithin)) asMoved(filled);
  return filled as JsonObject; // A request is an object, and filled it is one as well.
}
