/** Paths of expressions within statements, which are constant: what was meant are parameters. Spec: workflows.md §2. */
import type { Kind } from '../../../kinds/index.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../proto/json.ts';
import {
  isStatementKind,
  type StatementKind,
  spansOf,
} from '../../templates/data-access/literals.ts';
import type { Fault } from './findings.ts';

/** No statement has such a thing outside of its texts and comments, whatever the language. */
const PATH = /\$\.(?:input|actions|trigger|run|error)(?![\w$])(?:\.[\w$]{1,64}){0,8}/g;
/** Where its value stands instead. */
const STANDS: Readonly<Record<StatementKind, string>> = {
  postgres: '$1',
  mysql: '?',
  cassandra: '?',
  clickhouse: '{name:Type}',
};

/** Adds a fault for each statement of a request that has one. */
export function refusePaths(kind: Kind, request: JsonObject, at: string, faults: Fault[]): void {
  if (!isStatementKind(kind)) return;
  for (const [path, text] of statementsIn(request)) {
    const found = pathIn(kind, text);
    if (found === undefined) continue;
    const message = `has ${found}, and a statement is constant: put "${found}" into params, and ${STANDS[kind]} in its place`;
    faults.push({ path: `${at}.${path}`, message });
  }
}

function* statementsIn(request: JsonObject): Iterable<readonly [path: string, text: string]> {
  const { query, sql, queries } = request;
  yield* textIn('query', query);
  yield* textIn('sql', sql);
  if (!Array.isArray(queries)) return;
  for (const [index, each] of queries.entries()) {
    if (isJsonObject(each)) yield* textIn(`queries.${index}.query`, each.query);
    else yield* textIn(`queries.${index}`, each);
  }
}

/** A text that begins as an expression is one, and read as such. */
function* textIn(path: string, value: Json | undefined): Iterable<readonly [string, string]> {
  if (typeof value === 'string' && !value.startsWith('$')) yield [path, value];
}

function pathIn(kind: StatementKind, text: string): string | undefined {
  const paths = [...text.matchAll(PATH)];
  if (paths.length === 0) return undefined;
  const quoted = spansOf(kind, text).filter(({ sort }) => sort !== 'word' && sort !== 'parameter');
  let at = 0;
  for (const { 0: path, index } of paths) {
    while ((quoted[at]?.end ?? Number.POSITIVE_INFINITY) <= index) at += 1;
    if ((quoted[at]?.start ?? Number.POSITIVE_INFINITY) > index) return path;
  }
  return undefined;
}
