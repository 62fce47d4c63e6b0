/** Decides what `/read` takes, and what no caller may run. Contract §6. */

import type { ClickhouseRequest } from '../../../kinds/clickhouse/index.ts';
import { ALLOWED_SETTINGS } from '../../../kinds/clickhouse/settings.ts';
import { refusedByRule } from '../../../kinds/refusals.ts';
import type { Json } from '../../../proto/json.ts';
import { isFile } from './file-tables.ts';
import { oneStatement, type Statement, tellsHeaders } from './statement.ts';

/** Functions that the endpoint's configuration lets `/read` call: all, or those listed, in lower case. */
export type AllowedFunctions = true | ReadonlySet<string>;

/** `config.allow_functions`. */
export function allowedFunctions(setting: Json | undefined): AllowedFunctions {
  if (setting === true) return true;
  const names = Array.isArray(setting) ? setting : [];
  return new Set(names.flatMap((name) => (typeof name === 'string' ? [name.toLowerCase()] : [])));
}

const READS = new Set(['SELECT', 'WITH', 'SHOW', 'DESCRIBE', 'DESC', 'EXPLAIN', 'EXISTS']);
const DEFINES = new Set([
  'CREATE',
  'ALTER',
  'DROP',
  'TRUNCATE',
  'RENAME',
  'EXCHANGE',
  'ATTACH',
  'DETACH',
  'UNDROP',
  'OPTIMIZE',
  'GRANT',
  'REVOKE',
  'REPLACE',
]);
/** They act on later statements of the same session; the gateway uses no sessions. */
const SESSION_ONLY = new Set(['SET', 'USE', 'BEGIN', 'START', 'COMMIT', 'ROLLBACK']);
/**
 * A request's statement, when it may run.
 * @throws GatewayError BAD_REQUEST naming the rule, REQUEST_FAILED for what cannot be read
 */
export function admit(
  request: Exclude<ClickhouseRequest, { type: 'insert' }>,
  read: boolean,
  allowed: AllowedFunctions,
): Statement {
  const statement = oneStatement(request.query);
  const { kind } = statement;
  // Headers of the request hold the endpoint's password.
  if (statement.tellsHeaders || namedByParameters(statement, request.params).some(tellsHeaders)) {
    throw refusedByRule('secret_function', 'Functions getClientHTTPHeader and eval are not taken');
  }
  if (SESSION_ONLY.has(kind)) {
    throw refusedByRule(
      'session_statement',
      `${kind} has no effect by itself; there are no sessions`,
    );
  }
  if (request.type === 'ddl' && !DEFINES.has(kind)) {
    throw refusedByRule('ddl_statement', `The type ddl takes ${[...DEFINES].join(', ')} only`);
  }
  if (read) {
    admitRead(statement, allowed);
    const file = namedByParameters(statement, request.params).find(isFile);
    if (file !== undefined && allowed !== true) {
      throw refusedByRule('read_function', 'A parameter names a table that may be a file');
    }
  }
  return statement;
}

type Params = Exclude<ClickhouseRequest, { type: 'insert' }>['params'];

/** Values of `{name:Identifier}`, which stand for names, too. */
export function namedByParameters({ placeholders }: Statement, params: Params): string[] {
  const given = Array.isArray(params)
    ? params.map(({ name, value }) => [name, value] as const)
    : Object.entries(params ?? {});
  const names = new Set(
    placeholders.filter(({ type }) => /identifier/i.test(type)).map(({ name }) => name),
  );
  return given.flatMap(([name, value]) =>
    names.has(name) && typeof value === 'string' ? [value] : [],
  );
}

function admitRead({ kind, doubts, sets }: Statement, allowed: AllowedFunctions): void {
  if (!READS.has(kind)) {
    throw refusedByRule(
      'read_statement',
      `${kind || 'This statement'} is not taken on /read; send it to /write`,
    );
  }
  // The server checks those of a statement's own, and not of every view in it.
  const set = sets.find((name) => !ALLOWED_SETTINGS.includes(name));
  if (set !== undefined) {
    throw refusedByRule('read_setting', `Setting ${set.slice(0, 64)} is not taken on /read`);
  }
  if (allowed === true) return;
  const doubt = doubts.find(({ name }) => !allowed.has(name.toLowerCase()));
  if (doubt === undefined) return;
  const name = doubt.name.slice(0, 64);
  throw refusedByRule(
    'read_function',
    `Function ${name} is not taken on /read: ${doubt.why}. An administrator may name it in allow_functions`,
    name,
  );
}
