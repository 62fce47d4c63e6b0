/** Finds the query that a statement holds, as text: the server is asked what that calls. */
import { parseStatements } from './parser.ts';
import { isTree, type Tree } from './tree.ts';

/** Places of a longer statement at which a query is looked for. */
const PLACES_MAX = 64;
/** Characters of all pieces that are tried, together: parsing holds up other calls. */
const TRIED_MAX_CHARACTERS = 524_288;

/** The query in an EXPLAIN or COPY; undefined when there is none or it is not found. @param tree what the parser made of the text */
export function queryText(kind: string, text: string, tree: Tree): string | undefined {
  if (kind === 'ExplainStmt') return sliced(text, tree.query, [text.length]);
  if (kind !== 'CopyStmt') return undefined;
  if (tree.query !== undefined) return sliced(text, tree.query, closings(text));
  return isTree(tree.relation) ? ofRelation(tree.relation, tree.attlist) : undefined;
}

/** A piece of the text counts when the parser makes the same of it. */
function sliced(text: string, query: unknown, ends: readonly number[]): string | undefined {
  const wanted = shapeOf(query);
  const starts = [...text.matchAll(/\b(?:select|values|table|with)\b|\(/gi)].slice(0, PLACES_MAX);
  let left = TRIED_MAX_CHARACTERS;
  for (const { index } of starts) {
    for (const end of ends) {
      const piece = text.slice(index, end);
      left -= piece.length;
      if (left < 0) return undefined;
      if (end > index && isSame(piece, wanted)) return piece;
    }
  }
  return undefined;
}

function isSame(piece: string, wanted: string): boolean {
  try {
    const answer = parseStatements(piece);
    if ('refused' in answer || answer.statements.length !== 1) return false;
    return shapeOf(answer.statements[0]?.tree) === wanted;
  } catch {
    return false;
  }
}

/** Where the parenthesis may close, the last ones first: options may follow in others. */
function closings(text: string): number[] {
  const all = [...text.matchAll(/\)/g)].map(({ index }) => index).reverse();
  return all.slice(0, 8);
}

/** A tree without the places of its nodes. */
function shapeOf(tree: unknown): string {
  return (
    JSON.stringify(tree, (key, value) =>
      /(?:^|_)location$|_len$/.test(key) ? undefined : value,
    ) ?? ''
  );
}

function ofRelation({ schemaname, relname }: Tree, columns: unknown): string {
  const name = [schemaname, relname].filter((part) => typeof part === 'string').map(quotedName);
  const listed = (Array.isArray(columns) ? columns : []).flatMap((column: unknown) => {
    const text = isTree(column) && isTree(column.String) ? column.String.sval : undefined;
    return typeof text === 'string' ? [quotedName(text)] : [];
  });
  return `SELECT ${listed.length > 0 ? listed.join(', ') : '*'} FROM ${name.join('.')}`;
}

/** A name as SQL quotes it. */
export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
