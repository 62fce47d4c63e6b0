/** Servers for the gateway's connections. */
import { createServer, type RequestListener, type Server } from 'node:http';
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2';
import { GatewayError } from '../proto/errors.ts';
import type { Config } from './config.ts';

/** Milliseconds for which a connection of the gateway is kept, longer than the gateway keeps one. Spec silent. */
const KEEP_ALIVE_MS = 600_000;

type Http2Handler = (request: Http2ServerRequest, response: Http2ServerResponse) => void;

/** A server for HTTP/1.1, or for that and HTTP/2. */
type RelayServer = Server | Http2SecureServer;

const sessions = new WeakMap<RelayServer, Set<ServerHttp2Session>>();

/** A server for the gateway's connections: HTTP/1.1, with TLS where the settings say so; there HTTP/2, too. */
export function serverFor(config: Pick<Config, 'tls'>, handle: RequestListener): RelayServer {
  if (config.tls !== undefined) return tlsServer(config.tls, handle);
  const server = createServer(handle);
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  return server;
}

function tlsServer({ cert, key, clientCa }: NonNullable<Config['tls']>, handle: RequestListener) {
  const asked =
    clientCa === undefined ? {} : { ca: clientCa, requestCert: true, rejectUnauthorized: true };
  const options = { cert, key, allowHTTP1: true, keepAliveTimeout: KEEP_ALIVE_MS, ...asked };
  const server = createSecureServer(options);
  // Node gives requests of HTTP/2 the faces of HTTP/1.1's: its documented compatibility API.
  server.on('request', handle as unknown as Http2Handler);
  const open = new Set<ServerHttp2Session>();
  server.on('session', (session) => {
    open.add(session);
    session.once('close', () => open.delete(session));
  });
  sessions.set(server, open);
  return server;
}

/** Stops listening and ends all connections. */
export function closeServer(server: RelayServer): void {
  server.close();
  if ('closeAllConnections' in server) server.closeAllConnections();
  for (const session of sessions.get(server) ?? []) session.destroy();
}

/** The port on which it listens from now on. @throws GatewayError INVALID_CONFIGURATION */
export function listen(
  server: RelayServer,
  { port, host }: Pick<Config, 'port' | 'host'>,
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.once('error', (cause: NodeJS.ErrnoException) => {
    const why =
      cause.code === 'EADDRINUSE'
        ? 'is taken; choose another with --port'
        : 'cannot be listened on; choose others with --port and --host';
    reject(new GatewayError('INVALID_CONFIGURATION', `Port ${port} on ${host} ${why}`, { cause }));
  });
  server.listen(port, host, () => {
    const address = server.address();
    resolve(typeof address === 'object' && address !== null ? address.port : port);
  });
  return promise;
}
