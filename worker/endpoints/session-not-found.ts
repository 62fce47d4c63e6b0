/** The refusal of a session. */
import { GatewayError } from '../../proto/errors.ts';

/** Says no more of another's session than of one that never was. */
export function sessionNotFound(): GatewayError {
  return new GatewayError('SESSION_NOT_FOUND', 'There is no such session: it may have expired');
}
