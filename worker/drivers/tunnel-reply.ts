/** How the object that holds a node's tunnels says that a call had no reply: its callers are other isolates. */
import { Code, ConnectError } from '@connectrpc/connect';
import { ErrorDetailSchema } from '../../proto/gen/relay/v1/relay_pb.ts';
import type { Break } from '../../proto/tunnel/call.ts';

/** Header of such an answer; a relay's own replies never have it. */
const BROKEN = 'Causeway-Tunnel';

/** The answer instead of a reply. A call that was refused did not begin. */
export function broken(how: Break): Response {
  return new Response(null, { status: 503, headers: { [BROKEN]: how } });
}

/**
 * The reply, where there is one.
 * @throws ConnectError with NODE_UNAVAILABLE where the call provably did not begin
 * @throws Error where the connection was lost, as a direct one is
 */
export function demandReply(response: Response): Response {
  const how = response.headers.get(BROKEN);
  if (how === null) return response;
  if (how !== 'refused') throw new Error('The tunnel was lost');
  const detail = { desc: ErrorDetailSchema, value: { code: 'NODE_UNAVAILABLE' } };
  throw new ConnectError('The node has no open tunnel', Code.Unavailable, undefined, [detail]);
}
