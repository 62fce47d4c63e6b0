/** What is told of a node that answers what is no reply: it may be anybody's program. */
import { GatewayError } from '../../proto/errors.ts';

/** Seconds after which the node may have been mended, or another one replaces it. Spec silent. */
const RETRY_AFTER_S = 2;

/** Where a reply was none; its message is for the log, in words of our own alone. */
export class NoReply extends Error {
  override readonly name = 'NoReply';
}

/**
 * The failure of a call whose reply is none. A call that changes nothing may go to the next node.
 * @param written whether it may have taken effect @param fault what is wrong, and where, without a text of the node's
 */
export function noReply(written: boolean, fault: string): GatewayError {
  const cause = new NoReply(fault);
  const said = 'The node answered what is no reply';
  return written
    ? new GatewayError('OUTCOME_UNKNOWN', `${said}: the request may have taken effect`, { cause })
    : new GatewayError('NODE_UNAVAILABLE', said, { cause, retryAfter: RETRY_AFTER_S });
}
