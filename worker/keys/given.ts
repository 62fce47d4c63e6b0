/** What bodies of keys have in common, checked where the time is known. */
import { badRequest } from '../../proto/errors.ts';

/**
 * When a key is to end, in milliseconds since the Unix epoch.
 * @throws GatewayError BAD_REQUEST for a time that has passed
 */
export function endOf(expires: string, now: number): number {
  const at = Date.parse(expires);
  if (at <= now) throw badRequest('expires', 'is in the past');
  return at;
}
