/** Reads the names of ClickHouse's types into trees: `Map(String, Array(Nullable(Int64)))`. */
import { LruMap } from '../../../proto/lru-map.ts';
import { type Token, tokensOf } from './lexer.ts';

/** A type: its name, and the types or other words between its parentheses. */
export interface TypeTree {
  readonly name: string;
  readonly parts: readonly TypeTree[];
  /** Whether it was `Nullable`. */
  readonly isNullable?: true;
  /** Of a part of a named tuple or Nested: the name it has there. */
  readonly label?: string;
}

const UNKNOWN: TypeTree = { name: 'Unknown', parts: [] };
const trees = new LruMap<string, TypeTree>(2_000);

/** Types that say something about storage only, or that hold another's values. */
const TRANSPARENT = new Set(['Nullable', 'LowCardinality']);

/** Characters of a name that is read, and of one that is remembered: those of enumerations are long. Spec silent. */
const LENGTH_MAX = 65_536;
const REMEMBERED_MAX = 1_024;
/** Types within types: the server's own bound is that of its parser. */
const DEPTH_MAX = 500;

/** The tree of a type's name, without what does not change its values; `Unknown` for what no server writes. */
export function typeTree(text: string): TypeTree {
  const known = trees.get(text);
  if (known) return known;
  const tree = isReadable(text) ? read(text) : UNKNOWN;
  if (text.length <= REMEMBERED_MAX) trees.set(text, tree);
  return tree;
}

/** In a long one, what would be a comment or a heredoc of a statement costs more than it has characters. */
function isReadable(text: string): boolean {
  if (text.length <= REMEMBERED_MAX) return true;
  return text.length <= LENGTH_MAX && !/[$#]|\/[*/]|--/.test(text);
}

function read(text: string): TypeTree {
  const tokens = tokensOf(text);
  return 'unreadable' in tokens ? UNKNOWN : new TypeReader(tokens).type();
}

class TypeReader {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  /** A type, or a literal among a type's words. */
  type(depth = 0): TypeTree {
    const first = this.#next();
    if (!first || depth > DEPTH_MAX) return UNKNOWN;
    const following = this.#tokens[this.#at];
    const isLabel =
      (first.kind === 'quoted' || first.kind === 'word') &&
      (following?.kind === 'word' || following?.kind === 'quoted');
    if (isLabel) return { ...this.type(depth + 1), label: first.text };
    const parts = following?.text === '(' && following.kind === 'mark' ? this.#parts(depth) : [];
    return treeOf(first.text, parts);
  }

  #parts(depth: number): TypeTree[] {
    const parts: TypeTree[] = [];
    this.#at += 1;
    while (this.#at < this.#tokens.length) {
      parts.push(this.type(depth + 1));
      this.#skipToEnd();
      if (this.#next()?.text !== ',') break;
    }
    return parts;
  }

  /** Past what is no type, such as `= 1` of an Enum, up to the next comma or parenthesis. */
  #skipToEnd(): void {
    for (let depth = 0; this.#at < this.#tokens.length; this.#at += 1) {
      const token = this.#tokens[this.#at];
      if (token?.kind !== 'mark') continue;
      if (depth === 0 && (token.text === ',' || token.text === ')')) return;
      if (token.text === '(') depth += 1;
      if (token.text === ')') depth -= 1;
    }
  }

  #next(): Token | undefined {
    const token = this.#tokens[this.#at];
    this.#at += 1;
    return token;
  }
}

function treeOf(name: string, parts: readonly TypeTree[]): TypeTree {
  const [inner, second] = parts;
  if (TRANSPARENT.has(name) && inner) {
    return name === 'Nullable' ? { ...inner, isNullable: true } : inner;
  }
  if (name === 'SimpleAggregateFunction' && second) return second;
  return name === 'Nested' ? { name: 'Array', parts: [{ name: 'Tuple', parts }] } : { name, parts };
}
