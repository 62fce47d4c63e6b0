/** The names that patterns and statements declare. */
import type * as acorn from 'acorn';
import type { VariableKind } from './variable.ts';

/** The names that a pattern gives values to; members of objects are not among them. */
export function boundNames(pattern: acorn.Node): acorn.Identifier[] {
  const node = pattern as acorn.AnyNode; // Every node of acorn's is one of its kinds.
  switch (node.type) {
    case 'Identifier':
      return [node];
    case 'ObjectPattern':
      return node.properties.flatMap((each) =>
        boundNames(each.type === 'RestElement' ? each.argument : each.value),
      );
    case 'ArrayPattern':
      return node.elements.flatMap((each) => (each === null ? [] : boundNames(each)));
    case 'AssignmentPattern':
      return boundNames(node.left);
    case 'RestElement':
      return boundNames(node.argument);
    case 'ParenthesizedExpression':
      return boundNames(node.expression);
    default:
      return [];
  }
}

/** The names of a parameter, each with the offset behind its own default. */
export function parameterNames(
  param: acorn.Node,
): { readonly id: acorn.Identifier; readonly readyAt: number }[] {
  const defaulted = new Map<acorn.Node, number>();
  const left: acorn.Node[] = [param];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const node = next as acorn.AnyNode; // Every node of acorn's is one of its kinds.
    if (node.type === 'AssignmentPattern') {
      defaulted.set(node.left, node.end);
      left.push(node.left);
    } else if (node.type === 'ObjectPattern') {
      left.push(...node.properties.flatMap((each) => (each.type === 'Property' ? each.value : [])));
    } else if (node.type === 'ArrayPattern') {
      left.push(...node.elements.flatMap((each) => each ?? []));
    } else if (node.type === 'RestElement') left.push(node.argument);
  }
  return boundNames(param).map((id) => ({ id, readyAt: defaulted.get(id) ?? id.end }));
}

/** A declaration of a block. */
interface Lexical {
  readonly id: acorn.Identifier;
  readonly kind: VariableKind;
  readonly readyAt: number;
}

/** What statements declare in the block that they are in. */
export function lexicalNames(body: readonly acorn.Node[]): Lexical[] {
  const found: Lexical[] = [];
  for (const each of body) {
    const node = each as acorn.AnyNode; // Every node of acorn's is one of its kinds.
    if (node.type === 'FunctionDeclaration' && node.id) {
      found.push({ id: node.id, kind: 'function', readyAt: Number.POSITIVE_INFINITY });
    } else if (node.type === 'VariableDeclaration' && node.kind !== 'var') {
      found.push(...declared(node));
    }
  }
  return found;
}

function declared(node: acorn.VariableDeclaration): Lexical[] {
  const kind = node.kind === 'const' ? 'const' : 'let';
  return node.declarations.flatMap(({ id: pattern, end }) =>
    boundNames(pattern).map((id) => ({ id, kind, readyAt: end })),
  );
}

/** What statements declare by `var`, however deep, but not in functions within. */
export function varNames(body: readonly acorn.Node[]): acorn.Identifier[] {
  const found: acorn.Identifier[] = [];
  const left: unknown[] = [...body];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (Array.isArray(next)) left.push(...next.filter((each) => each !== undefined));
    if (!isNode(next) || next.type.includes('Function') || next.type.endsWith('Expression'))
      continue;
    if (next.type === 'VariableDeclaration' && next.kind === 'var') {
      found.push(...next.declarations.flatMap(({ id }) => boundNames(id)));
    } else {
      left.push(...Object.values(next).filter((each) => each !== null && typeof each === 'object'));
    }
  }
  return found;
}

function isNode(value: unknown): value is acorn.AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value;
}
