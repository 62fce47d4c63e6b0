/** What the members of a request are to the backend: where a value may be, and as what. Contract §8. */

import type { Kind } from '../../../kinds/index.ts';
import type { JsonObject } from '../../../proto/json.ts';
import { roleInHttp } from './http-roles.ts';
import { isStatementKind } from './literals.ts';
import { roleInMongo } from './mongo.ts';
import { roleInRedis } from './redis-roles.ts';

/** What a text with placeholders is. */
export type TextRole =
  /** Values are put in as they are, or as texts within a text. */
  | 'value'
  /** A statement: values are bound. */
  | 'statement'
  /** JSON in a text, a whole request: values are put into the document. */
  | 'json'
  /** JSON in a text, which a value may be: it becomes JSON. */
  | 'document'
  /** A path of a URL: values are percent-encoded, segment by segment. */
  | 'path'
  /** A body of a form that its headers tell. */
  | 'body'
  /** Pairs of a cookie header. */
  | 'cookie'
  /** A regular expression, or a pattern with wildcards: within one, values stand for themselves. */
  | 'regex'
  | 'glob'
  /** MongoDB's expressions, in which texts may name fields. */
  | 'expression'
  /** A language of the backend's, in which a value would be code: only a whole value may be there. */
  | 'code'
  /** What decides what the request is: its author's alone. */
  | 'fixed';

/** Of every kind. */
const FIXED = new Set(['endpoint', 'kind', 'type', 'timeout_ms', 'row_format']);
/** Statements that take no parameters. */
const SCRIPTS = new Set([
  'simple',
  'simple_read_only',
  'batch_execute',
  'copy_in',
  'copy_out',
  'ddl',
]);
/** Members of SQL requests that are names, formats or settings. */
const NAMES = new Set(['table', 'database', 'columns', 'format', 'settings', 'batch_type']);
/** Texts of several rows. */
const ROWS = new Set(['copy_in', 'insert']);

/** What is at a path of a request; `path` begins with the request's own member. */
export function roleOf(
  {
    kind,
    request,
    type,
  }: { readonly kind: Kind; readonly request: JsonObject; readonly type: string },
  path: readonly string[],
): TextRole {
  const [member = ''] = path;
  if (path.length === 1 && FIXED.has(member)) return 'fixed';
  if (isStatementKind(kind)) return placeInSql(type, path);
  switch (kind) {
    case 'http':
      return roleInHttp(path);
    case 'pinecone':
      return path.length === 1 && member === 'body' ? 'json' : 'value';
    case 'mongo':
      return roleInMongo(path);
    default:
      return roleInRedis(request, type, path);
  }
}

function placeInSql(type: string, path: readonly string[]): TextRole {
  const [member = ''] = path;
  const isTyped = type.startsWith('query_typed');
  if (isStatement(path)) return SCRIPTS.has(type) || isTyped ? 'fixed' : 'statement';
  if (NAMES.has(member) || (member === 'queries' && path.length === 1)) return 'fixed';
  if (isTyped && member === 'params') return placeInTyped(path);
  const isText = path.length === 1 && (member === 'value' || member === 'values');
  return isText && ROWS.has(type) ? 'code' : 'value';
}

function isStatement([member, index, inner, ...others]: readonly string[]): boolean {
  if (member !== 'queries') return index === undefined && (member === 'query' || member === 'sql');
  if (index === undefined || others.length > 0) return false;
  return inner === undefined || inner === 'query';
}

/** Parameters that name their types: the values alone are a caller's. */
function placeInTyped([, , inner, ...others]: readonly string[]): TextRole {
  return inner === '0' || (inner !== undefined && others.length > 0) ? 'value' : 'fixed';
}
