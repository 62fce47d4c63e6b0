/** From source to syntax tree, by acorn; what it refuses becomes a fault of ours. */
import {
  type ArrowFunctionExpression,
  type Expression,
  type FunctionDeclaration,
  type FunctionExpression,
  type Node,
  type Options,
  parse,
  parseExpressionAt,
  type Statement,
} from 'acorn';
import { type SourcePosition, SyntaxFault } from './fault.ts';

/** Longest source, in UTF-16 units. */
const SOURCE_MAX = 65_536;

/** A function of a source. */
export type FunctionNode = ArrowFunctionExpression | FunctionDeclaration | FunctionExpression;

const OPTIONS: Options = {
  ecmaVersion: 'latest',
  sourceType: 'module',
  locations: true,
  preserveParens: true,
  allowReturnOutsideFunction: true,
};
/** What may follow an expression: space, comments and semicolons. */
const NOTHING = /(?:[\s;]|\/\/.*|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/)*/y;

/** One expression. @throws SyntaxFault */
export function parseExpression(source: string): Expression {
  return guarded(source, undefined, () => whole(source));
}

/** A function: an expression of one, a declaration, or the statements of its body. @throws SyntaxFault */
export function parseFunction(source: string, name: string): FunctionNode {
  return guarded(source, name, () => {
    const node = single(source);
    if (node === undefined) return bodyOf(source);
    if (node.type === 'ArrowFunctionExpression' || node.type === 'FunctionExpression') return node;
    throw new Unexpected(node.start, NO_FUNCTION);
  });
}

const NO_FUNCTION = 'is an expression and no function: write it as (a, b) => …';

/** The one expression that a source is; undefined when it is something else. */
function single(source: string): Expression | undefined {
  try {
    return unwrapped(whole(source));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** A function of `args` whose body a source is. */
function bodyOf(source: string): FunctionNode {
  const { body } = parse(source, OPTIONS);
  const node = parseExpressionAt('(...args) => {}', 0, OPTIONS);
  if (node.type !== 'ArrowFunctionExpression' || node.body.type !== 'BlockStatement') {
    throw new TypeError('acorn read an arrow function as something else');
  }
  const statements = body.flatMap((each) => {
    if (!/^(?:Import|Export)/.test(each.type)) return [each as Statement]; // No other sort is left.
    throw new Unexpected(each.start, 'import and export are not part of the language');
  });
  for (const param of node.params) at0(param);
  return { ...node, body: { ...node.body, body: statements } };
}

/** Puts what no source has at the beginning, before everything that uses it. */
function at0(node: Node): void {
  node.start = 0;
  node.end = 0;
  if ('argument' in node) at0(node.argument as Node); // Of a rest element, its name.
}

/** An expression without the parentheses around it. */
function unwrapped(node: Expression): Expression {
  return node.type === 'ParenthesizedExpression' ? unwrapped(node.expression) : node;
}

/** Where a node begins. */
export function placeOf(node: Node, within: string | undefined): SourcePosition {
  const { line, column } = node.loc?.start ?? { line: 1, column: 0 };
  return within === undefined ? { line, column: column + 1 } : { line, column: column + 1, within };
}

/** @throws SyntaxError as acorn does */
function whole(source: string): Expression {
  const node = parseExpressionAt(source, 0, OPTIONS);
  NOTHING.lastIndex = node.end;
  NOTHING.test(source);
  const at = NOTHING.lastIndex;
  if (at < source.length) throw new Unexpected(at, `unexpected ${source.charAt(at)}`);
  return node;
}

/** What acorn takes and we do not. */
class Unexpected extends SyntaxError {
  readonly pos: number;

  constructor(pos: number, message: string) {
    super(message);
    this.pos = pos;
  }
}

function guarded<Tree>(source: string, within: string | undefined, read: () => Tree): Tree {
  const start: SourcePosition = { line: 1, column: 1, ...(within === undefined ? {} : { within }) };
  if (source.length > SOURCE_MAX) {
    throw new SyntaxFault(`is longer than ${SOURCE_MAX} characters`, start);
  }
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) throw new SyntaxFault('is nested too deeply', start);
    if (!(error instanceof SyntaxError)) throw error;
    throw new SyntaxFault(messageOf(error), { ...start, ...placeIn(source, error) });
  }
}

/** Acorn's own message without the place that it ends with. */
function messageOf(error: SyntaxError): string {
  if (error.message.startsWith('Not enough stack space')) return 'is nested too deeply';
  const text = error.message.replace(/ \(\d+:\d+\)$/, '');
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function placeIn(source: string, error: SyntaxError): SourcePosition {
  // Acorn's errors carry the offset.
  const offset = 'pos' in error && typeof error.pos === 'number' ? error.pos : 0;
  const lines = source.slice(0, offset).split(/\r\n|[\n\r\u2028\u2029]/);
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}
