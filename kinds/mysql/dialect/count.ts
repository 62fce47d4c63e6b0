/** How many rows a request may answer. */
import { GatewayError } from '../../../proto/errors.ts';

/** Contract §6: `query_one` and `query_opt` are 400 with a wrong number of rows. */
export function checkCount(type: string, count: number): void {
  const one = type.startsWith('query_one');
  if (count <= 1 && !(one && count === 0)) return;
  if (!one && !type.startsWith('query_opt')) return;
  const message = `The statement answers ${count} rows where ${one ? 'exactly one is' : 'at most one is'} asked for`;
  // The servers' own numbers for the same fault of SELECT … INTO.
  const code = count === 0 ? '1329' : '1172';
  throw new GatewayError('REQUEST_FAILED', message, {
    details: [{ source: 'mysql', code, message }],
  });
}
