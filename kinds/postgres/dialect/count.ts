/** How many rows a request may answer. */
import { GatewayError } from '../../../proto/errors.ts';
import type { Parsed } from './statement.ts';

/** Statements that may answer rows, besides those that say so. */
const MAY_ANSWER = new Set([
  'CallStmt',
  'ExecuteStmt',
  'ExplainStmt',
  'FetchStmt',
  'VariableShowStmt',
]);

/** Refuses what can only answer no rows where one is asked for: none of it is run. @throws GatewayError REQUEST_FAILED */
export function checkAnswers(
  type: string,
  { kind, returnsRows }: Pick<Parsed, 'kind' | 'returnsRows'>,
): void {
  if (!returnsRows && !MAY_ANSWER.has(kind)) checkCount(type, 0);
}

/** Contract §6: `query_one` and `query_opt` are 400 with a wrong number of rows. */
export function checkCount(type: string, count: number): void {
  const one = type.startsWith('query_one');
  if (count <= 1 && !(one && count === 0)) return;
  if (!one && !type.startsWith('query_opt')) return;
  const message = `The statement answers ${count} rows where ${one ? 'exactly one is' : 'at most one is'} asked for`;
  // PostgreSQL's own codes for the same fault in PL/pgSQL.
  const code = count === 0 ? 'P0002' : 'P0003';
  throw new GatewayError('REQUEST_FAILED', message, {
    details: [{ source: 'postgres', code, message }],
  });
}
