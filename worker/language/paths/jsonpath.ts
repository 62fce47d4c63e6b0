/**
 * JSONPath, RFC 9535. A library reads it and checks its types; this folder finds what it names,
 * since the library's own search knows no budget and no numbers that are kept as text, and gives
 * up at deep or long documents.
 */
import { JSONPathEnvironment, JSONPathError, jsonpath as library, TokenKind } from 'json-p3';
import { PathFault } from './fault.ts';
import { type FilterReader, testOf } from './filter.ts';
import { type Mended, mended } from './mend.ts';
import type { Query, Segment, Selector } from './query.ts';
import type { Writing } from './step.ts';

/** Brackets inside brackets; the library's parser recurses. Spec silent. */
const NESTING_MAX = 50;
/** Occurrences of `&&` and `||` in one path, at each of which the parser recurses. Spec silent. */
const OPERATORS_MAX = 500;
/** Strings, in which nothing else means anything; what the parser recurses at; what it overlooks. */
const PARTS = /'(?:\\.|[^'\\])*'?|"(?:\\.|[^"\\])*"?|[[(]|[)\]]|&&|\|\||!\s*!|,\s*\)/gs;
const DEPTHS: Readonly<Record<string, number>> = { '[': 1, '(': 1, ']': -1, ')': -1 };

const { FilterSelector, IndexSelector, NameSelector, SliceSelector, WildcardSelector } =
  library.selectors;
/** What a quoted name escapes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is escaped.
const ESCAPED = /['\\\u0000-\u001f]/g;
const ESCAPES: Readonly<Record<string, string>> = { "'": "\\'", '\\': '\\\\' };
/** RFC 9535 §2.3.4.1. */
const SLICE = /(?:-?\d+\s*)?:\s*(?:-?\d+\s*)?(?::\s*(?:-?\d+\s*)?)?[,\]]/y;
const environment = new JSONPathEnvironment();

/** Normalized paths, RFC 9535 §2.7. */
export const jsonpath: Writing = {
  top: '$',
  child: (parent, key) => `${parent}[${typeof key === 'number' ? key : quoted(key)}]`,
};

function quoted(name: string): string {
  return `'${name.replace(ESCAPED, (each) => ESCAPES[each] ?? JSON.stringify(each).slice(1, -1))}'`;
}

/**
 * Compiles a path.
 * @throws PathFault
 */
export function compileJsonPath(text: string): Query {
  if (!text.startsWith('$')) {
    throw new PathFault('a JSONPath begins with $, without blanks before it', 0);
  }
  refuseByParts(text);
  const path = mended(text);
  try {
    return readerOf(path).query(environment.compile(path.text));
  } catch (fault) {
    if (fault instanceof JSONPathError) throw new PathFault(reasonOf(fault), fault.token.index);
    throw fault;
  }
}

/** Turns the library's syntax tree into a query. */
function readerOf({ name, source }: Mended): FilterReader {
  const reader: FilterReader = {
    name,
    source: ({ index, value }) => source(index, value.length),
    query: ({ segments }) =>
      segments.map(
        ({ token, selectors }): Segment => ({
          descends: token.kind === TokenKind.DDOT,
          selectors: selectors.map((each) => selectorOf(each, reader)),
        }),
      ),
  };
  return reader;
}

function selectorOf(selector: library.JSONPathSelector, reader: FilterReader): Selector {
  refuseLeniency(selector);
  if (selector instanceof NameSelector) return { kind: 'member', name: reader.name(selector.name) };
  if (selector instanceof IndexSelector) return { kind: 'element', index: selector.index };
  if (selector instanceof SliceSelector) {
    const { start, stop, step = 1 } = selector;
    return { kind: 'slice', start, stop, step };
  }
  if (selector instanceof WildcardSelector) return { kind: 'wildcard' };
  if (selector instanceof FilterSelector) {
    return { kind: 'filter', test: testOf(selector.expression, reader) };
  }
  throw new PathFault('is no selector of RFC 9535', selector.token.index);
}

/** Refuses what the library lets through although the grammar of RFC 9535 does not. */
function refuseLeniency(selector: library.JSONPathSelector): void {
  const { kind, value, index, input } = selector.token;
  if (kind === TokenKind.NAME && value.includes('-')) {
    throw new PathFault('a name with a hyphen stands in brackets and quotes', index);
  }
  if (selector instanceof SliceSelector) {
    SLICE.lastIndex = index;
    if (!SLICE.test(input)) throw new PathFault('a slice is start:end:step', index);
  }
}

/** The library's words without the excerpt that it puts behind them. */
function reasonOf({ message }: JSONPathError): string {
  return message.replace(/ \('.*':-?\d+\)$/s, '');
}

/** Refuses what would overflow the stack of the library's parser, and two things that it overlooks. */
function refuseByParts(text: string): void {
  let depth = 0;
  let operators = 0;
  for (const { 0: part, index } of text.matchAll(PARTS)) {
    depth += DEPTHS[part] ?? 0;
    if (part === '&&' || part === '||') operators += 1;
    if (part.startsWith('!')) throw new PathFault('negates twice', index);
    if (part.startsWith(',')) throw new PathFault('an argument is missing', index);
    if (depth > NESTING_MAX) throw new PathFault(`nests deeper than ${NESTING_MAX}`, index);
    if (operators > OPERATORS_MAX) {
      throw new PathFault(`has more than ${OPERATORS_MAX} of && and ||`, index);
    }
  }
}
