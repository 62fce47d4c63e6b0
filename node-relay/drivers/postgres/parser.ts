/** Loads PostgreSQL's own parser into the relay. */
import { loadModule, parseSync, SqlError } from 'libpg-query';
import { type ParserAnswer, useParser } from '../../../kinds/postgres/dialect/parser.ts';
import { serverRefusal } from '../../../kinds/postgres/dialect/parser-refusal.ts';
import type { Tree } from '../../../kinds/postgres/dialect/tree.ts';

await loadModule();
useParser(parse);

function parse(text: string): ParserAnswer {
  try {
    const { stmts = [] } = parseSync(text);
    const statements = stmts.map(({ stmt, stmt_location: from = 0, stmt_len: length = 0 }) => ({
      tree: stmt as Tree, // JSON of the parser.
      from,
      length,
    }));
    return { statements };
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
    const { functionName: raisedBy, cursorPosition = 0 } = error.sqlDetails ?? {};
    return serverRefusal({ message: error.message, raisedBy, place: cursorPosition + 1 });
  }
}
