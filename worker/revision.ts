/** Which revisions of a resource a call is held to. Contract §1, "Conditional requests". */
import { GatewayError } from '../proto/errors.ts';

/** What a request is held to: any revision that exists, or one of these. */
export type IfMatch = 'any' | readonly string[];

/** Whether a resource of this tag is one that the request is held to. */
export function isHeld(tag: string, ifMatch: IfMatch | undefined): boolean {
  return ifMatch === undefined || ifMatch === 'any' || ifMatch.includes(tag);
}

/**
 * Refuses early what the statement that writes would refuse.
 * @throws GatewayError PRECONDITION_FAILED
 */
export function hold(tag: string, ifMatch: IfMatch | undefined): void {
  if (!isHeld(tag, ifMatch)) throw preconditionFailed();
}

/** The resource is another than the one that the client has seen. */
export function preconditionFailed(): GatewayError {
  return new GatewayError(
    'PRECONDITION_FAILED',
    'The resource is not as If-Match or If-None-Match asks: read it again',
  );
}
