/** Opens a tunnel to a node's own process. Spec: nodes.md §1. */
import { badRequest, GatewayError } from '../../../proto/errors.ts';
import { NODE_HEADERS } from '../../../proto/node-signature.ts';
import { TUNNEL_PROTOCOL } from '../../../proto/tunnel/frame.ts';
import type { PublicContext } from '../../context.ts';
import { Upgraded } from '../../outcome.ts';
import { BASE_PATH } from '../../public-url.ts';
import { nodeObject, OPEN_URL } from '../node-object.ts';
import { demandSigned } from '../proof.ts';
import { selectNodeByUuid } from '../store.ts';

/** Seconds. */
const RETRY_AFTER_S = 10;

/** @throws GatewayError NODE_SIGNATURE_INVALID, NODE_RUNNING, BAD_REQUEST, RATE_LIMITED */
export async function openTunnel(
  ctx: PublicContext,
  named: string,
  header: (name: string) => string | undefined,
): Promise<Upgraded> {
  demandWebSocket(header);
  const uuid = named.toLowerCase();
  const [found] = await selectNodeByUuid(ctx.db, uuid);
  const path = `${BASE_PATH}/nodes/${named}/tunnel`;
  const signed = { method: 'GET', path, body: undefined, header };
  const { row, instance } = await demandSigned(ctx, { uuid, row: found }, signed);
  if (row.url !== null) throw badRequest('node', 'was registered with a URL: it has no tunnel');
  const response = await nodeObject(ctx.env, row).fetch(OPEN_URL, {
    headers: { Upgrade: 'websocket', [NODE_HEADERS.instance]: instance },
  });
  if (response.webSocket) return new Upgraded(response.webSocket, TUNNEL_PROTOCOL);
  if (response.status === 429) {
    const message = 'A relay of this organization sent more than its calls ask for';
    throw new GatewayError('RATE_LIMITED', message, { retryAfter: RETRY_AFTER_S });
  }
  // Between the check and the opening.
  const message = 'Another process with the key of this node has taken its place';
  throw new GatewayError('NODE_RUNNING', message);
}

function demandWebSocket(header: (name: string) => string | undefined): void {
  const protocols = header('Sec-WebSocket-Protocol')?.split(',') ?? [];
  if (header('Upgrade')?.toLowerCase() !== 'websocket') {
    throw badRequest('Upgrade', 'must be websocket');
  }
  if (!protocols.some((each) => each.trim() === TUNNEL_PROTOCOL)) {
    throw badRequest(
      'Sec-WebSocket-Protocol',
      `must be ${TUNNEL_PROTOCOL}: another version runs here`,
    );
  }
}
