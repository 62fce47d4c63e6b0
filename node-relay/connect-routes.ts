/**
 * The library's handlers on Node's server. Its own adapter prints to standard error when a client
 * leaves in the middle of a stream, and throws past the server at a request without a host.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type ConnectRouter,
  type ConnectRouterOptions,
  createConnectRouter,
} from '@connectrpc/connect';
import {
  universalRequestFromNodeRequest,
  universalResponseToNodeResponse,
} from '@connectrpc/connect-node';

/** A listener for the router's methods; anything else is 404. Never rejects. */
export function connectRoutes(
  options: ConnectRouterOptions,
  routes: (router: ConnectRouter) => void,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const router = createConnectRouter(options);
  routes(router);
  const handlers = new Map(router.handlers.map((handler) => [handler.requestPath, handler]));
  return async (request, response) => {
    const handler = handlers.get(request.url ?? '');
    if (handler === undefined || request.headers.host === undefined) {
      response.writeHead(handler === undefined ? 404 : 400).end();
      return;
    }
    try {
      const asked = universalRequestFromNodeRequest(request, response, undefined, undefined);
      await universalResponseToNodeResponse(await handler(asked), response);
    } catch {
      // The call itself answers its failures: what fails here is the connection.
      response.destroy();
    }
  };
}
