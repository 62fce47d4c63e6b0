/** Errors of the gateway as failures of actions. Spec: workflows.md §4. */
import type { GatewayError } from '../../../proto/errors.ts';
import type { Json } from '../../../proto/json.ts';
import type { Failure } from '../engine/journal.ts';

/** Codes of backends for serialization failures and deadlocks. Sources: PostgreSQL appendix A, MySQL and MongoDB error references. */
const SERIALIZATION = new Set(['40001', '40P01', '1213', '1205', '112', 'WriteConflict']);

/** Code and message: a run shows no token, so who is gone is the account or key that it acts for. */
export function refusalOf({
  code,
  message,
}: Pick<GatewayError, 'code' | 'message'>): Pick<Failure, 'code' | 'message'> {
  if (code !== 'TOKEN_REVOKED') return { code, message };
  return { code: 'FORBIDDEN', message: 'The account or key that the run acts for is gone' };
}

/** A failure of the gateway's as that of an action. */
export function failureFrom(error: GatewayError, written: boolean, action: string): Failure {
  const { details, retryAfter } = error;
  const isSerialization = details.some(
    (each) => 'source' in each && SERIALIZATION.has(String(each.code)),
  );
  return {
    ...refusalOf(error),
    action,
    ...(details.length > 0 ? { details: [...details] as unknown as Json } : {}), // Details are JSON.
    ...(written ? { effect: 'possible' as const } : {}),
    ...(isSerialization ? { transient: true as const } : {}),
    ...(retryAfter === undefined ? {} : { retryAfterMs: retryAfter * 1000 }),
  };
}
