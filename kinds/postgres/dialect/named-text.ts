/** Names of relations in texts: arguments of functions and casts. Source: PostgreSQL's stringToQualifiedNameList. */
import { isTree } from './tree.ts';

/** Functions of the server whose first argument names a relation by a text. */
export const NAMING_FUNCTIONS: ReadonlySet<string> = new Set([
  'currval',
  'nextval',
  'pg_get_viewdef',
  'pg_get_serial_sequence',
  'pg_indexes_size',
  'pg_relation_size',
  'pg_table_size',
  'pg_total_relation_size',
  'setval',
  'to_regclass',
]);

/** Types whose values name things. */
export const REG_TYPES: ReadonlySet<string> = new Set([
  'regclass',
  'regcollation',
  'regnamespace',
  'regoper',
  'regoperator',
  'regproc',
  'regprocedure',
  'regrole',
  'regtype',
]);

/** Longest part of a name, in bytes: the server cuts longer ones. Source: NAMEDATALEN. */
const PART_MAX = 63;
/** A part of a name with the dot after it, or the end. */
const PART = /\s*(?:"((?:[^"]|"")+)"|([\p{L}_][\p{L}\p{N}_$]*))\s*(\.|$)/uy;

/** The parts of a name in a text; undefined where the text is no such name, or the server may read another. */
export function namesOfText(text: string): readonly string[] | undefined {
  const parts: string[] = [];
  PART.lastIndex = 0;
  for (;;) {
    const found = PART.exec(text);
    if (!found) return undefined;
    const [, quoted, bare, dot] = found;
    // What the server folds beyond ASCII depends on its encoding.
    if (bare !== undefined && /[^\x20-\x7e]/.test(bare)) return undefined;
    const part = quoted?.replaceAll('""', '"') ?? bare?.toLowerCase() ?? '';
    if (new TextEncoder().encode(part).length > PART_MAX) return undefined;
    parts.push(part);
    if (dot === '') return parts.length > 3 ? undefined : parts;
  }
}

/** The text of a constant; undefined of anything else, a number too. */
export function stringAt(node: unknown): string | undefined {
  const constant = isTree(node) && isTree(node.A_Const) ? node.A_Const.sval : undefined;
  if (!isTree(constant)) return undefined;
  return typeof constant.sval === 'string' ? constant.sval : '';
}
