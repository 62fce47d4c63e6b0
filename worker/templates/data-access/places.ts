/** What the members of a request are to the backend: where a value may stand, and as what. Contract §8. */
import type { Kind } from '../../../proto/kinds/index.ts';
import { isStatementKind } from './literals.ts';

/** What a text with placeholders is. */
export type Place =
  /** Values are put in as they are, or as texts within a text. */
  | 'value'
  /** A statement: values are bound. */
  | 'statement'
  /** JSON in a text: values are put into the document. */
  | 'json'
  /** A part of a URL: values are percent-encoded. */
  | 'url'
  /** A language of the backend's, in which a value would be code: only a whole value may stand there. */
  | 'code'
  /** What decides what the request is: its author's alone. */
  | 'fixed';

/** Of every kind. */
const FIXED = new Set(['endpoint', 'kind', 'type', 'timeout_ms', 'row_format']);
/** SQL of several statements takes no parameters. */
const SCRIPTS = new Set(['simple', 'simple_read_only', 'batch_execute', 'copy_in', 'copy_out']);

/** What stands at a path of a request; `path` begins with the request's own member. */
export function placeOf(kind: Kind, type: string, path: readonly string[]): Place {
  const [member = ''] = path;
  if (path.length === 1 && FIXED.has(member)) return 'fixed';
  if (isStatementKind(kind)) return placeInSql(type, path);
  switch (kind) {
    case 'http':
      return placeInHttp(path);
    case 'pinecone':
      return path.length === 1 && member === 'body' ? 'json' : 'value';
    case 'mongo':
      return path.length === 1 && member === 'command' ? 'json' : 'value';
    default:
      return placeInRedis(type, path);
  }
}

function placeInSql(type: string, path: readonly string[]): Place {
  const [member, index, inner] = path;
  const isStatement =
    (path.length === 1 && (member === 'query' || member === 'sql')) ||
    (member === 'queries' &&
      (path.length === 2 || (inner === 'query' && path.length === 3)) &&
      index !== undefined);
  if (!isStatement) return path.length === 1 && member === 'table' ? 'fixed' : 'value';
  return SCRIPTS.has(type) || type.startsWith('query_typed') || type === 'ddl'
    ? 'fixed'
    : 'statement';
}

function placeInHttp(path: readonly string[]): Place {
  const [member] = path;
  if (path.length > 1) return 'value';
  if (member === 'method') return 'fixed';
  if (member === 'path' || member === 'query') return 'url';
  return member === 'body' ? 'json' : 'value';
}

function placeInRedis(type: string, path: readonly string[]): Place {
  const [member] = path;
  if (member === 'command') return 'fixed';
  if (member === 'script' || member === 'function_code') return 'fixed';
  if (/^(?:eval|function|script|acl|config|module|ft\.config)\b/.test(type)) {
    return member === 'args' && type.startsWith('eval') && path[1] !== '0' ? 'value' : 'code';
  }
  if (type.startsWith('ft.') && path.length === 1) return 'code';
  return path.length === 1 && member === 'value' && type.startsWith('json.') ? 'json' : 'value';
}
