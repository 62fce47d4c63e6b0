/** The pass before code is made: which name is which variable, and which of them functions share. */
import type * as acorn from 'acorn';
import { SyntaxFault } from '../fault.ts';
import { type FunctionNode, placeOf } from '../parse.ts';
import { boundNames, lexicalNames, parameterNames, varNames } from './bindings.ts';
import { Block, Layout, type Variable } from './variable.ts';

/** Most nodes within each other. */
const NESTING_MAX = 400;

/** What a name stands for. */
type Reference =
  | { readonly variable: Variable; readonly slot: number }
  | {
      readonly free: string;
      readonly members?: { readonly variable: Variable; readonly slot: number };
    };

/** By the type that it is under, a visitor is given only nodes of its own. */
type Visitor = { visit(node: acorn.Node, block: Block): void }['visit'];

/** What is known of a source once its names are. */
export class Analysis {
  readonly references = new Map<acorn.Node, Reference>();
  readonly blocks = new Map<acorn.Node, Block>();
  readonly layouts = new Map<acorn.Node, Layout>();
  readonly #within: string | undefined;
  readonly #members: Variable | undefined;
  /** Names where they are declared: no reads. */
  readonly #declared = new Set<acorn.Node>();
  #depth = 0;

  constructor(within: string | undefined, members?: Variable) {
    this.#within = within;
    this.#members = members;
  }

  /** Goes through a node whose names are those of a block. @throws SyntaxFault */
  visit(node: acorn.Node, block: Block): void {
    this.#depth += 1;
    if (this.#depth > NESTING_MAX) {
      throw new SyntaxFault('is nested too deeply', placeOf(node, this.#within));
    }
    const visitor = this.#visitors[node.type];
    if (visitor !== undefined) visitor(node, block);
    else this.#children(node, block);
    this.#depth -= 1;
  }

  readonly #visitors: Readonly<Record<string, Visitor | undefined>> = this.#table();

  #table(): { readonly [type: string]: Visitor } {
    const scoped = (node: acorn.Node, block: Block) => this.#scoped(node, block);
    return {
      Identifier: (node: acorn.Identifier, block: Block) => this.#name(node, block),
      FunctionDeclaration: (node: acorn.FunctionDeclaration, block: Block) => {
        this.#name(node.id, block);
        this.#function(node, block);
      },
      FunctionExpression: (node: FunctionNode, block: Block) => this.#function(node, block),
      ArrowFunctionExpression: (node: FunctionNode, block: Block) => this.#function(node, block),
      BlockStatement: scoped,
      ForStatement: scoped,
      ForInStatement: scoped,
      ForOfStatement: scoped,
      SwitchStatement: scoped,
      CatchClause: scoped,
      MemberExpression: (node: acorn.MemberExpression, block: Block) => {
        this.visit(node.object, block);
        if (node.computed) this.visit(node.property, block);
      },
      Property: (node: acorn.Property, block: Block) => {
        if (node.computed) this.visit(node.key, block);
        this.visit(node.value, block);
      },
      VariableDeclarator: (node: acorn.VariableDeclarator, block: Block) => {
        for (const id of boundNames(node.id)) this.#declared.add(id);
        this.#children(node, block);
      },
      LabeledStatement: (node: acorn.LabeledStatement, block: Block) =>
        this.visit(node.body, block),
      BreakStatement: () => undefined,
      ContinueStatement: () => undefined,
      AssignmentExpression: (node: acorn.AssignmentExpression, block: Block) => {
        this.#children(node, block);
        this.#assigned(node.left);
      },
      UpdateExpression: (node: acorn.UpdateExpression, block: Block) => {
        this.#children(node, block);
        this.#assigned(node.argument);
      },
    };
  }

  #children(node: acorn.Node, block: Block): void {
    for (const [key, child] of Object.entries(node)) {
      if (key === 'loc' || child === null || typeof child !== 'object') continue;
      for (const each of Array.isArray(child) ? child : [child]) {
        if (each !== null && typeof each === 'object' && 'type' in each) this.visit(each, block);
      }
    }
  }

  /** A node with a block of its own. */
  #scoped(node: acorn.Node, outer: Block): void {
    const block = new Block(outer, outer.layout, node.type === 'SwitchStatement');
    this.blocks.set(node, block);
    this.#lexicals(lexicalParts(node), block, readyIn(node));
    if (node.type === 'CatchClause') {
      const { param } = node as acorn.CatchClause; // Its type says so.
      for (const id of param ? boundNames(param) : []) block.declare(id.name, 'let', id.start);
    }
    this.#children(node, block);
    if (node.type === 'ForInStatement' || node.type === 'ForOfStatement') {
      const { left } = node as acorn.ForOfStatement; // Both have it.
      if (left.type !== 'VariableDeclaration') this.#assigned(left);
    }
  }

  #function(node: FunctionNode, outer: Block): void {
    const layout = new Layout(outer.layout, node, node.params.length);
    const block = new Block(outer, layout);
    this.layouts.set(node, layout);
    this.blocks.set(node, block);
    if (node.type === 'FunctionExpression' && node.id) block.declare(node.id.name, 'self', 0);
    this.#params(node.params, block);
    const statements = node.body.type === 'BlockStatement' ? node.body.body : [];
    this.#vars(statements, block);
    this.#lexicals(statements, block);
    for (const param of node.params) this.visit(param, block);
    if (node.body.type !== 'BlockStatement') this.visit(node.body, block);
    for (const each of statements) this.visit(each, block);
  }

  #params(params: readonly acorn.Pattern[], block: Block): void {
    for (const [at, param] of params.entries()) {
      const slot = param.type === 'Identifier' ? at : undefined;
      for (const { id, readyAt } of parameterNames(param)) {
        block.declare(id.name, 'param', readyAt, slot);
        this.#declared.add(id);
      }
    }
  }

  #vars(body: readonly acorn.Node[], block: Block): void {
    for (const id of varNames(body)) {
      block.declare(id.name, 'var', Number.POSITIVE_INFINITY).isAssigned = true;
    }
  }

  #lexicals(body: readonly acorn.Node[], block: Block, ready = 0): void {
    for (const { id, kind, readyAt } of lexicalNames(body)) {
      block.declare(id.name, kind, Math.max(ready, readyAt));
    }
  }

  #name(node: acorn.Identifier, block: Block): void {
    const variable = block.find(node.name);
    if (variable === undefined) {
      this.#free(node, block);
      return;
    }
    const slot = block.layout.slotOf(variable);
    const isOwn = variable.layout === block.layout;
    const early =
      !this.#declared.has(node) && (isOwn ? node.start < variable.readyAt : variable.isSeenEarly);
    if (early && variable.kind === 'param' && isOwn) {
      throw new SyntaxFault(
        `${node.name} is used before it has a value`,
        placeOf(node, this.#within),
      );
    }
    if (early && (variable.kind === 'let' || variable.kind === 'const')) variable.isChecked = true;
    this.references.set(node, { variable, slot });
  }

  #free(node: acorn.Identifier, block: Block): void {
    const variable = this.#members;
    const members = variable && { variable, slot: block.layout.slotOf(variable) };
    this.references.set(node, { free: node.name, ...(members && { members }) });
  }

  /** Everything that an assignment gives a value to. */
  #assigned(target: acorn.Node): void {
    for (const id of boundNames(target)) {
      const reference = this.references.get(id);
      const place = placeOf(id, this.#within);
      if (reference === undefined || 'free' in reference) {
        throw new SyntaxFault(
          `${id.name} is not a variable of this source; to compare, write ===`,
          place,
        );
      }
      const { variable } = reference;
      if (variable.kind === 'const' || variable.kind === 'name' || variable.kind === 'self') {
        throw new SyntaxFault(`${id.name} cannot be assigned to`, place);
      }
      variable.isAssigned = true;
    }
  }
}

/** Where the variables of a loop over elements have values: not in what it goes through. */
function readyIn(node: acorn.Node): number {
  if (node.type !== 'ForInStatement' && node.type !== 'ForOfStatement') return 0;
  return (node as acorn.ForOfStatement).right.end; // Both have it.
}

/** Statements that declare into the block of a node. */
function lexicalParts(node: acorn.Node): acorn.Node[] {
  const whole = node as acorn.AnyNode; // Every node of acorn's is one of its kinds.
  switch (whole.type) {
    case 'BlockStatement':
      return whole.body;
    case 'ForStatement':
      return whole.init ? [whole.init] : [];
    case 'ForInStatement':
    case 'ForOfStatement':
      return [whole.left];
    case 'SwitchStatement':
      return whole.cases.flatMap((each) => each.consequent);
    default:
      return [];
  }
}
