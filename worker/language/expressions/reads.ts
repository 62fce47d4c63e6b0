/** What of its values an expression reads, seen without running it. */
import type * as acorn from 'acorn';
import { Analysis } from './compile/analysis.ts';
import { Block, Layout, type Variable } from './compile/variable.ts';
import type { SourcePosition } from './fault.ts';
import { parseExpression, placeOf } from './parse.ts';

/** One place at which an expression reads a value that it is given. */
export interface ValueRead {
  /** Which of the names. */
  readonly name: string;
  /** The members that follow it, as far as their names are constant: `$.actions["a-b"]` is `['actions', 'a-b']`. */
  readonly steps: readonly string[];
  /** Whether a member follows whose name is known only in a run. */
  readonly isOpen: boolean;
  readonly place: SourcePosition;
}

/**
 * Every read of the names, in the order of the source. A read that ends before a member is of the
 * value as a whole.
 * @throws SyntaxFault
 */
export function readsOf(source: string, names: readonly string[]): readonly ValueRead[] {
  const node = parseExpression(source);
  const block = new Block(undefined, new Layout(undefined, node, 0));
  const given = new Set(names.map((name) => block.declare(name, 'name', 0)));
  const analysis = new Analysis(undefined);
  analysis.visit(node, block);
  const reads = new Reads(analysis, given);
  reads.visit(node);
  return reads.found;
}

/** The text that whatever an expression makes begins with: that of a template, or of a sum of texts. @throws SyntaxFault */
export function constantStart(source: string): string {
  return startOf(parseExpression(source));
}

function startOf(node: acorn.Node): string {
  const whole = bare(node) as acorn.AnyNode; // Every node of acorn's is one of its kinds.
  if (whole.type === 'TemplateLiteral') return whole.quasis[0]?.value.cooked ?? '';
  if (whole.type === 'BinaryExpression' && whole.operator === '+') return startOf(whole.left);
  return whole.type === 'Literal' && typeof whole.value === 'string' ? whole.value : '';
}

class Reads {
  readonly found: ValueRead[] = [];
  readonly #analysis: Analysis;
  readonly #given: ReadonlySet<Variable>;

  constructor(analysis: Analysis, given: ReadonlySet<Variable>) {
    this.#analysis = analysis;
    this.#given = given;
  }

  visit(node: acorn.Node): void {
    if (node.type === 'Identifier' || node.type === 'MemberExpression') {
      const read = this.#chain(node as acorn.Expression); // Both are expressions.
      if (read !== undefined) this.found.push(read);
      if (node.type === 'Identifier') return;
    }
    for (const child of childrenOf(node)) this.#within(node, child);
  }

  /** The object of a chain that was read is no read of its own. */
  #within(node: acorn.Node, child: acorn.Node): void {
    if (node.type !== 'MemberExpression') {
      this.visit(child);
      return;
    }
    const { object, property, computed } = node as acorn.MemberExpression; // Its type says so.
    if (child === property) {
      if (computed) this.visit(child);
    } else if (this.#chain(object) === undefined) this.visit(child);
    else this.#properties(object);
  }

  /** What is in brackets along a chain. */
  #properties(node: acorn.Node): void {
    const inner = bare(node);
    if (inner.type !== 'MemberExpression') return;
    const { object, property, computed } = inner as acorn.MemberExpression; // Its type says so.
    if (computed) this.visit(property);
    this.#properties(object);
  }

  #chain(node: acorn.Node): ValueRead | undefined {
    const inner = bare(node);
    if (inner.type === 'Identifier') {
      const { name } = inner as acorn.Identifier; // Its type says so.
      const reference = this.#analysis.references.get(inner);
      const isGiven = reference && 'variable' in reference && this.#given.has(reference.variable);
      return isGiven
        ? { name, steps: [], isOpen: false, place: placeOf(inner, undefined) }
        : undefined;
    }
    if (inner.type !== 'MemberExpression') return undefined;
    const member = inner as acorn.MemberExpression; // Its type says so.
    const before = this.#chain(member.object);
    if (before === undefined || before.isOpen) return before;
    const step = stepOf(member);
    return step === undefined
      ? { ...before, isOpen: true }
      : { ...before, steps: [...before.steps, step] };
  }
}

function childrenOf(node: acorn.Node): readonly acorn.Node[] {
  return Object.entries(node).flatMap(([key, value]) => {
    const children: readonly unknown[] = Array.isArray(value) ? value : [value];
    return key === 'loc' ? [] : children.filter(isNode);
  });
}

function isNode(value: unknown): value is acorn.Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}

/** Without parentheses, and without what `?.` wraps around a chain. */
function bare(node: acorn.Node): acorn.Node {
  return node.type === 'ParenthesizedExpression' || node.type === 'ChainExpression'
    ? bare((node as acorn.ParenthesizedExpression | acorn.ChainExpression).expression) // Its type says so.
    : node;
}

/** The name of a member; undefined where only a run knows it. */
function stepOf({ property, computed }: acorn.MemberExpression): string | undefined {
  if (!computed) return property.type === 'Identifier' ? property.name : undefined;
  if (property.type === 'Literal') return String(property.value);
  if (property.type !== 'TemplateLiteral' || property.expressions.length > 0) return undefined;
  return property.quasis[0]?.value.cooked ?? undefined;
}
