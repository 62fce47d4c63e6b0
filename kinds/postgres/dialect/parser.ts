/** PostgreSQL's own parser, which each program loads in its own way. */
import { hasLongRuns } from './operator-runs.ts';
import type { Refusal } from './parser-refusal.ts';
import type { Tree } from './tree.ts';

/** What the parser makes of a text: its statements, or why there are none. */
export type ParserAnswer = { readonly statements: readonly ParsedStatement[] } | Refusal;

/** One statement of a text; places are counted in bytes of UTF-8. */
export interface ParsedStatement {
  readonly tree: Tree;
  readonly from: number;
  /** 0 when it goes on to the text's end. */
  readonly length: number;
}

/** Parses a text; anything that it throws means that the text nests too deeply. */
export type Parser = (text: string) => ParserAnswer;

let loaded: Parser | undefined;

/** Gives this program its parser, once, before the first statement is looked at. */
export function useParser(parser: Parser): void {
  loaded ??= parser;
}

/** Whether the parser is there. */
export function hasParser(): boolean {
  return loaded !== undefined;
}

/** Parses a text of any number of statements; one that nests too deeply is refused. */
export function parseStatements(text: string): ParserAnswer {
  if (!loaded) throw new Error('the parser is not loaded');
  if (hasLongRuns(text)) {
    const refused =
      'too many operators or comments stand next to each other without a space between';
    return { refused, sqlstate: '42601', position: undefined };
  }
  try {
    return loaded(text);
  } catch {
    return {
      refused: 'the statement is too deeply nested',
      sqlstate: '54001',
      position: undefined,
    };
  }
}
